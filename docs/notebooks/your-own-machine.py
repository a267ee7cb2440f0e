# %% [markdown]
# # Your own algorithm
#
# A Python function that is given a pen can be a teacher. Its variables are its hidden state, which the
# learner never sees.

# %%
import dfst


@dfst.teacher("01", blank=" ")
def increment(pen):
    while pen.read() != " ":
        pen.move("R")
    pen.move("L")
    while pen.read() == "1":
        pen.write("0")
        pen.move("L")
    pen.write("1")


increment.run("1011").answer

# %% [markdown]
# It is asked about short inputs that match the regular expression, and the model is judged on others, up
# to ten times as long.

# %%
learnt = dfst.learn(increment, language="[01]+")
print(learnt.statement)

# %% [markdown]
# The learnt model, at work:

# %%
learnt.weights.run("1011")

# %%
learnt.weights.run("1" * 200).answer == "1" + "0" * 200
