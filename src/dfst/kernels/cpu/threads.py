"""Plain threads for compiled code that releases the interpreter lock, and a place where they meet.

numba's own parallel loops double the time to compile, and tie a process to a threading layer that does not
survive a fork.
"""

import threading
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core.extending import intrinsic

from dfst.compiling import inner

PATIENCE = 2000  # looks at the counter before a waiting thread offers its core to somebody else


def thread_count(threads: int | None, tasks: int) -> int:
    """How many threads to use: as many as asked for (all cores if None), at most one a task, at least one."""
    cores: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    return max(1, min(threads or cores, tasks))


def in_threads(work: Callable[[int], Any], threads: int) -> None:
    """Run work(0), …, work(threads - 1) at the same time; the first in this very thread."""
    others = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(1, threads)]
    for thread in others:
        thread.start()
    work(0)
    for thread in others:
        thread.join()


@intrinsic
def _add(typing, counter, amount):
    """Add to counter[0] for all threads to see; its value before."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.atomic_rmw("add", pointer, args[1], "seq_cst")

    return types.int64(counter, types.int64), codegen


@intrinsic
def _give_way(typing):
    """Let another thread have the core, where the platform knows how."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if llvm.address_of_symbol("sched_yield") is not None:
            kind = ir.FunctionType(ir.IntType(32), [])
            builder.call(numba.core.cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), codegen


@inner
def meet(counter, goal):
    """Wait until all threads have come.

    counter: (1,), 0 before the first meeting; goal: threads × number of meetings, this one included.
    """
    looks = 0
    arrived = _add(counter, 1) + 1  # type: ignore[call-arg]
    while arrived < goal:
        looks += 1
        if looks > PATIENCE:
            _give_way()
        arrived = _add(counter, 0)
