"""Sweeps on a real Ray cluster of two nodes, on the loopback of this machine. Run by `make test-ray`.

One node is killed in the middle: every trial still finishes, once, in the bits of a trial that was left
alone, and what the dead node had saved is not done again.
"""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import pytest

from dfst.errors import InputError
from dfst.experiments.sweep import ray_pool as joining
from dfst.model.weights import load_weights

pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("default")]
pytest.importorskip("ray", reason="pip install 'dfst[ray]'")

ITERATIONS = 12_000
TRIALS = [f"add2-dfst-paper-seed-{seed}" for seed in range(4)]
NO_SHARED_DISK = """
from dfst.experiments.sweep import ray_pool
ray_pool.marker_in = lambda folder: folder / "nowhere"
"""
"""The sweep says where to look for its folder, and there is nothing."""


@pytest.fixture(scope="module", autouse=True)
def _environment(often: dict[str, str]) -> Iterator[None]:
    """Ray's sockets stand under RAY_TMPDIR or TMPDIR, and their paths may have 107 bytes at most."""
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory("", "", "/tmp") as short:
        patch.setenv("RAY_TMPDIR", short)
        patch.setenv("RAY_raylet_start_wait_time_s", "240")  # a busy machine takes longer than its 30
        patch.setenv("PYTHONPATH", often["PYTHONPATH"])
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.delenv("RAY_ADDRESS", raising=False)
        yield


@pytest.fixture
def two_nodes() -> Iterator[Any]:
    """A head and a second node that says it has a GPU, one core each."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        cluster.second = cluster.add_node(num_cpus=1, num_gpus=1)
        yield cluster
    finally:
        cluster.shutdown()


def words(address: str, iterations: int = ITERATIONS) -> list[str]:
    return [
        "--tasks", "add2", "--presets", "paper", "--seeds", str(len(TRIALS)), "--digits", "1",
        "--set", f"steps={iterations}", "--ray", address,
    ]  # fmt: skip


def test_a_disk_that_is_not_shared_is_told(sweep, two_nodes):
    one = sweep(*words(two_nodes.address, 20), code=NO_SHARED_DISK)
    assert one.finish()[0] == 1
    assert all("give --out a disk that all nodes share" in record["error"] for record in one.records.values())


def test_a_node_is_killed(sweep, two_nodes, unbroken):
    one = sweep(*words(two_nodes.address))
    one.wait_for(lambda: min(one.iteration(trial) for trial in TRIALS[:2]) >= ITERATIONS // 5)
    two_nodes.remove_node(two_nodes.second, allow_graceful=False)
    reached = {trial: one.iteration(trial) for trial in TRIALS[:2]}
    before = {
        trial: [line for line in one.run(trial).read_metrics() if line["iteration"] <= reached[trial]]
        for trial in reached
    }
    status, table, said = one.finish()
    assert status == 0, said
    assert table.startswith("task "), "standard output is for the answer alone"
    assert "the node it was running on is dead" in said
    assert sorted(one.records) == TRIALS
    assert sorted(record["attempts"] for record in one.records.values()) == [1, 1, 1, 2]
    for seed, trial in enumerate(TRIALS):
        assert one.records[trial]["status"] == "done"
        assert load_weights(one.run(trial).model_file).fingerprint() == unbroken[seed]
    for trial in reached:
        assert before[trial]
        assert one.run(trial).read_metrics()[: len(before[trial])] == before[trial]


def test_interrupted_and_gone_on_elsewhere(sweep, two_nodes, unbroken):
    one = sweep(*words(two_nodes.address))
    one.wait_for(lambda: one.iteration(TRIALS[0]) >= ITERATIONS // 5)
    status, table, said = one.end(signal.SIGINT)
    assert (status, table) == (130, "")
    assert "Traceback" not in said
    two = sweep(*words(two_nodes.address)[: words(two_nodes.address).index("--ray")])
    status, _, said = two.finish()
    assert status == 0, said
    assert sorted(two.records) == TRIALS
    for seed, trial in enumerate(TRIALS):
        assert load_weights(two.run(trial).model_file).fingerprint() == unbroken[seed]


def test_parts_of_a_gpu(sweep, two_nodes):
    one = sweep(*words(two_nodes.address, 20), "--gpus", 0.5, "--device", "cpu")
    status, _, said = one.finish()
    assert status == 0, said
    assert sorted(one.records) == TRIALS
    too_many = sweep(*words(two_nodes.address), "--gpus", 2)
    assert too_many.finish() == (
        2,
        "",
        f"dfst: a trial asks for 2 GPUs, but no node at {two_nodes.address} has more than 1; lower --gpus\n",
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_no_cluster_at_the_address():
    port, began = free_port(), time.monotonic()
    with pytest.raises(InputError) as refused:
        joining.join(f"127.0.0.1:{port}", 0)
    assert str(refused.value) == (
        f"no Ray cluster at 127.0.0.1:{port}: connection refused; start one with: ray start --head"
    )
    assert time.monotonic() - began < 60, "Ray itself would wait for minutes"


def test_something_else_at_the_address(monkeypatch):
    monkeypatch.setattr(joining, "JOIN_SECONDS", 3.0)
    with socket.create_server(("127.0.0.1", 0)) as other:
        address = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(InputError) as refused:
            joining.join(address, 0)
    assert str(refused.value) == (
        f"no Ray cluster at {address}: what answers there did not join in 3 s; "
        "start one with: ray start --head"
    )


def test_no_cluster_on_this_machine():
    assert "RAY_ADDRESS" not in os.environ
    with pytest.raises(InputError) as refused:
        joining.join("auto", 0)
    assert str(refused.value) == (
        "no Ray cluster runs on this machine; give --ray HOST:PORT, or start one with: ray start --head"
    )


def test_an_address_that_is_none():
    with pytest.raises(InputError) as refused:
        joining.join("nonsense", 0)
    assert str(refused.value) == (
        "--ray takes auto, HOST:PORT or ray://HOST:PORT, found 'nonsense'; try 127.0.0.1:6379"
    )
