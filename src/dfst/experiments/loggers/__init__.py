"""Loggers: where else the course of a training goes, besides the JSON lines that every run folder keeps."""

from dfst.experiments.loggers.logger import LOGGERS, LoggedRun, Logger, check_loggers, open_loggers
from dfst.experiments.loggers.narrator import LoggingNarrator

__all__ = ["LOGGERS", "LoggedRun", "Logger", "LoggingNarrator", "check_loggers", "open_loggers"]
