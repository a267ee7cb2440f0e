# Everything runs in .venv, made on first use. Only python3, make and a C library are assumed. Learning on a CPU
# needs the core dependencies and nothing else; what the tests need is installed when they are first run. Python
# compiles what it imports, which is far less than pip would compile of numba and torch; it keeps what it compiled,
# whatever the shell says, since every process would compile them again.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
PYTHON := $(VENV)/bin/python
PIP := -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt
CORE := $(VENV)/.installed-core
STAMP := $(VENV)/.installed-dev

.PHONY: setup learn test default-tests lint bench evidence chaos theorem test-gpu test-ray wheel site clean

setup: $(STAMP)

$(PYTHON):
	python3 -m venv $(VENV)

$(CORE): pyproject.toml constraints.txt | $(PYTHON)
	$(PYTHON) $(PIP) -e .
	touch $(CORE)

$(STAMP): pyproject.toml constraints.txt | $(PYTHON)
	$(PYTHON) $(PIP) -e '.[train,plot,notebook,site,dev]'
	touch $(CORE) $(STAMP)

learn: $(CORE)  ## learn binary addition from 20 examples, and prove it: two seeds, one for each core
	$(VENV)/bin/dfst learn add2 --seeds 2

test: $(STAMP)  ## lint and the default tests, side by side
	$(MAKE) --no-print-directory --jobs 2 lint default-tests

# A file of tests stays in one process: its fixtures (a browser, a training) are made once. Files begin in the
# order of conftest.py, the longest first. Some wait (for a browser, for what another process compiles): one
# process more than there are cores.
default-tests: $(STAMP)
	$(PYTHON) -m pytest -n $$($(PYTHON) -c 'import os; print(min(4, 1 + os.cpu_count()))') \
		--dist loadfile --no-loadscope-reorder

lint: $(STAMP)  ## layout, style and types
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

bench: $(STAMP)  ## ratios measured side by side in one run, with their bars
	$(VENV)/bin/dfst bench

evidence: $(STAMP)  ## the slow tests: long runs, long trainings, every size, many random examples
	$(PYTHON) -m pytest -m 'slow or hypothesis' --hypothesis-profile evidence

chaos: $(STAMP)  ## faults on purpose: kills, full disks, signals, damaged files, hostile files and requests
	$(PYTHON) -m pytest -m slow tests/chaos

theorem: $(CORE)  ## what the shipped weights compute, proved in Coq
	@if command -v coqc > /dev/null; then $(MAKE) --no-print-directory -C proof/coq PYTHON=$(abspath $(PYTHON)); \
	else echo "theorem: skipped, there is no coqc here (Debian: apt-get install coq libcoq-flocq)"; fi

test-gpu: $(STAMP)  ## the kernels on a real GPU
	$(PYTHON) -m pytest -m gpu

test-ray: $(STAMP)  ## sweeps on a two-node Ray cluster on this machine, and both loggers
	$(PYTHON) $(PIP) -e '.[ray,tensorboard,wandb]'
	$(PYTHON) -m pytest -m ray
	$(PYTHON) -m pytest tests/experiments/test_loggers.py

wheel:  ## build dist/, check what is in it, install it where nothing else is, and run it
	test -x .venv-wheel/bin/python || python3 -m venv .venv-wheel
	.venv-wheel/bin/python $(PIP) build twine
	rm -rf dist
	.venv-wheel/bin/python -m build
	.venv-wheel/bin/python -m twine check --strict dist/*
	.venv-wheel/bin/python tools/wheel.py dist/*.whl

site:  ## build the site into site/, every link checked
	test -x .venv-site/bin/python || python3 -m venv .venv-site
	.venv-site/bin/python $(PIP) -e '.[site]'
	.venv-site/bin/mkdocs build

clean:
	rm -rf $(VENV) .venv-wheel .venv-site build site dist .pytest_cache .mypy_cache .ruff_cache .hypothesis tests/viewer/node_modules
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
