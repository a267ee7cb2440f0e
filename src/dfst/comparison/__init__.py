"""One protocol for every learner: train on the same traces, measure by the one evaluation, keep the record."""
