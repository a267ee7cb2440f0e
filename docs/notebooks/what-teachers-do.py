# %% [markdown]
# # Why exactness fails, and how a teacher fixes it
#
# What can be learnt is decided by the lesson, before any training: do the traces leave the learner
# another choice? Here are five sums, and what they show of the adder that works them.

# %%
import dfst

sums = ["0+0", "0+1", "1+0", "1+1", "10+10"]
few = dfst.learn("add2", inputs=sums, digits=[10])
print(few.lesson.sentence())

# %% [markdown]
# One rule was never shown: what to do with a carry that meets a one. The model explains all that it saw,
# and it errs where that rule is needed:

# %%
assert not few.exact
print(few.statement)

# %% [markdown]
# One more sum shows it. In `11+1` a carry passes a one:

# %%
mended = dfst.learn("add2", inputs=[*sums, "11+1"], digits=[10])
print(mended.lesson.sentence())

# %% [markdown]
# Every rule is shown now, and still another machine explains the six sums. The report says where it errs,
# whether the examples were thin there, and which input would show it:

# %%
print(mended.statement)
for warning in mended.warnings:
    print("-", warning)

# %% [markdown]
# So a seventh sum is enough:

# %%
taught = dfst.learn("add2", inputs=[*sums, "11+1", "0+00"], digits=[10])
assert taught.exact
print(taught.statement)
