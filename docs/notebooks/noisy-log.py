# %% [markdown]
# # A log with errors
#
# A turnstile opens after two coins and locks when somebody has pushed through. Its log has a twentieth of the
# actions wrong and a fifth of them missing (`?`); nobody wrote down how many coins it had counted.

# %%
import json
import random

import dfst


def turnstile(events):
    coins, done = 0, ""
    for event in events:
        coins = min(2, coins + 1) if event == "c" else 0 if coins == 2 else coins
        done += "u" if event == "c" and coins == 2 else "l"
    return done


rng = random.Random(0)
lines = [{"format": "dfst-traces/2", "name": "turnstile", "alphabet": [*"cplu", "λ"], "blank": "λ"}]
for _ in range(60):
    events = "".join(rng.choices("cp", k=rng.randint(4, 12)))
    wrote = ""
    for right in turnstile(events):
        chance = rng.random()
        wrote += ("u" if right == "l" else "l") if chance < 0.05 else "?" if chance > 0.8 else right
    lines.append({"read": events + "λ", "wrote": wrote + "λ", "moved": "R" * len(events) + "S"})
with open("noisy.jsonl", "w", encoding="utf-8") as file:
    file.writelines(json.dumps(line) + "\n" for line in lines)

# %% [markdown]
# Every action is judged by models that were not shown it; what they are sure is wrong is not learnt from.

# %%
learnt = dfst.learn("noisy.jsonl", allow_errors=True)
print(learnt.statement)

# %% [markdown]
# The steps that it disbelieves, and what it holds for right:

# %%
learnt.disbelieved[:5]

# %%
learnt.weights.run("ccpcpcc").answer == turnstile("ccpcpcc")
