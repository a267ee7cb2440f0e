"""The sweeps of `recur.cu`: compiled for one shape by NVRTC, which every GPU build of torch carries, and run.

Where they cannot run (older GPUs, float64, matrices too large for the shared memory of eight blocks) `choose`
answers None and Triton's kernel does the same work.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from dfst.errors import InputError
from dfst.model.weights import Shape

WIDEST = 128
"""Largest hidden size; beyond, the matrices hardly fit anyway."""
SHARED_BYTES = 227 * 1024
MAX_THREADS = 1024
MOST_TRACES = 8
MAX_DYNAMIC_SHARED_SIZE_BYTES, CLUSTER_DIMENSION = 8, 4
"""The driver's numbers for these attributes of a kernel and of a launch."""
BANK_RULE = {1: (1, 3, 5, 7), 2: (2, 6), 4: (4,), 8: tuple(range(8))}
"""Lanes a row → distances of rows in 16-byte words, modulo 8, at which eight lanes hit different banks."""


class Buffers(Protocol):
    """What the sweeps read and write, and how they are to be tuned: `gpu.Recurrence`."""

    shape: Shape
    traces: Any
    tuning: Any
    seeds: int
    batch: int
    hidden: Tensor
    drive: Tensor
    signal: Tensor
    slope0: Tensor
    alive: Tensor


@dataclass(frozen=True)
class Spread:
    """How a shape lies over the blocks of a cluster; the names in `recur.cu` are C, RC, L, SF and Q."""

    size: int
    """Blocks that share one copy of the matrices"""
    rows: int
    """Rows of each matrix in one block"""
    lanes: int
    """Lanes a row"""
    words: int
    """16-byte words from a row to the next"""
    traces: int
    """Traces a cluster works on at once"""
    threads: int
    shared_bytes: int


