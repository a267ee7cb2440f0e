# %% [markdown]
# # Looking inside a DFST
#
# A DFST is four tensors. For each symbol x there is one matrix A[x] that moves the hidden state on, and
# two that read off what to write and where to go. There is no nonlinearity but the choice of the largest
# score.

# %%
import numpy as np

import dfst

model = dfst.load("add2")
print("symbols", model.alphabet, "motions", model.motions)
print("A", model.A.shape, "B", model.B.shape, "C", model.C.shape, "h0", model.h0.shape)

# %% [markdown]
# A run by hand, two lines a step. Beside it, how many different hidden states there were:

# %%
trace = dfst.expert("add2").trace("110111+1011")
h, seen = model.h0, set()
for x in trace.x:
    seen.add(h.tobytes())
    h = model.A[x] @ h
print(len(trace), "steps,", len(seen), "hidden states")

# %% [markdown]
# The hidden states repeat to the bit, so the model *is* a machine, which can be taken out. That no input
# leads to other states is for the proof to say.

# %%
machine = dfst.extract(model)
print(machine.source)
print(len(machine.states), "states;", machine.rule_count, "rules")

# %%
print(dfst.prove(model).sentence())

# %% [markdown]
# The largest eigenvalue of each matrix has size 1: nothing grows, and what has to be remembered does not
# fade.

# %%
for symbol, A in zip(model.alphabet, model.A, strict=True):
    print(symbol, np.abs(np.linalg.eigvals(A)).max().round(6))
