"""`dfst prove` of a model whose proof is not found again in seconds, but is shipped."""

import pytest


@pytest.mark.slow
@pytest.mark.parametrize(("up_to", "status"), [(499, 0), (500, 1)])
def test_what_descent_left_is_proved_as_far_as_its_shipped_proof_goes(dfst, up_to, status):
    done = dfst("prove", "add2.descent", "--up-to", up_to)
    assert done.status == status
    assert "does exactly what expert:add2 does on every input of up to 499 symbols" in done.out
