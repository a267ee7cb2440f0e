"""The browser's machine against Python's, step for step: decisions, grids, hidden states to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from evidence import slow
from random_agent import PLANE_AND_STAY, random_agent
from viewer_subjects import dense, langton

from dfst.errors import InputError, MissingRule
from dfst.experts import expert
from dfst.machines import Agent, RuleBook
from dfst.machines.formats import parse_machine
from dfst.model import Weights, compile_agent
from dfst.viewer.payload import describe
from dfst.world.grid import MOTION_NAMES, Limits, R
from dfst.world.unit import Action, ClosedLoop

AskNode = Callable[[str, Any], Any]


def job(
    action: str, subject: Agent | Weights, text: str = "", limit: int = 5_000, **more: Any
) -> dict[str, Any]:
    return {"action": action, "subject": describe(subject), "input": text, "limit": limit, **more}


def with_huge_numbers_to_spare() -> Weights:
    """Two hidden numbers, never read, whose sum is beyond all floats though neither is."""
    weights = compile_agent(expert("parity"), d=4, dtype=np.float64)
    A, h0 = weights.A.copy(), weights.h0.copy()
    for spare in (2, 3):
        A[:, spare, spare], h0[spare] = 1, 1.5e308
    return replace(weights, A=A, h0=h0)


def grown(weights: Weights, factor: float) -> Weights:
    """The same decisions, and a hidden state that is soon rescaled."""
    return replace(weights, A=weights.A * weights.dtype.type(factor))


MODELS = {
    "huge numbers to spare": (with_huge_numbers_to_spare(), "0110"),
    "compiled add10": (compile_agent(expert("add10")), "967+58"),
    "dense add10, float32": (dense(compile_agent(expert("add10")), 1), "967+58"),
    "dense add10, float64": (dense(compile_agent(expert("add10"), dtype=np.float64), 2), "967+58"),
    "dense add2, d to spare": (dense(compile_agent(expert("add2"), d=17), 3), "11111+1"),
    "dense mult2": (dense(compile_agent(expert("mult2"), d=32), 4), "1101*111"),
    "noisy add10, float32": (dense(compile_agent(expert("add10")), 5, noise=0.08), "967+58"),
    "noisy add10, float64": (
        dense(compile_agent(expert("add10"), dtype=np.float64), 6, noise=0.08),
        "967+58",
    ),
    "fading add10": (grown(dense(compile_agent(expert("add10")), 8), 0.1), "967+58"),
    "growing add10": (grown(dense(compile_agent(expert("add10")), 9), 30), "967+58"),
    "growing add2, float64": (grown(dense(compile_agent(expert("add2"), dtype=np.float64), 9), 30), "11+1"),
    "noisy mult2": (dense(compile_agent(expert("mult2")), 7, noise=0.05), "1101*111"),
}


def test_a_board_of_several_lines_is_laid_out_alike(ask_node: AskNode) -> None:
    agent, texts = expert("maze"), ["S.#\n#..\n..G", "G..\n##.\nS..", "S#G"]
    ways = [typed for text in texts for typed in (text, text.replace("\n", "/"), text + "\n")]
    for typed, seen in zip(ways, ask_node("steps.mjs", [job("trace", agent, t) for t in ways]), strict=True):
        trace = agent.trace(typed)
        assert seen["read"] == trace.x.tolist()
        assert seen["shown"] == trace.m.tolist()
        assert seen["answer"] == agent.run(typed).answer


SEEN = ("step", "head", "nonblank", "checksum", "visits", "box", "inside", "states")


def shuffled(agent: Agent) -> Weights:
    """A model whose hidden states are no unit vectors, and differ in their last bits."""
    return dense(compile_agent(agent, dtype=np.float64), 3)


BOARDS = {
    "maze": "S" + "." * 39 + "\n" + ("#" * 39 + ".\n" + "." * 40 + "\n.") + "#" * 38 + "G",
    "flood": "*" + ".#" * 20,
    "longmult2": "1011×1101",
    "sudoku": "523|4.6/416|789/789|123",
}


def table(agent: Agent) -> Agent:
    return agent


@pytest.mark.parametrize(
    ("name", "made"),
    [
        *((name, table) for name in BOARDS),
        ("maze", compile_agent),
        ("longmult2", shuffled),
        *slow(*((name, shuffled) for name in BOARDS if name != "longmult2")),
    ],
)
def test_many_steps_at_once_are_what_single_ones_are(ask_node: AskNode, name: str, made: Callable) -> None:
    """Cells, head, state, box and visits, wherever one looks: ahead, back, and along the key frames."""
    agent, text = made(expert(name)), BOARDS[name]
    steps = expert(name).run(text).steps
    targets = sorted({0, 1, min(300, steps), steps // 3, steps // 2, max(0, steps - 400), steps - 1, steps})

    def seen(*asked: tuple[str, list[int]]) -> list[list[dict[str, Any]]]:
        jobs = [job(action, agent, text, steps + 1, targets=wanted) for action, wanted in asked]
        answers = ask_node("steps.mjs", jobs)
        return [[{key: moment[key] for key in SEEN} for moment in moments] for moments in answers]

    there = ("plainly", targets), ("seek", targets), ("seek", targets[::-1]), ("skim", targets)
    plain, sought, back, skimmed = seen(*there)
    assert sought == plain
    back = back[::-1]
    kept = {"box": None, "states": None}  # what was visited, and seen, is not forgotten on the way back
    assert [moment | kept for moment in back] == [moment | kept for moment in plain]
    shown = [moment["step"] for moment in skimmed]
    assert (shown, shown[-1]) == (sorted(shown), steps)
    (plain,) = seen(("plainly", shown))  # where fewer states may have been seen: the frontier is ahead
    assert [moment | {"states": None} for moment in skimmed] == [
        moment | {"states": None} for moment in plain
    ]
    assert skimmed[-1] == plain[-1]


def steps_of(name: str) -> int:
    return 120 if "noisy" in name else 700 if name in MODELS else 3_000


@pytest.fixture(scope="module")
def traces(ask_node: AskNode) -> dict[str, Any]:
    """What the browser's code does with every model and table, by name."""
    subjects = MODELS | TABLES
    jobs = [job("trace", *subject, steps_of(name)) for name, subject in subjects.items()]
    return dict(zip(subjects, ask_node("steps.mjs", jobs), strict=True))


