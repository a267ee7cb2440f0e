"""dfst plot"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from dfst.cli.arguments import Option, OutFile
from dfst.cli.output import answer, check_place, complain


@dataclass(frozen=True)
class Plot:
    """Draw learning curves: training loss and RLG against iterations.

    All seeds of a run, or several runs side by side, as in the paper's appendix.

    Examples:
      dfst plot runs/add2-long
      dfst plot runs/add2-3-digits runs/add2-5-digits -o lengths.pdf
      dfst plot runs/add2-100k runs/add2-500k runs/mult2-1m runs/mult2-3m

    The report of a run shows its matrices and their spectral radii. A machine as a graph: dfst play draws it,
    and dfst convert writes it for Graphviz (.dot).
    """

    of: Annotated[tuple[str, ...], Option("RUN [RUN …]", place=True)] = ()
    """Run folders."""
    out: OutFile = None
    """The file to write, .png, .svg or .pdf; by default curves.png."""

    def execute(self) -> int:
        from dfst.viewer.plots import check_figure_name, figure, save_figure

        out = self.out or Path("curves.png")
        check_place(out)
        check_figure_name(out)
        save_figure(figure(self.of, complain), out)
        answer(str(out))
        return 0
