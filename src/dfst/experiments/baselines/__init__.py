"""Baselines: other learners of the same traces, each a function `train(Assignment) → Trained`."""
