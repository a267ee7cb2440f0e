"""Tools of a forger: proofs taken apart, changed, and given a digest that fits again."""

from __future__ import annotations

import copy

import numpy as np

from dfst.model.weights import to_bytes as weights_bytes
from dfst.proof.certificate import to_bytes
from dfst.proof.checker import check
from dfst.proof.floats import read_weights
from dfst.proof.reading import Work, array, digest
from dfst.proof.sides import packed


def at(proof, *keys):
    """An array of a proof, as a copy."""
    for key in keys:
        proof = proof[key]
    return array(proof, proof["dtype"], Work(1 << 20)).copy()


def put(proof, keys, array):
    """Replace an array of a proof."""
    for key in keys[:-1]:
        proof = proof[key]
    proof[keys[-1]] = packed(array)


def set_cell(keys, index, value):
    """A forgery: one number of one array becomes another."""

    def forge(proof):
        array = at(proof, *keys)
        array[index] = value
        put(proof, keys, array)

    return forge


def drop_row(key, index):
    """A forgery: one row of one array, named like weights.hidden, is missing."""

    def forge(proof):
        keys = key.split(".")
        put(proof, keys, np.delete(at(proof, *keys), index, axis=0))

    return forge


def forged(proof, forge=None, weights=None):
    """The bytes of a proof after `forge`; with `weights`, it says it is about these."""
    proof = copy.deepcopy(proof)
    if forge is not None:
        forge(proof)
    if weights is not None:
        proof["weights"]["sha256"] = read_weights(weights_bytes(weights)).sha256
    proof["digest"] = digest(proof)
    return to_bytes(proof)


def check_weights(proof, weights):
    """The checker on a proof that names these weights."""
    return check(forged(proof, weights=weights), weights_bytes(weights))