@pytest.mark.parametrize("name", MODELS)
def test_a_model_takes_the_same_steps_and_keeps_the_same_bits(traces: dict[str, Any], name: str) -> None:
    (weights, text), limit, seen = MODELS[name], steps_of(name), traces[name]
    trace = weights.trace(text, Limits(steps=limit))
    run = ClosedLoop(weights, text, Limits(steps=limit)).finish()
    assert seen["read"] == trace.x.tolist()
    assert seen["written"] == trace.s.tolist()
    assert seen["shown"] == trace.m.tolist()
    assert (seen["halted"], seen["answer"]) == (run.halted, run.answer)
    assert np.array(seen["inside"], dtype=weights.dtype).tobytes() == weights.hidden.tobytes()


def test_a_model_that_diverges_stops_with_words(ask_node: AskNode) -> None:
    weights = dense(compile_agent(expert("add10")), 5)
    wild = replace(weights, A=np.clip(weights.A.astype(float) * 1e39, -3e38, 3e38).astype(np.float32))
    (seen,) = ask_node("steps.mjs", [job("trace", wild, "967+58")])
    assert not seen["halted"]
    assert seen["stuck"] == f"{weights.name}: the hidden state overflowed at step {seen['step']}"


def test_an_exact_model_shows_one_learnt_state_for_each_state_it_visits(ask_node: AskNode) -> None:
    agent = expert("add10")
    states = {agent.states[0]}
    ClosedLoop(agent, "967+58").finish(lambda _: states.add(agent.state))
    (seen,) = ask_node("steps.mjs", [job("trace", dense(compile_agent(agent), 1), "967+58")])
    # The hidden state after the halt is one more: the zero vector.
    assert seen["states"] == len(states) + 1


