"""CUDA files beside this one, compiled when a shape is known, and run.

NVRTC, which every GPU build of torch carries, makes machine code; the driver loads and launches it on
torch's stream. Nothing here needs a compiler on the machine.
"""

import ctypes
import importlib.util
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

MAX_DYNAMIC_SHARED_SIZE_BYTES = 8  # the driver's number for this attribute of a kernel
SHARED_BYTES = 227 * 1024  # shared memory that one block may have on Hopper
RESERVED_BYTES = 1024  # what the system takes of it for each block; a processor has `SHARED_BYTES` and this
MAX_THREADS, THREADS = 1024, 2048  # threads of a block and of a processor, at most
HEADER = "cluster.cuh"  # what every file here may include


@cache
def nvrtc() -> ctypes.CDLL | None:
    """The compiler, from the system or from a package of NVIDIA's; None where there is none."""
    name = f"libnvrtc.so.{(torch.version.cuda or '').split('.')[0]}"
    spec = importlib.util.find_spec("nvidia")
    roots = (spec.submodule_search_locations or []) if spec else []
    packaged = [path for root in roots for path in sorted(Path(root).glob(f"*/lib/{name}"))]
    for place in (name, *packaged, "libnvrtc.so"):
        with suppress(OSError):
            return ctypes.CDLL(str(place))
    return None


def runs_on(device: torch.device, least: int) -> bool:
    """Whether files are compiled and run there: on a GPU of at least this generation."""
    return (
        device.type == "cuda"
        and torch.cuda.is_available()
        and torch.cuda.get_device_capability(device)[0] >= least
        and nvrtc() is not None
    )


def compile_cubin(file: str, options: Sequence[str], library: ctypes.CDLL) -> bytes:
    """A file of this folder as machine code."""
    source, header = (Path(__file__).with_name(name).read_bytes() for name in (file, HEADER))
    program, headers, names = ctypes.c_void_p(), ctypes.c_char_p(header), ctypes.c_char_p(HEADER.encode())
    created = library.nvrtcCreateProgram(
        ctypes.byref(program), source, file.encode(), 1, ctypes.byref(headers), ctypes.byref(names)
    )
    _expect(created, "NVRTC")
    flags = [b"--std=c++17", b"--device-as-default-execution-space", *(option.encode() for option in options)]
    status = library.nvrtcCompileProgram(program, len(flags), (ctypes.c_char_p * len(flags))(*flags))
    size = ctypes.c_size_t()
    if status:
        library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        library.nvrtcGetProgramLog(program, log)
        raise RuntimeError(f"{file} does not compile with {' '.join(options)}:\n{log.value.decode()}")
    _expect(library.nvrtcGetCUBINSize(program, ctypes.byref(size)), "NVRTC")
    cubin = ctypes.create_string_buffer(size.value)
    _expect(library.nvrtcGetCUBIN(program, cubin), "NVRTC")
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return cubin.raw


def kernel(name: str, macros: Mapping[str, object], device: torch.device, shared_bytes: int) -> Any:
    """The kernel of this name and file, with the numbers that it leaves open, loaded on a device."""
    options = tuple(f"-DDFST_{macro}={value}" for macro, value in macros.items())
    index = torch.cuda.current_device() if device.index is None else device.index
    return _kernel(name, options, index, shared_bytes)


@cache
def _kernel(name: str, options: tuple[str, ...], device: int, shared_bytes: int) -> ctypes.c_void_p:
    library = nvrtc()
    assert library is not None
    major, minor = torch.cuda.get_device_capability(device)
    cubin = compile_cubin(f"{name}.cu", (f"--gpu-architecture=sm_{major}{minor}", *options), library)
    torch.cuda.synchronize(device)  # makes sure that a context stands
    driver, module, function = _driver(), ctypes.c_void_p(), ctypes.c_void_p()
    _expect(driver.cuModuleLoadData(ctypes.byref(module), cubin), f"loading {name}.cu")
    _expect(driver.cuModuleGetFunction(ctypes.byref(function), module, name.encode()), "finding its kernel")
    _expect(driver.cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes), "shared memory")
    return function


@cache
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def launch(function: Any, blocks: int, threads: int, shared_bytes: int, arguments: Sequence[Any]) -> None:
    """Tensors go as pointers, integers as 64-bit ones, numbers of ctypes as they are."""
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
    _expect(status, "launching a kernel")


def at_once(device: torch.device, size: int, threads: int, shared_bytes: int) -> int:
    """About how many clusters of `size` blocks run at the same time: as many as memory and threads allow."""
    room = (SHARED_BYTES + RESERVED_BYTES) // (shared_bytes + RESERVED_BYTES)
    processors = torch.cuda.get_device_properties(device).multi_processor_count
    return processors * min(room, THREADS // threads) // size


def _expect(status: int, doing: str) -> None:
    if status:
        raise RuntimeError(f"{doing} failed with CUDA status {status}")
