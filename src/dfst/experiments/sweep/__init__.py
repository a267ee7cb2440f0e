"""Sweeps: seeds × tasks × recipes × learners, on the cores of one machine or on a Ray cluster.

    sweep → trials → jobs → pool → work → results.jsonl

Each trial is an ordinary run folder; results stream into one table; whatever dies costs at most the work
since the last checkpoint.
"""
