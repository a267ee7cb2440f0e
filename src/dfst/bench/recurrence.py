"""`dfst.recurrence` beside other ways to run a recurrence over a batch, by hidden size and length.

    loop    the same in torch, one step of all sequences at a time; timed over at most `LOOP_STEPS` steps and
            multiplied, since each takes as long as the next
    LSTM    torch.nn.LSTM of the same hidden size (cuDNN's on a GPU): what people would use instead

All in float32 on the same sequences, in turns; on a CPU in one thread.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn

from dfst.bench.timing import Row, milliseconds, torch_threads
from dfst.kernels.operator import recurrence

SYMBOLS, SEQUENCES = 12, 32
LOOP_STEPS = 64
REPEATS = 3
Way = Callable[[], object]


def measure(case: str, device: str, train: bool) -> Row:
    """Time a case `d T`, forward alone or with the way back: ours, and how many times as long others take."""
    d, T = map(int, case.split())
    with torch_threads(1):
        ours, loop, lstm = milliseconds([(way, 1) for way in ways(d, T, device, train)], REPEATS, device)
    over = {"loop over ours": loop * T / min(T, LOOP_STEPS) / ours, "LSTM over ours": lstm / ours}
    return {"d": d, "T": T, "ours": ours, **over}


forward_cpu, train_cpu = (partial(measure, device="cpu", train=train) for train in (False, True))
forward_cuda, train_cuda = (partial(measure, device="cuda", train=train) for train in (False, True))


def ways(d: int, T: int, device: str, train: bool) -> list[Way]:
    """What to call: ours, the loop over its first steps, the LSTM."""
    make = torch.Generator().manual_seed(0)
    x = torch.randint(0, SYMBOLS, (SEQUENCES, T), generator=make).to(device)
    # orthogonal matrices keep h at its length
    A = torch.linalg.qr(torch.randn(SYMBOLS, d, d, generator=make))[0].contiguous()
    A, h0 = (each.to(device).requires_grad_(train) for each in (A, torch.randn(d, generator=make)))
    lstm = nn.LSTM(SYMBOLS, d, batch_first=True).to(device).requires_grad_(train)
    seen = nn.functional.one_hot(x, SYMBOLS).float()

    def way(states: Callable[[], Tensor]) -> Way:
        return (lambda: states().square().mean().backward()) if train else states

    return [
        way(lambda: recurrence(A, x, h0)),  # type: ignore[arg-type,return-value]
        way(lambda: loop(A, x[:, :LOOP_STEPS], h0)),
        way(lambda: lstm(seen)[0]),
    ]


def loop(A: Tensor, x: Tensor, h0: Tensor) -> Tensor:
    """As anyone would write it."""
    h = [h0.expand(len(x), -1)]
    for symbols in x.unbind(1):
        h.append(torch.bmm(A[symbols], h[-1][..., None])[..., 0])
    return torch.stack(h, 1)
