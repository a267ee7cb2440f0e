"""What people type where a SUBJECT is wanted, and what it means.

add10               a shipped, learnt model
add10.descent       the one that gradient descent alone made, without a polish
expert:add10        the hand-built agent, at any radix: expert:add16
compiled:add10      the expert as an exact one-hot DFST
bb5, langton, …     a published machine
hub:OWNER/NAME      a model on the Hugging Face Hub; @REVISION after it for one that never changes
FILE.safetensors    weights;  a run folder means the model it ended with
FILE.{json,yaml,…}  a machine
1RB1LB_1LA1RZ       a machine in one line: bbchallenge text or a turmite
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from os.path import isdir, isfile
from pathlib import Path

import numpy as np

from dfst.agents.agent import Agent
from dfst.agents.registry import expert, expert_names
from dfst.agents.rejections import with_rejections
from dfst.agents.task import find_task, is_task
from dfst.agents.teacher import Teacher, is_teacher_file, load_teacher
from dfst.errors import InputError, UnknownName
from dfst.evaluation.board import BOARD
from dfst.model.compile import compile_agent
from dfst.model.weights import Weights, from_bytes, load_from_hub, load_weights
from dfst.paper import TASKS

SHIPPED = tuple(TASKS)
"""The paper's tasks, each of which has a learnt model."""
WEIGHTS = resources.files("dfst") / "weights"
DESCENT = ".descent"
"""Ends the name of a model that gradient descent alone made."""


def resolve(text: str) -> Agent | Weights:
    """The control unit that `text` names."""
    prefix, colon, rest = text.partition(":")
    if colon and prefix == "expert":
        return resolve_agent(rest)
    if colon and prefix == "compiled":
        return compile_agent(resolve_agent(rest))
    if colon and prefix == "hub":
        return load_from_hub(rest)
    path = Path(text)
    if path.suffix == ".safetensors":
        return load_weights(path)
    if _is_run(text):
        return _model_of_run(path)
    if _is_shipped(text):
        return shipped(text)
    if text.removesuffix(DESCENT) in SHIPPED and text.endswith(DESCENT):
        return _descent(text)
    return _machine(text, "subject", [*SHIPPED, *(f"expert:{name}" for name in expert_names())])


def by_name(text: str) -> Agent | Weights | None:
    """What has this name everywhere, whatever files there are here; None where nothing has."""
    from dfst.formats.published import PUBLISHED, published

    prefix, colon, rest = text.partition(":")
    if colon and prefix in ("expert", "compiled") and (is_task(rest) or rest in PUBLISHED):
        return resolve(text)
    if _is_shipped(text) or text in descent_models():
        return shipped(text)
    return published(text) if text in PUBLISHED else None


def resolve_typed(text: str) -> Agent | Weights | Teacher:
    """What a person typed in a terminal: that, or a teacher in a Python file, which is run for it.

    Never for a name that a page or a run folder gives.
    """
    return load_teacher(text) if is_teacher_file(text) else resolve(text)


def resolve_agent(text: str) -> Agent:
    """The grid agent that `text` names: an expert, a published machine or a machine file."""
    return expert(text) if is_task(text) else _machine(text, "task", expert_names())


def shipped_models() -> list[str]:
    """Names of the learnt models that come with the package."""
    return [name for name in (*SHIPPED, *BOARD) if (WEIGHTS / f"{name}.safetensors").is_file()]


def descent_models() -> list[str]:
    """Names of those that gradient descent alone made."""
    names = [f"{name}{DESCENT}" for name in SHIPPED]
    return [name for name in names if (WEIGHTS / f"{name}.safetensors").is_file()]


def shipped(name: str) -> Weights:
    """A learnt model that comes with the package."""
    return from_bytes((WEIGHTS / f"{name}.safetensors").read_bytes(), name)


def shipped_card(name: str) -> str:
    """What there is to know about it, as `tools/ship.py` wrote it down."""
    return (WEIGHTS / f"{name}.md").read_text("utf-8")


