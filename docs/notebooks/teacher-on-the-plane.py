# %% [markdown]
# # A teacher on the plane
#
# The pen moves in four directions. This function turns every x of a board into an o and every o into an x,
# one row to the right, the next to the left.

# %%
import dfst


@dfst.teacher("xo", blank=" ")
def negative(pen):
    while pen.read() != " ":
        swap_row(pen, "R")
        pen.move("D")
        pen.read()
        pen.move("L")
        if pen.read() == " ":
            return
        swap_row(pen, "L")
        pen.move("D")
        pen.read()
        pen.move("R")


def swap_row(pen, way):
    while (symbol := pen.read()) != " ":
        pen.write("o" if symbol == "x" else "x")
        pen.move(way)


print(negative.run("xxo\nxoo"))

# %% [markdown]
# It has finitely many states, so it is a machine, and learnt as one, from boards that you give:

# %%
boards = ["", "x", "o", "xo", "ox", "xxo", "x\no", "xo\nox", "oox\nxxo\noxo", "xx\noo\nxo\nox"]
learnt = dfst.learn(negative, inputs=boards)
print(learnt.statement)

# %%
learnt.weights.run("xoxox\nooxxo\nxxxxx\noxoxo")
