"""A kernel generated for one machine: a label for each state, a jump for each step, no table.

The interpreter waits for each rule to be loaded before it knows where to look next. Here the rules are
the code: a state is a function that looks at the cell, branches on the symbol, writes, moves and jumps
(a guaranteed tail call) to the next state's function. The processor predicts those branches and runs
ahead of its own loads. Numba has no labels to jump to, so the text of the functions is written in LLVM's
assembly language and compiled by llvmlite, which numba brings along. The optimiser's first level is worth
its time (a third faster, twice as long to compile); the second hardly ever is.

What a state's function is handed, and hands on:
    %cells, %links      the arrays of `tiles.TiledGrid`
    %progress           (4,) int64, filled in on the way out: state, position, steps left, symbol that halted
    %at, %left          the head's position, the steps left of the budget

A kernel stops where the interpreter would, with the same word for why. Moves over an edge that has not
been crossed before are left to the interpreter, which makes the tile: `walk_generated` goes between the two.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import llvmlite.binding as llvm
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from dfst.agents.interpreter import HALTED, NEEDS_TILE, NO_RULE, RUNNING, walk
from dfst.agents.table import HALT, MISSING, Table
from dfst.world.grid import S
from dfst.world.tiles import AREA_BITS, EDGE_AT, EDGE_MASK, LOCAL, STRIDE, WRAP

OPTIMISER_LEVEL = 1
KEPT_KERNELS = 32
"""Machines whose kernels stay compiled."""

_HANDED_ON = "ptr %cells, ptr %links, ptr %progress"

_STATE = """
define internal i64 @state_{state}({handed_on}, i64 %at, i64 %left) #0 {{
enter:
  %spent = icmp eq i64 %left, 0
  br i1 %spent, label %stop, label %look, !prof !0
look:
  %cell = getelementptr i8, ptr %cells, i64 %at
  %read = load i8, ptr %cell
  switch i8 %read, label %never [ {cases} ]
{rules}
stop:
  %why = phi i64 {stops}
  store i64 {state}, ptr %progress
  %where = getelementptr i64, ptr %progress, i64 1
  store i64 %at, ptr %where
  %when = getelementptr i64, ptr %progress, i64 2
  store i64 %left, ptr %when
  ret i64 %why
never:
  unreachable
}}
"""

_MOVE = """on{k}:
  %inside{k} = add i64 %at, {stride}
  %side{k} = and i64 %at, {edge_mask}
  %edge{k} = icmp eq i64 %side{k}, {edge_at}
  br i1 %edge{k}, label %over{k}, label %go{k}, !prof !0
over{k}:
  %tile{k} = lshr i64 %at, {area_bits}
  %slot{k} = getelementptr [4 x i32], ptr %links, i64 %tile{k}, i64 {motion}
  %link{k} = load i32, ptr %slot{k}
  %unlinked{k} = icmp slt i32 %link{k}, 0
  br i1 %unlinked{k}, label %stop, label %linked{k}, !prof !0
linked{k}:
  %neighbour{k} = zext i32 %link{k} to i64
  %base{k} = shl i64 %neighbour{k}, {area_bits}
  %local{k} = and i64 %at, {local}
  %there{k} = or i64 %base{k}, %local{k}
  %outside{k} = add i64 %there{k}, {wrap}
  br label %go{k}
go{k}:
  %to{k} = phi i64 [%inside{k}, %on{k}], [%outside{k}, %linked{k}]"""

_STAY = """on{k}:
  %to{k} = add i64 %at, 0"""

_WRITE = "  store i8 {write}, ptr %cell"

_NEXT = """  %left{k} = sub i64 %left, 1
  %why{k} = musttail call i64 @state_{next}({handed_on}, i64 %to{k}, i64 %left{k})
  ret i64 %why{k}"""

_HALT = """  %left{k} = sub i64 %left, 1
  store i64 {state}, ptr %progress
  %where{k} = getelementptr i64, ptr %progress, i64 1
  store i64 %to{k}, ptr %where{k}
  %when{k} = getelementptr i64, ptr %progress, i64 2
  store i64 %left{k}, ptr %when{k}
  %what{k} = getelementptr i64, ptr %progress, i64 3
  %symbol{k} = zext i8 %read to i64
  store i64 %symbol{k}, ptr %what{k}
  ret i64 {halted}"""

_START = """start{state}:
  %why{state} = call i64 @state_{state}({handed_on}, i64 %at, i64 %budget)
  br label %stop"""

# No jump tables: then the code refers to nothing but itself, and every jump can be short and direct
# wherever it is loaded.
_ENTRY = """
define i64 @walk({handed_on}, i64 %budget) #0 {{
enter:
  %state = load i64, ptr %progress
  %where = getelementptr i64, ptr %progress, i64 1
  %at = load i64, ptr %where
  %when = getelementptr i64, ptr %progress, i64 2
  %before = load i64, ptr %when
  switch i64 %state, label %never [ {cases} ]
{starts}
stop:
  %why = phi i64 {stops}
  %left = load i64, ptr %when
  %taken = sub i64 %budget, %left
  %after = add i64 %before, %taken
  store i64 %after, ptr %when
  ret i64 %why
