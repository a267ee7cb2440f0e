"""dfst compare"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from dfst.cli.arguments import Folder, Number, Option, Set, first_given
from dfst.cli.output import answer, answer_json, complain, working
from dfst.cli.tables import draw
from dfst.counted import ranged
from dfst.errors import DfstError, InputError

if TYPE_CHECKING:
    from dfst.experiments.comparison.results import Result, Row

TRAINING = ("seeds", "device", "set", "out")
"""Options that say how to train, and mean nothing without --learner and --task."""
OUT = Path("runs/compare")


@dataclass(frozen=True)
class Compare:
    """Set other learners beside the DFST: the same traces, the same measure, one table.

    Without --learner, the stored results are shown: how many seeds are right at every tested length up to
    four times that of the training (ok), whose merged hidden states are proved, how many digits RLG and PLG
    reach (the median and the range over the seeds; ≥ where no seed met a failure), and how many hard cases
    were missed where every random input went right. With --learner and --task, the learner is trained and
    measured now; if that is interrupted, the same command continues with the next seed. See
    docs/how-to/baseline.md.

    Learners:
      dfst-descent     ours, gradient descent alone: the preset descent
      dfst, dfst-raw   ours, trained briefly, then polished; not polished
      lstm, gru        recurrent networks
      transformer      causal, reads the history of symbols seen
      edsm, edsm-told  state merging by evidence; told the number of states
      sat              the fewest states, then the fewest rules (extra certify)
      FILE.py:NAME     a torch network or a training function of your own
                       (examples/own_baseline.py, examples/state_space.py)

    Any problem that dfst learn takes will do, if its inputs have a size and there is a reference.

    Examples:
      dfst compare
      dfst compare --learner gru --task add2 --seeds 4 --out runs/compare
      dfst compare --learner examples/own_baseline.py:MinimalGRU --task add2
      dfst compare --learner gru --task a5 --set steps=3000 data_seed=41
      dfst compare --results runs/compare --json
    """

    learner: Annotated[str | None, Option("NAME")] = None
    """Train this learner now."""
    task: Annotated[str | None, Option("TASK")] = None
    """On this task; without --learner, show only this one, or several: add2,add10."""
    seeds: Number = None
    """How many seeds, from 0 on; by default 1."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where to train; auto is the GPU if there is one."""
    set: Set = ()
    """Settings of dfst learn, such as steps=3000 or data_seed=41."""
    out: Folder = None
    """Keeps trainings and their results; by default runs/compare."""
    results: Folder = None
    """Show the results in this folder instead of the stored ones."""
    json: bool = False
    """Print a JSON object for each learner and task."""

    def execute(self) -> int:
        from dfst.experiments.comparison.results import kept_results, rows, stored_results, unit_of

        if self.learner is None:
            if given := first_given(self, TRAINING):
                raise InputError(
                    f"{given} says how to train; add --learner NAME --task TASK, or leave it out"
                )
            results = stored_results() if self.results is None else kept_results(self.results)
            chosen = _of_tasks(self.task, results)
        else:
            chosen = self._train(self.learner)
        shown = rows(chosen)
        if self.json:
            answer_json(*shown)
            return 0
        for task in dict.fromkeys(row["task"] for row in shown):
            of_task = [row for row in shown if row["task"] == task]
            title = f"{task}, measured up to {of_task[0]['longest']:,} {unit_of(task)}"
            answer(
                draw([_cells(row) for row in of_task], title, spare=("samples", "params", "missed")) + "\n"
            )
        if self.learner is None and self.results is None:
            complain("the command behind each line: --json; how to read them: docs/results/comparison.md")
        return 0

    def _train(self, learner: str) -> list[Result]:
        """Train every seed, one trial of a sweep after another, and keep the results."""
        from dfst.cli.narrate import BriefNarrator
        from dfst.experiments.comparison.results import keep_results
        from dfst.experiments.sweep.conduct import jobs_of
        from dfst.experiments.sweep.trials import Sweep, check, seed_range, trial_settings
        from dfst.experiments.sweep.work import finished_result, work
        from dfst.problems import find_problem

        if self.task is None:
            raise InputError(f"compare --learner {learner} needs a task; add --task add2")
        if "," in self.task:
            raise InputError(f"--learner trains on one task, found {self.task}; train on them one by one")
        if self.results is not None:
            raise InputError("--results shows results that exist; leave it out, or leave out --learner")
        seeds = seed_range(self.seeds or 1)
        sweep = Sweep((self.task,), (learner,), seeds=seeds, set=trial_settings(self.set)).complete()
        check(sweep)
        find_problem(self.task).check_sizes((1,))
        out, found = self.out or OUT, []
        words = ["dfst compare --learner", learner, "--task", self.task, "--seeds", str(len(seeds))]
        words += ["--device", self.device, *(["--set", *self.set] if self.set else [])]
        with working(f"{learner} on {self.task} …") as tell:
            for job in jobs_of(sweep, out, device=self.device, threads=0):
                line = work(job, BriefNarrator(tell, job.name))
                if line["status"] == "failed":
                    raise DfstError(line["error"])
                found.append(replace(finished_result(job.folder), command=" ".join(words)))
        complain(f"kept in {keep_results(found, out)}")
        return found


def _of_tasks(tasks: str | None, results: list[Result]) -> list[Result]:
    """The results of these tasks, separated by commas; of all if none is named."""
    known = {result.task for result in results}
    wanted = known if tasks is None else tasks.split(",")
    if "" in wanted:
        raise InputError(f"--task takes names with commas between them, found {tasks!r}; try add2,add10")
    missing = next((task for task in wanted if task not in known), None if known else "any task")
    if missing is not None:
        some = ", ".join(sorted(known)) or "none"
        raise InputError(f"there are no results for {missing}; there are some for: {some}")
    return [result for result in results if result.task in wanted]


def _cells(row: Row) -> dict[str, str]:
    """heading → what stands below it."""
    seeds, seconds = row["seeds"], row["seconds"]
    free = "≥ " if row["exact"] == seeds else ""
    return {
        "learner": row["learner"],
        "samples": f"{row['samples']:,}",
        "params": f"{row['parameters']:,}",
        "steps": f"{row['iterations']:,}",
        "time": f"{seconds:,.{0 if seconds >= 10 else 1}f} s {row['device'].replace(', ', '+')}",
        "ok": f"{row['succeeded']}/{seeds}",
        "proved": "–" if row["proved"] is None else f"{row['proved']}/{seeds}",
        "RLG": free + ranged(row["rlg"], *row["rlg_range"]),
        "PLG": free + ranged(row["plg"], *row["plg_range"]),
        "missed": f"{row['hard_failures']:,}" if row["plg_range"][1] else "–",
    }
