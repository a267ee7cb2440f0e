"""Problems: where inputs and truth come from. Nothing outside this room asks which kind a problem is."""

from dfst.problems.find import agent_problem, as_problem, find_problem, problem_from_json
from dfst.problems.problem import Case, Problem, TestSet, TrainingData, TrainingSet

__all__ = [
    "Case",
    "Problem",
    "TestSet",
    "TrainingData",
    "TrainingSet",
    "agent_problem",
    "as_problem",
    "find_problem",
    "problem_from_json",
]
