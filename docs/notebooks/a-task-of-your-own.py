# %% [markdown]
# # A task of your own
#
# A task says which inputs there are and what Python answers. Here: how many a's a word has, modulo 3.

# %%
import dfst
from dfst.tasks.words import word_task
from dfst.world.grid import BLANK, R

task = word_task(
    "thirds",
    "the number of a's, modulo 3",
    letters="ab",
    answer=lambda word: str(word.count("a") % 3),
    example="abba",
    others="012",
)

# %% [markdown]
# The rule book is the expert that works the examples: it wipes the word and counts.

# %%
rules = dfst.RuleBook(task.alphabet)
for n in range(3):
    rules.on(str(n), "a", R, write=BLANK, to=str((n + 1) % 3))
    rules.on(str(n), "b", R, write=BLANK)
    rules.halt(str(n), BLANK, write=str(n))
thirds = rules.agent("thirds", task)
thirds.run("abba").answer

# %% [markdown]
# That is all: inputs are drawn, and the model is measured at any length and proved.

# %%
learnt = dfst.learn(thirds)
print(learnt.statement)

# %%
learnt.weights.run("abaab" * 20).answer
