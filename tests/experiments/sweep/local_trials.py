"""Trials of add2 on local processes, and what must have become of them."""

from __future__ import annotations

from dfst.model.weights import load_weights


def trials(count: int) -> list[str]:
    return [f"add2-dfst-paper-seed-{seed}" for seed in range(count)]


def words(count: int, iterations: int) -> list[str]:
    return [
        "--tasks", "add2", "--presets", "paper", "--seeds", str(count), "--set", f"steps={iterations}",
        "--digits", "1", "--device", "cpu", "--jobs", "2",
    ]  # fmt: skip


def assert_all_ended(one, unbroken, iterations: int) -> None:
    assert sorted(one.records) == trials(len(unbroken))
    for seed, trial in enumerate(trials(len(unbroken))):
        record = one.records[trial]
        assert (record["status"], record["seed"], record["iterations"]) == ("done", seed, iterations)
        assert load_weights(one.run(trial).model_file).fingerprint() == unbroken[seed]