def reference_for(subject: Agent | Weights, against: str | None = None) -> Agent:
    """The agent that a subject is compared with: the one named, or the expert of its task."""
    if against is not None:
        other = resolve(against)
        if not isinstance(other, Agent):
            raise InputError(
                f"--against takes an agent, found the model {against}; try one such as expert:add10"
            )
        return other
    if subject.task is None:
        raise InputError(
            f"{subject.name} has no task, so there is no expert to compare it with; add --against SUBJECT"
        )
    return expert(subject.task.name)


@dataclass(frozen=True)
class OwnMachine:
    """What a run folder knows of the machine without a task that was learnt there."""

    machine: Agent
    pattern: str
    """The inputs that are meant"""
    inputs: tuple[str, ...]
    """Those of the lesson"""
    max_steps: int
    """Where their runs were cut off"""

    def question(
        self, subject: Agent | Weights, against: str | None, pattern: str | None
    ) -> tuple[Agent, str]:
        """What to compare the model with, and on which inputs: as given, else as it was learnt.

        Another machine then ends its runs as visibly as the lesson did.
        """
        machine = self.machine if against is None else with_rejections(reference_for(subject, against))
        return machine, self.pattern if pattern is None else pattern

    def to_explore(self) -> list[str]:
        """Inputs on which the model comes to its learnt states: short ones, and random longer ones."""
        from dfst.languages import parse
        from dfst.proof.inputs import RegularInputs

        words = parse(self.pattern, self.machine.alphabet, self.machine.blank)
        return RegularInputs(words, self.machine).to_explore(np.random.default_rng(0))


def own_machine(text: str) -> OwnMachine | None:
    """The machine behind a run folder; None where that is a task, or where there is not a run folder."""
    from dfst.learning.plan import plan_from_json
    from dfst.learning.runfolder import RunFolder

    if not _is_run(text):
        return None
    config = RunFolder(text).read_config()
    if config.get("recorded") or not config.get("machine"):
        return None
    plan = plan_from_json(config, text)
    return OwnMachine(with_rejections(plan.agent), plan.language.pattern, plan.inputs, plan.max_steps)


def input_for(subject: Agent | Weights | Teacher, given: str | None) -> str:
    """The input that was given, else the one that came with the machine, else the empty one."""
    if given is None and isinstance(subject, Agent):
        return next(iter(subject.sample_inputs), "")
    return given or ""


def _descent(name: str) -> Weights:
    if name not in descent_models():
        task = name.removesuffix(DESCENT)
        raise InputError(f"no {name} is shipped; learn it: dfst learn {task} --preset descent")
    return shipped(name)


def _is_shipped(text: str) -> bool:
    return text.removesuffix(".float32") in shipped_models()


def _is_run(text: str) -> bool:
    """Whether it names a run folder, and not a subject whose name some other folder has, such as sort."""
    from dfst.learning.runfolder import RunFolder

    # not Path.is_dir(): a machine in one line may be too long for a path
    return isdir(text) and (RunFolder(text).exists() or by_name(text) is None)


def _model_of_run(path: Path) -> Weights:
    from dfst.learning.runfolder import RunFolder

    run = RunFolder(path)
    run.read_config()
    if not run.model_file.exists():
        raise InputError(
            f"{path} holds no finished model yet; continue the run with: dfst learn --resume {path}"
        )
    return load_weights(run.model_file)


def _machine(text: str, kind: str, names: list[str]) -> Agent:
    """The published machine, or the one in a file or in the text itself; `names`: what else there is."""
    # Loaded when asked for: most subjects are no foreign machines.
    from dfst.formats import looks_like_machine, parse_machine, read_machine
    from dfst.formats.published import PUBLISHED, published

    if text in PUBLISHED:
        return published(text)
    if is_teacher_file(text):
        raise InputError(f"{text} is a Python function; dfst run, trace and learn take it, this does not")
    if isfile(text):
        return read_machine(text)
    if looks_like_machine(text):
        return parse_machine(text)
    if isdir(text):
        raise InputError(
            f"{text} is a folder, expected a task or a machine; a run goes on with dfst learn --resume {text}"
        )
    if Path(text).suffix:
        raise InputError(f"cannot read {text}: no such file; give a machine file, a weights file or a name")
    if is_task(text):
        find_task(text)
        raise InputError(f"no learnt {text} is shipped; use expert:{text}, or learn it: dfst learn {text}")
    raise UnknownName(kind, text, [*names, *PUBLISHED], listed="dfst list")
