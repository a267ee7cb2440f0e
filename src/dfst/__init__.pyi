"""What `import dfst` offers: `__init__.py` finds each name where this says; type checkers read it, too."""

from dfst.api import compile as compile
from dfst.api import dataset as dataset
from dfst.api import evaluate as evaluate
from dfst.api import extract as extract
from dfst.api import learn as learn
from dfst.api import load as load
from dfst.api import plot as plot
from dfst.api import polish as polish
from dfst.api import problem as problem
from dfst.api import prove as prove
from dfst.api import read as read
from dfst.api import recurrence as recurrence
from dfst.api import teachability as teachability
from dfst.errors import DfstError as DfstError
from dfst.errors import InputError as InputError
from dfst.experts.registry import expert as expert
from dfst.machines.agent import Agent as Agent
from dfst.machines.rulebook import RuleBook as RuleBook
from dfst.machines.teacher import teacher as teacher
from dfst.model.weights import Weights as Weights
from dfst.problems.problem import Problem as Problem
from dfst.world.check import check_unit as check_unit
from dfst.world.grid import Limits as Limits
from dfst.world.run import Run as Run
from dfst.world.trace import Trace as Trace
from dfst.world.unit import ControlUnit as ControlUnit

__version__: str
