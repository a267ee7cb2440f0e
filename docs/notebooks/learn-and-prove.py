# %% [markdown]
# # Learn binary addition, and prove it
#
# A teacher works sums on squared paper. A learner sees only what was read, what was written and how the
# hand moved. From twenty such examples it becomes an adder that is right on every sum, and that is
# proved.

# %%
import dfst

teacher = dfst.expert("add2")
teacher.run("11+1")

# %% [markdown]
# This is all that the learner is shown of one example: no state, no rule, no carry.

# %%
print("\n".join(teacher.trace("1+1").lines()))

# %% [markdown]
# Twenty examples of at most three digits, gradient descent, a minute or less on two cores:

# %%
learnt = dfst.learn("add2", digits=[100])
print(learnt.statement)

# %% [markdown]
# A test can only say that nothing went wrong yet. The proof is about all inputs, of any length:

# %%
print(dfst.prove(learnt.weights).sentence())

# %%
learnt.weights.run("1" * 1000 + "+1").answer == "1" + "0" * 1000
