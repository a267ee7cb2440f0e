"""One protocol for every learner: the same traces, the same evaluation, one record each."""
