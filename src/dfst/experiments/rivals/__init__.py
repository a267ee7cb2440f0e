"""Rivals of the DFST: other networks, state merging and spectral learning, on the same traces.

A learner is a function `train(Assignment) → Trained` in a file of its own; `registry` knows them by name.
"""
