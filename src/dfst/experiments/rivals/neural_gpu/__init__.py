"""The Neural GPU (Kaiser & Sutskever 2016; Price et al. 2016): it learns from questions and answers alone.

data.py         questions and answers as rows of cells, and the published training sets
model.py        the network: convolutional gated recurrent units on a small image
curriculum.py   which lengths a model sees, and what changes when it masters one
learner.py      one seed under the protocol of the comparison, and a trained model as a subject
"""