never:
  unreachable
}}
attributes #0 = {{ nounwind "no-jump-tables"="true" }}
!0 = !{{!"branch_weights", i32 1, i32 1000}}
"""


def assembly(table: Table) -> str:
    """The machine as a program in LLVM's assembly language."""
    states = range(len(table.states))
    entry = _ENTRY.format(
        handed_on=_HANDED_ON,
        cases=" ".join(f"i64 {q}, label %start{q}" for q in states),
        starts="\n".join(_START.format(state=q, handed_on=_HANDED_ON) for q in states),
        stops=", ".join(f"[%why{q}, %start{q}]" for q in states),
    )
    return "".join([*(_state(table, q) for q in states), entry])


def _state(table: Table, state: int) -> str:
    """One state's function; symbols with the same rule, such as `keep it, go right`, share its code."""
    labels: dict[tuple[int | None, int, int], str] = {}
    cases: list[tuple[int, str]] = []
    rules: list[str] = []
    stops = [f"[{RUNNING}, %enter]"]
    for k in range(len(table.alphabet)):
        motion, write, following = (int(rules[state, k]) for rules in (table.motion, table.write, table.next))
        if following == MISSING:
            cases.append((k, "missing"))
            continue
        rule = (None if write == k else write, motion, following)
        if rule not in labels:
            labels[rule] = f"on{k}"
            rules += _rule(state, k, *rule)
            stops += [f"[{NEEDS_TILE}, %over{k}]"] if motion != S else []
        cases.append((k, labels[rule]))
    if any(label == "missing" for _, label in cases):
        rules += ["missing:", "  br label %stop"]
        stops += [f"[{NO_RULE}, %missing]"]
    return _STATE.format(
        state=state,
        handed_on=_HANDED_ON,
        cases=" ".join(f"i8 {k}, label %{label}" for k, label in cases),
        rules="\n".join(rules),
        stops=", ".join(stops),
    )


def _rule(state: int, k: int, write: int | None, motion: int, following: int) -> Iterator[str]:
    yield (_STAY if motion == S else _MOVE).format(
        k=k,
        motion=motion,
        stride=STRIDE[motion],
        wrap=WRAP[motion],
        edge_mask=EDGE_MASK[motion],
        edge_at=EDGE_AT[motion],
        local=LOCAL,
        area_bits=AREA_BITS,
    )
    if write is not None:
        yield _WRITE.format(write=write)
    if following == HALT:
        yield _HALT.format(k=k, state=state, halted=HALTED)
    else:
        yield _NEXT.format(k=k, next=following, handed_on=_HANDED_ON)


@dataclass(frozen=True)
class Kernel:
    """Machine code for one agent; it lives as long as this object."""

    address: int
    """Where the code starts: (cells, links, progress, budget) → why it stopped."""
    seconds: float
    """What generating and compiling it took."""
    engine: llvm.ExecutionEngine = field(repr=False)


@lru_cache(maxsize=KEPT_KERNELS)
def kernel_for(table: Table) -> Kernel:
    """The agent's kernel, compiled on first use."""
    began = time.perf_counter()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(assembly(table))
    module.verify()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(
        opt=2, cpu=llvm.get_host_cpu_name(), reloc="pic", codemodel="small", jit=True
    )
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(OPTIMISER_LEVEL))
    passes.getModulePassManager().run(module, passes)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return Kernel(engine.get_function_address("walk"), time.perf_counter() - began, engine)


@intrinsic
def _call(typingctx, address, cells, links, progress, budget):
    """Call the machine code at an address with three addresses and a number."""
    signature = types.int64(types.int64, types.uintp, types.uintp, types.uintp, types.int64)

    def codegen(context, builder, signature, arguments):
        word = context.get_value_type(types.int64)
        code = ir.FunctionType(word, [word] * 4).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], code), arguments[1:])

    return signature, codegen


@njit(cache=True, nogil=True)
def walk_generated(address, cells, links, corner, slots, count, rules, symbols, progress, budget, no_trail):
    """What `interpreter.walk` does without a trail, by the generated code at `address`."""
    end = progress[2] + budget
    while True:
        status = _call(  # type: ignore[call-arg, var-annotated]
            address, cells.ctypes.data, links.ctypes.data, progress.ctypes.data, end - progress[2]
        )
        if status != NEEDS_TILE:
            return status
        status = walk(cells, links, corner, slots, count, rules, symbols, progress, 1, no_trail)
        if status != RUNNING:
            return status
