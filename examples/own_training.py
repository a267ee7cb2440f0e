"""A training loop of your own, in PyTorch: a Huber loss and AdamW, then the polish and the prover.

    python examples/own_training.py

The training set, the module and whatever comes after the training are the package's; the loop is yours.
"""

from __future__ import annotations

import torch
from torch.nn.functional import one_hot, smooth_l1_loss
from torch.nn.utils.rnn import pad_sequence

import dfst
from dfst.model.dfst import DFST


def train(task: str = "add2", steps: int = 6000, rate: float = 3e-3) -> dfst.Weights:
    """A model that was fitted to the traces of a task, not polished."""
    traces = dfst.dataset(task)
    columns = [[torch.tensor(getattr(traces[i], name)).long() for i in range(len(traces))] for name in "xsm"]
    x, s, m = (pad_sequence(column, batch_first=True) for column in columns)
    inside = torch.arange(x.shape[1]) < torch.tensor(traces.lengths)[:, None]
    like = dfst.compile(task)  # for its symbols and motions; the numbers are replaced
    model = DFST(like.shape)
    optimiser = torch.optim.AdamW(model.parameters(), rate, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    wanted = torch.cat([one_hot(s, model.shape.symbols), one_hot(m, model.shape.motions)], 2).float()
    for _ in range(steps):
        optimiser.zero_grad()
        loss = smooth_l1_loss(torch.cat(model(x), 2)[inside], wanted[inside])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimiser.step()
        schedule.step()
    return model.to_weights(like)


if __name__ == "__main__":
    polished = dfst.polish(train(), dfst.dataset("add2"))
    print(dfst.prove(polished).sentence())