def spread(shape: Shape, longest: int, traces: int) -> Spread | None:
    """Over the fewest blocks that hold the matrices; None where eight do not."""
    words_used = -(-shape.d // 4)
    for size in (1, 2, 4, 8):
        rows = -(-shape.d // size)
        lanes = max(4, size) if size > 1 or shape.d > 64 else 1 + (shape.d > 32)
        words = -(-words_used // lanes) * lanes
        while words % 8 not in BANK_RULE[lanes]:
            words += 1
        threads = -(-rows * lanes // 32) * 32 * traces
        shared = 16 * shape.symbols * rows * words + traces * (32 * words + 16 + longest)
        # a block without an entry of h would wait for nothing and overrun the others
        if (
            shared <= SHARED_BYTES
            and threads <= MAX_THREADS
            and shape.d > (size - 1) * rows
            and shape.d <= WIDEST
        ):
            return Spread(size, rows, lanes, words, traces, threads, shared)
    return None


@dataclass(frozen=True)
class Cluster:
    """The compiled sweeps of a shape."""

    spread: Spread
    forward: Any
    backward: Any

    def recur(
        self, r: Buffers, matrices: Tensor, initial: Tensor, chosen: Tensor, values: Tensor, backward: bool
    ) -> None:
        """As `gpu_kernels.recur_kernel`."""
        if matrices.data_ptr() % 16:
            raise InputError(
                "the parameters must begin at a multiple of 16 bytes; pass a whole tensor, not a slice"
            )
        blocks = r.seeds * -(-r.batch // self.spread.traces) * self.spread.size
        _launch(
            self.backward if backward else self.forward,
            blocks,
            self.spread.threads,
            self.spread.shared_bytes,
            [
                *(
                    matrices,
                    matrices.stride(0),
                    initial,
                    initial.stride(0),
                    r.traces.x,
                    r.traces.start,
                    chosen,
                ),
                *(r.alive, values, r.drive, r.slope0, ctypes.c_int(r.batch), ctypes.c_int(r.traces.longest)),
            ],
        )


def choose(r: Buffers) -> Cluster | None:
    """The compiled sweeps for a recurrence, or None where Triton must do it."""
    device, dtype = r.hidden.device, r.hidden.dtype
    able = (
        device.type == "cuda"
        and dtype == torch.float32
        and torch.cuda.get_device_capability(device) >= (9, 0)
    )
    plain = spread(r.shape, r.traces.longest, 1)
    if r.tuning.sweep == "triton" or not able or plain is None or _nvrtc() is None:
        if r.tuning.sweep == "cluster":
            raise InputError(
                f"no cluster sweep for {r.shape} in {dtype} on {device}; choose `triton` or `auto`"
            )
        return None
    wanted = r.tuning.traces_a_cluster or _traces_a_cluster(r, plain)
    # the number of blocks must not depend on the traces a cluster takes: it decides how sums are rounded
    several = (spread(r.shape, r.traces.longest, q) for q in range(min(wanted, MOST_TRACES), 1, -1))
    return _cluster(r, next((s for s in several if s and s.size == plain.size), plain))


def _traces_a_cluster(r: Buffers, plain: Spread) -> int:
    """So many that all clusters run at once."""
    blocks = torch.cuda.get_device_properties(r.hidden.device).multi_processor_count
    if plain.size == 1:
        return -(-r.seeds * r.batch // (4 * blocks))
    at_once = most_clusters(_cluster(r, plain).forward, plain) or blocks // plain.size * 7 // 8
    return -(-r.batch // max(1, at_once // r.seeds))


def _cluster(r: Buffers, s: Spread) -> Cluster:
    shape = r.shape
    device = torch.cuda.current_device() if r.hidden.device.index is None else r.hidden.device.index

    def function(backward: bool) -> Any:
        stride = shape.symbols * shape.d * shape.d if backward else shape.size
        macros = {
            "SYMBOLS": shape.symbols, "DIM": shape.d, "C": s.size, "RC": s.rows, "L": s.lanes, "Q": s.traces,
            "SF": s.words, "VS": (r.signal if backward else r.hidden).shape[1], "DS": r.drive.shape[1],
            "BACKWARD": int(backward), "ALIGNED": int(shape.d % 4 == 0 and stride % 4 == 0),
        }  # fmt: skip
        options = tuple(f"-DDFST_{name}={value}" for name, value in macros.items())
        return _compiled(options, device, s.shared_bytes)

    return Cluster(s, function(backward=False), function(backward=True))


def library_places() -> Iterator[str]:
    """Names under which NVRTC may be found."""
    major = (torch.version.cuda or "").split(".")[0]
    name = f"libnvrtc.so.{major}"
    yield name
    spec = importlib.util.find_spec("nvidia")
    for root in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(root).glob(f"*/lib/{name}")):
            yield str(path)
    yield "libnvrtc.so"


@cache
def _nvrtc() -> ctypes.CDLL | None:
    for name in library_places():
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def compile_cubin(options: Sequence[str], library: ctypes.CDLL) -> bytes:
    """`recur.cu` as machine code."""
    source = Path(__file__).with_name("recur.cu").read_bytes()
    program = ctypes.c_void_p()
    _expect(library.nvrtcCreateProgram(ctypes.byref(program), source, b"recur.cu", 0, None, None), "NVRTC")
    flags = [b"--std=c++17", *(option.encode() for option in options)]
    status = library.nvrtcCompileProgram(program, len(flags), (ctypes.c_char_p * len(flags))(*flags))
    size = ctypes.c_size_t()
    if status:
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        raise RuntimeError(f"recur.cu does not compile with {' '.join(options)}:\n{log.value.decode()}")
    _expect(library.nvrtcGetCUBINSize(program, ctypes.byref(size)), "NVRTC")
    cubin = ctypes.create_string_buffer(size.value)
    _expect(library.nvrtcGetCUBIN(program, cubin), "NVRTC")
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return cubin.raw


@cache
def _compiled(options: tuple[str, ...], device: int, shared_bytes: int) -> ctypes.c_void_p:
    library = _nvrtc()
    assert library is not None
    major, minor = torch.cuda.get_device_capability(device)
    cubin = compile_cubin((f"--gpu-architecture=sm_{major}{minor}", *options), library)
    torch.cuda.synchronize(device)  # makes sure that a context stands
    driver, module, function = _driver(), ctypes.c_void_p(), ctypes.c_void_p()
    _expect(driver.cuModuleLoadData(ctypes.byref(module), cubin), "loading recur.cu")
    _expect(driver.cuModuleGetFunction(ctypes.byref(function), module, b"recur"), "finding its kernel")
    _expect(driver.cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes), "shared memory")
    return function


@cache
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


Argument = Tensor | int | ctypes.c_int


def _launch(
    function: Any,
    blocks: int,
    threads: int,
    shared_bytes: int,
    arguments: Sequence[Argument],
) -> None:
    """Tensors go as pointers, integers as 64-bit ones."""
    values: list[Any] = []
    for argument in arguments:
        if isinstance(argument, Tensor):
            values.append(ctypes.c_void_p(argument.data_ptr()))
        else:
            values.append(ctypes.c_longlong(argument) if isinstance(argument, int) else argument)
    places = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    status = _driver().cuLaunchKernel(
        function, blocks, 1, 1, threads, 1, 1, shared_bytes, stream, places, None
    )
    _expect(status, "launching recur.cu")


class _Attribute(ctypes.Structure):
    """CUlaunchAttribute."""

    _fields_ = (("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16))


class _Config(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared_bytes", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(_Attribute)),
        ("count", ctypes.c_uint),
    )


def most_clusters(function: Any, s: Spread) -> int:
    """Clusters that the GPU runs at the same time; 0 if the driver does not say."""
    attribute = _Attribute(CLUSTER_DIMENSION, 0, (ctypes.c_uint * 16)(s.size, 1, 1))
    config = _Config((s.size, 1, 1), (s.threads, 1, 1), s.shared_bytes, None, ctypes.pointer(attribute), 1)
    found = ctypes.c_int()
    status = _driver().cuOccupancyMaxActiveClusters(ctypes.byref(found), function, ctypes.byref(config))
    return 0 if status else found.value


def _expect(status: int, doing: str) -> None:
    if status:
        raise RuntimeError(f"{doing} failed with CUDA status {status}")