TABLES = {
    "add10": (expert("add10"), "999+1"),
    "mult10": (expert("mult10"), "98×76"),
    "sub16": (expert("sub16"), "1f-f0"),
    "sort10": (expert("sort10"), "31415926"),
    "increment10": (expert("increment10"), "1999"),
    "langton": (langton(), ""),
    **{
        f"random {i}": (random_agent(np.random.default_rng(i), 6, 4, PLANE_AND_STAY, 0.05, 0.04), "123_321")
        for i in range(8)
    },
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_takes_the_same_steps(traces: dict[str, Any], name: str) -> None:
    (agent, text), seen = TABLES[name], traces[name]
    seen_by_python: list[Action] = []
    limits = Limits(steps=steps_of(name))
    missing = None
    try:
        run = ClosedLoop(agent, text, limits).finish(seen_by_python.append)
    except MissingRule as error:
        missing = error
    shown = list(zip(seen["read"], seen["written"], seen["shown"], strict=True))
    assert shown == [action[2:] for action in seen_by_python]
    if missing is None:
        assert (seen["halted"], seen["answer"], tuple(seen["head"])) == (run.halted, run.answer, run.head)
        assert (seen["nonblank"], seen["stuck"]) == (run.nonblank, "")
    else:
        assert missing.state in seen["stuck"]
        assert f"step {missing.step}" in seen["stuck"]


DECIDER = """blank: ' '
start state: even
table:
  even: {a: {R: odd}, ' ': {N: accept}}
  odd: {a: {R: even}, b: {N: over}, ' ': {N: no}}
  accept:
  no:
  over:
"""


def test_the_end_of_a_run_is_named(ask_node: AskNode) -> None:
    decider, silent = parse_machine(DECIDER), parse_machine("1RB1LB_1LA1RZ")
    told = {
        "aa": ("accept", "Accepted in state accept after 3 steps."),
        "a": ("no", "Rejected in state no after 2 steps."),
        "ab": ("over", "Halted in state over after 2 steps."),
        "b": ("even", "Rejected after 0 steps: machine has no rule for state ‘even’ reading ‘b’"),
    }
    seen = ask_node("steps.mjs", [job("ending", decider, text) for text in told])
    for (head, words), found in zip(told.values(), seen, strict=True):
        assert found["head"] == head
        assert found["step"].startswith(words)
    (found,) = ask_node("steps.mjs", [job("ending", silent)])
    assert (found["head"], found["step"]) == ("halt", "Halted after 6 steps.")


def test_seeking_anywhere_shows_what_a_straight_run_shows(ask_node: AskNode) -> None:
    rng = np.random.default_rng(0)
    agent = langton()
    targets = [60_000, 59_999, 3, 0, 1, 255, 256, 257, 30_000, *rng.integers(0, 60_000, 12).tolist()]
    ordered = sorted(set(targets))
    wild, straight = ask_node(
        "steps.mjs",
        [job("seek", agent, "", 10**6, targets=targets), job("seek", agent, "", 10**6, targets=ordered)],
    )
    cost = ("work", "frames", "spacing")
    plain = [{k: v for k, v in moment.items() if k not in cost} for moment in wild]
    truth = {m["step"]: {k: v for k, v in m.items() if k not in cost} for m in straight}
    assert [moment["step"] for moment in plain] == targets
    assert plain == [truth[target] for target in targets]
    assert max(moment["frames"] for moment in wild) <= 128
    for target in ordered:
        run = agent.run("", Limits(steps=target)) if target else None
        if run is not None:
            assert (truth[target]["nonblank"], tuple(truth[target]["head"])) == (run.nonblank, run.head)


def test_seeking_in_a_million_steps_takes_few(ask_node: AskNode) -> None:
    targets = [1_000_000, 500_000, 499_999, 999_000, 10]
    (moments,) = ask_node("steps.mjs", [job("seek", langton(), "", 10**6, targets=targets)])
    for moment in moments[1:]:
        # From the key frame before, and then the few hundred steps of the trail.
        assert moment["work"] <= moment["spacing"] + 512
    assert moments[0]["spacing"] <= 2 * 1_000_000 / 64
    assert moments[2]["work"] == 0


def test_seeking_past_the_end_stops_at_the_end(ask_node: AskNode) -> None:
    agent = expert("add10")
    steps = agent.run("999+1").steps
    (moments,) = ask_node("steps.mjs", [job("seek", agent, "999+1", targets=[10_000, steps - 1, steps, 5])])
    assert [moment["step"] for moment in moments] == [steps, steps - 1, steps, 5]


def test_jumping_stops_after_each_write_and_nowhere_else(ask_node: AskNode) -> None:
    cases = [(expert("add10"), "999+1"), (expert("mult2"), "101×11"), (expert("increment10"), "1" * 600)]
    answers = ask_node("steps.mjs", [job("writes", *case) for case in cases])
    for (agent, text), seen in zip(cases, answers, strict=True):
        trace = agent.trace(text)
        changes = [t + 1 for t in range(len(trace)) if trace.x[t] != trace.s[t]]
        assert seen["there"] == changes
        assert seen["back"] == [t for t in reversed(changes) if t < len(trace)]


def test_jumping_back_crosses_long_stretches_without_a_write(ask_node: AskNode) -> None:
    rules = RuleBook(("0", "1"), blank="0")
    rules.on("mark", "0", R, write="1", to="walk")
    rules.on("walk", "0", R)
    (seen,) = ask_node("steps.mjs", [job("writes", rules.agent("walker"), "", limit=3_000)])
    assert seen == {"there": [1], "back": [1]}


def test_comparison_finds_the_first_decision_that_differs(ask_node: AskNode) -> None:
    agent = expert("add10")
    text = "967+58"
    jobs = [
        {**job("compare", subject, text, 120), "against": describe(agent)}
        for subject, _ in MODELS.values()
        if subject.task == agent.task
    ]
    reference = agent.trace(text)
    expected = []
    for subject, _ in MODELS.values():
        if subject.task != agent.task:
            continue
        trace = subject.trace(text, Limits(steps=120))
        pairs = zip(trace.s, trace.m, reference.s, reference.m, strict=False)
        expected.append(next((t for t, (s, m, s2, m2) in enumerate(pairs) if (s, m) != (s2, m2)), None))
    assert [answer["difference"] for answer in ask_node("steps.mjs", jobs)] == expected
    assert None in expected
    assert any(isinstance(step, int) for step in expected)


SPELT = replace(langton(), alphabet=("aa", "b"))
"""A machine whose symbols have several characters"""
INPUTS = [
    *((expert("add10"), text) for text in ("12+34", " 12 + 34 ", "12", "1+2+3", "12+", "1a+2", "1 2+3", "+")),
    *((expert("mult10"), text) for text in ("12*34", "12x34", "12×34", "1" * 60)),
    *((expert("increment10"), text) for text in ("199", "", "1-2")),
    *((langton(), text) for text in ("", "0110", "01_10", "2", "1 1", "é")),
    *((langton(), text) for text in ("01\n10", "01/10\n", "01\n1", "01\n100", "01\n12")),
    *((expert("maze"), text) for text in ("S.\n.G", "S./.G", "", "S.\n.", "S.\n.x", "..", "S.\nSG")),
    *((expert("hanoi"), text) for text in ("3", " 20 ", "21", "0", "1" * 12, "o../o..", "o../.o.")),
    *((expert("longmult10"), text) for text in ("12*3", "1×2/3×4", "12")),
    *((SPELT, text) for text in ("aa", " aa ", "aa b", "b", "bb", "aab", "a")),
    (expert("add2"), "12+1"),
    (expert("mult36"), "12x*34"),
    (expert("sort10"), "3141"),
    (expert("add16"), "FF+1"),
    (expert("sub10"), "5-7"),
]


def test_inputs_are_read_and_refused_in_the_same_words(ask_node: AskNode) -> None:
    def python(agent: Agent, text: str) -> dict[str, Any]:
        try:
            symbols, start = agent.encode(text)
        except InputError as error:
            return {"error": str(error)}
        columns = {"columns": symbols.shape[1]} if symbols.ndim == 2 else {}
        return {"symbols": symbols.ravel().tolist(), "start": start, **columns}

    answers = ask_node("steps.mjs", [job("encode", agent, text) for agent, text in INPUTS])
    assert answers == [python(agent, text) for agent, text in INPUTS]


SOLVED = ("add10", "add2", "mult10", "mult36", "sub7", "compare10", "increment2", "sort10")


def test_the_page_and_python_agree_on_what_is_right(ask_node: AskNode) -> None:
    rng = np.random.default_rng(1)
    cases = []
    for name in SOLVED:
        agent = expert(name)
        assert agent.task is not None
        for digits in (1, 1, 2, 9, 700):
            operands = agent.task.random_operands(rng, (digits,) * agent.task.operand_count)
            cases.append((agent, agent.task.write(operands), agent.task.solve(operands)))
    answers = ask_node("steps.mjs", [job("solve", agent, text) for agent, text, _ in cases])
    assert answers == [right for _, _, right in cases]
    assert ask_node("steps.mjs", [job("solve", langton(), "")]) == [None]


def test_motions_have_the_same_numbers_on_both_sides(ask_node: AskNode) -> None:
    assert MOTION_NAMES == ("U", "D", "L", "R", "S", "N")
    (seen,) = ask_node("steps.mjs", [job("trace", expert("add10"), "1+1")])
    assert seen["shown"][-1] == MOTION_NAMES.index("S")
