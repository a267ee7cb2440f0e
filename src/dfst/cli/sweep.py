"""dfst sweep"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from dfst.cli.arguments import Folder, Lengths, Number, Option, RealOrZero, Set, Within, Words, first_given
from dfst.cli.output import answer, answer_json, console, stopped
from dfst.cli.tables import draw
from dfst.counted import counted
from dfst.errors import InputError
from dfst.memory import require_memory

if TYPE_CHECKING:
    from dfst.experiments.sweep.conduct import Pool
    from dfst.experiments.sweep.trials import Sweep
    from dfst.train.engines import Device

DESCRIBING = ("tasks", "learners", "presets", "seeds", "set", "digits", "out")
"""Options that say which trials there are, and so cannot change when a sweep goes on."""
PER_TRIAL = 400_000_000  # bytes that the process of a trial takes at least


@dataclass(frozen=True)
class SweepCommand:
    """Train many models: seeds × tasks × recipes × learners, on this machine's cores or on a Ray cluster.

    Each trial is an ordinary run folder under DIR/trials, and one line of DIR/results.jsonl as soon as it is
    over. Ctrl-C saves; the same command, or --resume DIR, continues. A trial whose process or node dies
    continues from its last checkpoint.

    Examples:
      dfst sweep --tasks add2 increment2 --seeds 8 --set steps=5000
      dfst sweep --tasks add2 --learners dfst gru lstm --seeds 4 --out runs/many
      dfst sweep examples/sweep.yaml --jobs 2
      dfst sweep examples/sweep.yaml --ray HOST:6379 --gpus 0.25
      dfst sweep --resume runs/many

    Exit status 1 means that some trial gave no result.
    """

    RENAMED: ClassVar = {
        "--engine": "--ray auto",
        "--address": "--ray HOST:PORT",
        **dict.fromkeys(("--cpus", "--retries"), ""),
    }

    file: Annotated[Path | None, Option("[FILE]", place=True)] = None
    """A sweep file (docs/how-to/cluster.md); options replace what it says."""
    tasks: Words = ()
    """Tasks, published machines or machine files."""
    learners: Words = ()
    """dfst (the default), gru, lstm, transformer, edsm, …: those of dfst compare."""
    presets: Words = ()
    """Recipes of the DFST: quick (the default), descent, paper."""
    seeds: Annotated[int | None, Option("N"), Within(1, 100_000)] = None
    """Seeds 0 to N - 1, each a trial of its own; one by default."""
    set: Set = ()
    """Numbers to change in every trial that knows them: steps, learning_rate, hidden_size, samples, …"""
    digits: Lengths = ()
    """Lengths at which every model is measured; by default those of dfst compare."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where to train; auto takes the GPU if the trial is given one."""
    out: Folder = None
    """The sweep's folder; by default one under runs/ that belongs to this sweep."""
    resume: Folder = None
    """Continue the sweep in this folder."""
    jobs: Number = None
    """Trials at a time; by default as many as there are cores, or as the cluster has room for."""
    ray: Annotated[str | None, Option("HOST:PORT|auto")] = None
    """Run on a Ray cluster; auto is the one RAY_ADDRESS names, or one on this machine."""
    gpus: RealOrZero = None
    """GPUs that a trial takes on the cluster; 0.25 puts four trials on one; none by default."""
    retry_failed: bool = False
    """Run failed trials again."""
    logger: Words = ()
    """Also log to tensorboard or wandb."""
    json: bool = False
    """Print a JSON object for each trial instead of the table."""

    def execute(self) -> int:
        from dfst.experiments.loggers import check_loggers
        from dfst.experiments.sweep.conduct import run_sweep
        from dfst.experiments.sweep.screen import NOTE, Screen, summarise
        from dfst.experiments.sweep.trials import check

        sweep, folder = self._sweep()
        check_loggers(self.logger)
        remarks = check(sweep)
        pool, device, threads = self._pool()
        screen = Screen(console())
        for remark in remarks:
            screen.say(remark)
        how = {"device": device, "threads": threads, "loggers": self.logger}
        try:
            lines = run_sweep(sweep, folder, pool, screen, self.retry_failed, **how)
        except KeyboardInterrupt:
            screen.close()
            return stopped(f"; everything so far is saved. Go on with: dfst sweep --resume {folder}")
        finally:
            screen.close()
        if self.json:
            answer_json(*lines)
        else:
            answer(draw(summarise(lines), note=NOTE, left=3))
        screen.say(f"every trial: {folder}/results.jsonl")
        return 1 if any(line["status"] == "failed" for line in lines) else 0

    def _sweep(self) -> tuple[Sweep, Path]:
        """Which trials there are, and where they go."""
        from dfst.api import RUNS
        from dfst.experiments.sweep.trials import (
            OWN,
            Sweep,
            digest,
            presets,
            read_file,
            read_kept,
            seed_range,
            trial_settings,
        )  # fmt: skip

        if self.resume is not None:
            if given := first_given(self, DESCRIBING) or (self.file and "FILE"):
                raise InputError(f"--resume goes on with the sweep of {self.resume}; leave out {given}")
            return read_kept(self.resume), self.resume
        said = Sweep(
            tasks=self.tasks,
            learners=self.learners,
            recipes=presets(self.presets),
            seeds=() if self.seeds is None else seed_range(self.seeds),
            set=trial_settings(self.set),
            digits=self.digits,
        )
        sweep = said.over(read_file(self.file) if self.file else Sweep()).complete()
        if self.presets and OWN not in sweep.learners:
            raise InputError(f"--presets are recipes of {OWN}; add it to --learners, or leave them out")
        usual = self.file.stem if self.file else f"sweep-{digest(sweep)}"
        return sweep, self.out or RUNS / usual

    def _pool(self) -> tuple[Pool, Device, int]:
        """Where trials run, the device of each, and the cores each has to itself."""
        if self.ray is not None:
            return self._on_cluster(self.ray)
        from dfst.experiments.sweep.conduct import LocalPool
        from dfst.train.engines import pick_device

        if self.gpus is not None:
            raise InputError("--gpus is for a cluster; add --ray auto or leave it out")
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        slots = self.jobs or cores
        if self.jobs is not None:
            require_memory(
                slots * PER_TRIAL, f"a sweep with {counted(slots, 'trial')} at once", "lower --jobs"
            )
        return LocalPool(slots), pick_device(self.device), max(1, cores // slots)

    def _on_cluster(self, address: str) -> tuple[Pool, Device, int]:
        from dfst.experiments.sweep.ray_pool import RayPool, join

        gpus = self.gpus or 0.0
        if self.device == "cuda" and not gpus:
            raise InputError("--device cuda on a cluster needs GPUs for each trial; add --gpus 0.25, say")
        join(address, gpus)
        usual: Device = "cuda" if gpus else "cpu"
        return RayPool(self.jobs, gpus), usual if self.device == "auto" else self.device, 1
