"""The DFST and its baselines: one protocol, many trainings at once."""
