"""The recurrent network of the home page's lesson, trained on the lesson's own four examples.

    python tools/lesson_network.py

A GRU of eight units reads what the agent reads and says what it writes and how it moves. It is trained with
Adam until it works all four examples as shown, and is then written into viewer/web/lesson_network.js. Prints
its loss, and on how many of twenty random numbers of each length it takes every step right.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy, one_hot

PAGE = Path(__file__).parents[1] / "src" / "dfst" / "viewer" / "web" / "lesson_network.js"
SYMBOLS, MOTIONS = "01λ", "UDLRS"
EXAMPLES = ("0", "10", "01", "111")
UNITS, STEPS, RATE = 8, 3_000, 0.01


def worked(digits: str) -> list[tuple[int, int, int]]:
    """(read, written, moved) of binary increment: to the end of the number, then back with the carry."""
    tape, at, carrying, steps = dict(enumerate(digits)), 0, False, []
    while True:
        read = tape.get(at, "λ")
        if not carrying:
            wrote, moved, carrying = read, "L" if read == "λ" else "R", read == "λ"
        else:
            wrote, moved = ("0", "L") if read == "1" else ("1", "S")
        tape[at] = wrote
        steps.append((SYMBOLS.index(read), SYMBOLS.index(wrote), MOTIONS.index(moved)))
        at += {"R": 1, "L": -1}.get(moved, 0)
        if moved == "S":
            return steps


def scores(gru: torch.nn.GRU, head: torch.nn.Linear, steps: list[tuple[int, int, int]]) -> torch.Tensor:
    """(steps, symbols + motions) what the network says of each step."""
    read = one_hot(torch.tensor([x for x, _, _ in steps]), len(SYMBOLS)).float()[:, None]
    said: torch.Tensor = head(gru(read)[0][:, 0])
    return said


def main() -> None:
    torch.manual_seed(0)
    gru, head = torch.nn.GRU(len(SYMBOLS), UNITS), torch.nn.Linear(UNITS, len(SYMBOLS) + len(MOTIONS))
    parameters = [*gru.parameters(), *head.parameters()]
    adam = torch.optim.Adam(parameters, lr=RATE)
    for _ in range(STEPS):
        loss = torch.zeros(())
        for digits in EXAMPLES:
            steps = worked(digits)
            said, wanted = scores(gru, head, steps), torch.tensor(steps)
            loss = loss + cross_entropy(said[:, : len(SYMBOLS)], wanted[:, 1])
            loss = loss + cross_entropy(said[:, len(SYMBOLS) :], wanted[:, 2])
        adam.zero_grad()
        loss.backward()
        adam.step()
    print(f"loss {loss.item():.1e}, {sum(p.numel() for p in parameters)} parameters")
    draw = random.Random(0)
    for length in (1, 2, 3, 5, 10, 20, 100):
        numbers = ["".join(draw.choices("01", k=length)) for _ in range(20)]
        print(f"{length:>4} digits: {sum(right(gru, head, number) for number in numbers)} of 20 right")
    names = ("inputs", "states", "inputBias", "stateBias", "heads", "headBias")
    values = {n: _rounded(p.detach()) for n, p in zip(names, parameters, strict=True)}
    text = json.dumps(values, separators=(",", ":"))
    PAGE.write_text(re.sub(r"^const GRU = .*;$", f"const GRU = {text};", PAGE.read_text("utf-8"), flags=re.M))


def right(gru: torch.nn.GRU, head: torch.nn.Linear, digits: str) -> bool:
    """Whether every step is the right one, as long as all before it were."""
    steps = worked(digits)
    with torch.no_grad():
        said = scores(gru, head, steps)
    found = zip(said[:, : len(SYMBOLS)].argmax(1), said[:, len(SYMBOLS) :].argmax(1), strict=True)
    return [(int(s), int(m)) for s, m in found] == [(s, m) for _, s, m in steps]


def _rounded(tensor: torch.Tensor) -> list[object]:
    numbers = tensor.tolist()
    return [[round(v, 4) for v in row] if isinstance(row, list) else round(row, 4) for row in numbers]


if __name__ == "__main__":
    main()
