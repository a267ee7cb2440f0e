"""`dfst evaluate --inputs`: inputs that are given, with or without their answers."""

from __future__ import annotations

import gzip

import pytest

MAZES = "S.G\tSoG\nS#G\t?#G\nS./#G\tSo/#G\n"


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_of_boards_and_answers(dfst, tmp_path, packed):
    file = tmp_path / ("mazes.txt.gz" if packed else "mazes.txt")
    file.write_bytes(gzip.compress(MAZES.encode()) if packed else MAZES.encode())
    done = dfst("evaluate", "compiled:maze", "--inputs", file, "--json")
    assert done.status == 0
    assert (done.objects[0]["inputs"], done.objects[0]["failures"]) == (3, [])


def test_another_answer_is_a_failure(dfst, tmp_path):
    (tmp_path / "mazes.txt").write_text(MAZES.replace("SoG", "S.G"))
    done = dfst("evaluate", "compiled:maze", "--inputs", tmp_path / "mazes.txt", "--json")
    assert done.status == 1
    [failure] = done.objects[0]["failures"]
    assert (failure["input"], failure["reason"]) == ("S.G", "halted with another answer than was given")


def test_numbers_are_given_on_the_command_line(dfst):
    assert dfst("evaluate", "add10", "--inputs", "12+34", "999+1").status == 0


def test_what_is_no_input_is_refused_by_its_number(dfst):
    done = dfst("evaluate", "compiled:maze", "--inputs", "S.G", "G.")
    assert done.status == 2
    assert "input 2: maze: a maze has one S, found none" in done.err
    assert "leave out --digits" in dfst("evaluate", "add2", "--inputs", "1+1", "--digits", "3").err


def test_a_file_that_is_not_packed_is_refused(dfst, tmp_path):
    (tmp_path / "mazes.gz").write_text(MAZES)
    assert "cannot read" in dfst("evaluate", "compiled:maze", "--inputs", tmp_path / "mazes.gz").err
