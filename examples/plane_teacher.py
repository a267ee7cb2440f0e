"""A teacher on the plane: turns every x of a board into an o and every o into an x, row by row. Try

dfst run examples/plane_teacher.py:negative $'xxo\\nxoo'
dfst learn examples/plane_teacher.py:negative --inputs '' x o xo ox xxo $'x\\no' $'xo\\nox' $'oox\\nxxo\\noxo'
"""

import dfst


@dfst.teacher("xo", blank=" ")
def negative(pen):
    while pen.read() != " ":  # a row to the right
        swap_row(pen, "R")
        pen.move("D")
        pen.read()
        pen.move("L")
        if pen.read() == " ":
            return
        swap_row(pen, "L")  # and the next to the left
        pen.move("D")
        pen.read()
        pen.move("R")


def swap_row(pen, way):
    while (symbol := pen.read()) != " ":
        pen.write("o" if symbol == "x" else "x")
        pen.move(way)
