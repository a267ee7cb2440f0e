"""The sweep of `sweep.cu`: compiled for one shape by NVRTC, which every GPU build of torch carries, and launched.

Where it cannot run (older GPUs, float64, matrices too large for the shared memory of eight blocks) `choose`
answers None and the Triton sweep does the same work.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from dfst.errors import InputError
from dfst.model.weights import Shape

if TYPE_CHECKING:
    from dfst.model.recurrence.gpu import Recurrence, Tuning

GROUP = 128
"""Threads that work on one trace."""
BUFFERS = 3
ROWS_STEP = 16
"""A block's rows are a multiple of this."""
SHARED_BYTES = 227 * 1024
MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
"""The driver's number for this attribute of a kernel."""


@dataclass(frozen=True)
class Cluster:
    """How a shape is spread over blocks, and the compiled kernel."""

    size: int
    """Blocks that share one copy of the matrices"""
    traces: int
    """Traces a cluster works on at once"""
    shared_bytes: int
    function: Any

    def sweep(self, recurrence: Recurrence, theta: Tensor, chosen: Tensor) -> None:
        """As `gpu_kernels.sweep_kernel`, but with `size` partial losses a trace."""
        r, t = recurrence, recurrence.traces
        if theta.data_ptr() % 16:
            raise InputError(
                "the parameters must begin at a multiple of 16 bytes; pass a whole tensor, not a slice"
            )
        blocks = r.seeds * -(-r.batch // self.traces) * self.size
        pointers = [
            theta,
            t.x,
            t.s,
            t.m,
            t.start,
            chosen,
            r.alive,
            r.hidden,
            r.signal,
            r.slope0,
            r.partial_losses,
        ]
        _launch(self.function, blocks, GROUP * self.traces, self.shared_bytes, pointers, [r.batch, t.longest])


def spread(shape: Shape, traces: int) -> tuple[int, int, int] | None:
    """(blocks a cluster, rows of [A; B; C] a block, bytes of shared memory), the fewest blocks that do; or None."""
    height = shape.d + shape.symbols + shape.motions
    width = -(-shape.d // 4) * 4
    for size in (1, 2, 4, 8):
        rows = -(-height // (size * ROWS_STEP)) * ROWS_STEP
        weights = 4 * shape.symbols * rows * width
        a_trace = 4 * BUFFERS * (width + size * rows) + GROUP // 8 + 16 * BUFFERS
        fits = weights + traces * a_trace <= SHARED_BYTES
        # a block without an entry of h would wait for nothing and overrun the others
        if fits and rows <= GROUP and shape.d <= GROUP and shape.d > (size - 1) * rows:
            return size, rows, weights + traces * a_trace
    return None


def choose(
    shape: Shape, seeds: int, batch: int, dtype: torch.dtype, device: torch.device, tuning: Tuning
) -> Cluster | None:
    """The compiled sweep for a shape, or None where Triton must do it."""
    able = (
        device.type == "cuda"
        and dtype == torch.float32
        and torch.cuda.get_device_capability(device) >= (9, 0)
    )
    plain = spread(shape, 1)
    if tuning.sweep == "triton" or not able or plain is None or _nvrtc() is None:
        if tuning.sweep == "cluster":
            raise InputError(
                f"no cluster sweep for {shape} in {dtype} on {device}; choose `triton` or `auto`"
            )
        return None
    # the number of blocks must not depend on the traces a cluster takes: it decides how sums are rounded
    wanted = tuning.traces_a_cluster or _traces_a_cluster(plain[0], seeds * batch, device)
    traces = max(q for q in (1, 2, 4, 8) if q <= wanted and (spread(shape, q) or (0,))[0] == plain[0])
    size, rows, shared_bytes = spread(shape, traces) or plain
    height = shape.d + shape.symbols + shape.motions
    macros = {
        "SYMBOLS": shape.symbols, "MOVES": shape.motions, "DIM": shape.d, "C": size, "RC": rows, "Q": traces,
        "HS": -(-shape.d // 4) * 4, "US": -(-height // 4) * 4,
    }  # fmt: skip
    options = tuple(f"-DDFST_{name}={value}" for name, value in macros.items())
    function = _compiled(options, torch.device(device).index or torch.cuda.current_device(), shared_bytes)
    return Cluster(size, traces, shared_bytes, function)


def _traces_a_cluster(size: int, traces: int, device: torch.device) -> int:
    """So many that all clusters run at once."""
    blocks = torch.cuda.get_device_properties(device).multi_processor_count
    at_once = blocks // size if size > 1 else 4 * blocks
    return min(8, max(1, -(-traces // at_once)))


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
    """`sweep.cu` as machine code."""
    source = Path(__file__).with_name("sweep.cu").read_bytes()
    program = ctypes.c_void_p()
    _expect(library.nvrtcCreateProgram(ctypes.byref(program), source, b"sweep.cu", 0, None, None), "NVRTC")
    flags = [b"--std=c++17", *(option.encode() for option in options)]
    status = library.nvrtcCompileProgram(program, len(flags), (ctypes.c_char_p * len(flags))(*flags))
    size = ctypes.c_size_t()
    if status:
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        raise RuntimeError(f"sweep.cu does not compile with {' '.join(options)}:\n{log.value.decode()}")
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
    _expect(driver.cuModuleLoadData(ctypes.byref(module), cubin), "loading sweep.cu")
    _expect(driver.cuModuleGetFunction(ctypes.byref(function), module, b"sweep"), "finding the sweep")
    _expect(driver.cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes), "shared memory")
    return function


@cache
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _launch(
    function: Any,
    blocks: int,
    threads: int,
    shared_bytes: int,
    pointers: Sequence[Tensor],
    integers: Sequence[int],
) -> None:
    values: list[Any] = [ctypes.c_void_p(tensor.data_ptr()) for tensor in pointers]
    values += [ctypes.c_int(value) for value in integers]
    arguments = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    status = _driver().cuLaunchKernel(
        function, blocks, 1, 1, threads, 1, 1, shared_bytes, stream, arguments, None
    )
    _expect(status, "launching the sweep")


def _expect(status: int, doing: str) -> None:
    if status:
        raise RuntimeError(f"{doing} failed with CUDA status {status}")
