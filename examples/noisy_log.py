"""A log with errors and holes: of what a turnstile did, every twentieth action was written down wrongly.

    python examples/noisy_log.py noisy.jsonl
    dfst learn noisy.jsonl --allow-errors

The turnstile opens (u) after two coins (c) and locks (l) when somebody has pushed through (p). Nobody wrote
down how many coins it had counted; a fifth of its actions nobody saw (?).
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

WRONG, UNKNOWN = 0.05, 0.2


def turnstile(events: str) -> str:
    """What it does, event by event."""
    coins, done = 0, ""
    for event in events:
        coins = min(2, coins + 1) if event == "c" else 0 if coins == 2 else coins
        done += "u" if event == "c" and coins == 2 else "l"
    return done


def noisy_log(runs: int = 60, seed: int = 0) -> tuple[list[dict[str, object]], int]:
    """The lines of the file, and how many of their actions are wrong."""
    rng = random.Random(seed)
    lines: list[dict[str, object]] = [
        {"format": "dfst-traces/2", "name": "turnstile", "alphabet": ["c", "p", "l", "u", "λ"], "blank": "λ"}
    ]
    planted = 0
    for _ in range(runs):
        events = "".join(rng.choices("cp", k=rng.randint(4, 12)))
        wrote = ""
        for right in turnstile(events):
            chance = rng.random()
            planted += chance < WRONG
            wrote += {"l": "u", "u": "l"}[right] if chance < WRONG else "?" if chance > 1 - UNKNOWN else right
        lines.append({"read": events + "λ", "wrote": wrote + "λ", "moved": "R" * len(events) + "S"})
    return lines, planted


if __name__ == "__main__":
    lines, planted = noisy_log()
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    Path(sys.argv[1] if len(sys.argv) > 1 else "noisy.jsonl").write_text(text, "utf-8")
    print(f"{len(lines) - 1} traces, {planted} wrong actions")
