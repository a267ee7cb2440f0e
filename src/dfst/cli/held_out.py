"""What `dfst evaluate` asks of a machine without a task: the model against it, on held-out inputs."""

from __future__ import annotations

from dfst.agents.agent import Agent
from dfst.agents.rejections import with_rejections
from dfst.errors import InputError
from dfst.evaluation.held_out import HeldOutReport, judge
from dfst.evaluation.subject import ready, weights_of_subject
from dfst.proof.regular import in_alphabet_of
from dfst.subjects import own_machine, reference_for, resolve
from dfst.traces.inputs import language_of_machine
from dfst.world.grid import Limits


def held_out_report(
    text: str, against: str | None, pattern: str | None, precision: str, seed: int
) -> HeldOutReport:
    """The judgement on a subject; a run folder knows its machine, its inputs and what its lesson showed."""
    subject, own = resolve(text), own_machine(text)
    if subject.task is not None:
        raise InputError(f"{text} has a task, which knows its inputs; give --digits instead of --language")
    if own is not None:
        machine, pattern = own.question(subject, against, pattern)
    else:
        machine = with_rejections(reference_for(subject, against))
    if isinstance(subject, Agent):
        subject = with_rejections(subject)
    weights = weights_of_subject(subject, precision)
    machine = in_alphabet_of(weights, machine)
    shown, max_steps = (own.inputs, own.max_steps) if own else ((), Limits.steps)
    [rollout] = ready([weights])
    return judge(rollout, machine, language_of_machine(machine, pattern), shown, max_steps, seed)
