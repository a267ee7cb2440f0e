"""What a learning run leaves for people: `report.html` and `replay.html` in its folder."""

from __future__ import annotations

from pathlib import Path

from dfst.train.learnt import Learnt
from dfst.train.runfolder import RunFolder
from dfst.viewer.replay import write_html
from dfst.viewer.report import LearningReport, write_report


def write_learning_report(learnt: Learnt) -> Path:
    """Write both pages; gives the report's place."""
    folder, weights, problem = RunFolder(learnt.folder), learnt.weights, learnt.problem
    seeds, chosen = list(learnt.recipe.seed_numbers), learnt.chosen
    text = problem.example or next(iter(learnt.traces.inputs), "")
    write_html(weights, text, folder.replay_page, against=problem.reference)
    report = LearningReport(
        title=f"{problem.name}, learnt",
        statement=learnt.statement,
        strength=learnt.strength,
        facts=_facts(learnt),
        metrics=[progress.as_json() for progress in learnt.curve],
        seeds=seeds,
        chosen=seeds.index(chosen.seed),
        lengths=learnt.report.rows(),
        before=chosen.raw if chosen.polished else None,
        after=weights,
        machine=learnt.machine or (chosen.polished.graph.machine() if chosen.polished else None),
        example=text,
        reference=problem.reference,
    )
    write_report(report, folder.report_page)
    return folder.report_page


def _facts(learnt: Learnt) -> dict[str, str]:
    recipe, weights = learnt.recipe, learnt.weights
    return {
        "examples": "; ".join([learnt.examples, *([learnt.lesson.sentence()] if learnt.lesson else [])]),
        **({"machine": "; ".join(filter(None, [learnt.unmet, learnt.nearest]))} if learnt.unmet else {}),
        **({"disbelieved": "; ".join(learnt.disbelieved)} if learnt.disbelieved else {}),
        **({"warnings": "; ".join(learnt.warnings)} if learnt.warnings else {}),
        "model": f"hidden size {weights.shape.d}, {weights.shape.size:,} parameters in {weights.dtype}",
        "recipe": f"{recipe.preset}: {recipe.steps:,} Adam steps from a rate of {recipe.learning_rate:g}",
        "seeds": f"{len(learnt.outcomes)}; seed {learnt.chosen.seed} was chosen",
        "polish": weights.provenance.polish or "none",
        "time": f"{learnt.seconds:.0f} s",
    }
