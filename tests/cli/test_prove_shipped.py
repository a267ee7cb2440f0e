"""`dfst prove` of a model whose proof is not found again in seconds, but is shipped."""

import pytest


@pytest.mark.slow
@pytest.mark.parametrize(("up_to", "status"), [(499, 0), (500, 1)])
def test_what_descent_left_is_proved_as_far_as_its_shipped_proof_goes(dfst, up_to, status):
    done = dfst("prove", "add2.descent", "--up-to", up_to)
    assert done.status == status
    assert "does exactly what expert:add2 does on every input of up to 499 symbols" in done.out


@pytest.mark.slow
def test_a_run_that_is_called_like_a_shipped_model_has_no_shipped_proof(dfst, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    size = ("--hidden-size", 2, "--steps", 20_000, "--seeds", 2)
    dfst("learn", "parity", "--preset", "descent", "--device", "cpu", *size, "--out", "parity")
    done = dfst("prove", "parity")
    assert "bounded: parity does exactly what its expert does on every input of up to" in done.out
    assert "shipped" not in done.out
    assert not done.err
    assert done.status == 1
