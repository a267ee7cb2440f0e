"""Tables that fit the terminal and never cut a figure or a name.

Headings are broken at spaces, columns of prose are wrapped, columns that can be spared are left out. Where
that is not enough, each row becomes a list of its own.
"""

import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product, zip_longest

from dfst.cli.output import wrapped

GAPS = "  ", " "  # between columns; the second where the first takes too much room


def draw(
    rows: Sequence[Mapping[str, str]],
    title: str = "",
    note: str = "",
    *,
    left: int = 1,
    prose: Collection[str] = (),
    spare: Sequence[str] = (),
    width: int | None = None,
) -> str:
    """Rows of heading → cell as text, at most `width` wide (by default the terminal's).

    left: how many columns hold words; the others, except `prose`, hold figures and are set flush right
    spare: headings of columns that may be left out, the first first
    """
    width = width or shutil.get_terminal_size().columns
    lines = _wrap(title, width)
    for gap, dropped in product(GAPS, range(len(spare) + 1)):
        headings = [heading for heading in rows[0] if heading not in spare[:dropped]] if rows else []
        widths = _widths(rows, headings, prose, width - len(gap) * (len(headings) - 1))
        if widths is not None:
            lines += _grid(rows, widths, {*headings[:left], *prose}, gap)
            break
    else:
        lines += _lists(rows, width)
    return "\n".join([line.rstrip() for line in lines] + _wrap(note, width))


def _widths(
    rows: Sequence[Mapping[str, str]], headings: Sequence[str], prose: Collection[str], width: int
) -> dict[str, int] | None:
    """Heading → width of its column; None where there is not room for all."""
    least, most = {}, {}
    for heading in headings:
        cells = [row[heading] for row in rows]
        pieces = [piece for cell in cells for piece in _pieces(cell)] if heading in prose else cells
        least[heading] = max(map(len, heading.split() + pieces))
        most[heading] = max(map(len, [heading, *cells]))
    room = width - sum(least.values())
    if room < 0:
        return None
    # Prose comes first, each column of it by its need; what is left keeps headings in one line.
    for group in ([h for h in headings if h in prose], [h for h in headings if h not in prose]):
        for i, heading in enumerate(group):
            wanted = [most[other] - least[other] for other in group[i:]]
            more = wanted[0] * min(room, sum(wanted)) // max(1, sum(wanted))
            least[heading] += more
            room -= more
    return least


def _grid(
    rows: Sequence[Mapping[str, str]], widths: Mapping[str, int], words: Collection[str], gap: str
) -> Iterator[str]:
    def line(cells: Sequence[str]) -> str:
        placed = [
            cell.ljust(size) if heading in words else cell.rjust(size)
            for cell, (heading, size) in zip(cells, widths.items(), strict=True)
        ]
        return gap.join(placed).rstrip()

    def wrapped(cells: Sequence[str]) -> Iterator[str]:
        pieces = [_wrap(cell, size) for cell, size in zip(cells, widths.values(), strict=True)]
        return (line(several) for several in zip_longest(*pieces, fillvalue=""))

    yield from wrapped(list(widths))
    yield gap.join("─" * size for size in widths.values())
    for row in rows:
        yield from wrapped([row[heading] for heading in widths])


def _lists(rows: Sequence[Mapping[str, str]], width: int) -> Iterator[str]:
    """A line for each cell, an empty line between rows."""
    for number, row in enumerate(rows):
        if number:
            yield ""
        size = max(map(len, row))
        for heading, cell in row.items():
            yield from _wrap(f"{heading.ljust(size)}{GAPS[0]}{cell}", width, " " * (size + len(GAPS[0])))


def _wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Lines broken at spaces alone; the text's own indent is kept."""
    lead = " " * (len(text) - len(text.lstrip()))
    return wrapped(text, indent or lead, width)


def _pieces(text: str) -> list[str]:
    """What must stay whole when a text is wrapped: its words, as far in as it is."""
    lead = " " * (len(text) - len(text.lstrip()))
    return [lead + word for word in text.split()]
