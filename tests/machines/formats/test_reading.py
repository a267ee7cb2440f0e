"""Which format a text is in, and files that are no text."""

import pytest
from machine_texts import SEEDS

from dfst.errors import InputError
from dfst.machines.formats import FORMATS, MAX_BYTES, guess_format, looks_like_machine, read_machine


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("1RB1LB_1LA1RZ", "bbchallenge"),
        ("  1RB---_------\n", "bbchallenge"),
        ("{{{1,2,0},{0,8,0}}}", "turmite"),
        ("{ {{1,'N',0}}}", "turmite"),
        ('{"format": "dfst-machine/1"}', "json"),
        *(
            (text, format)
            for format in ("turingmachine.io", "morphett", "jflap")
            for text in SEEDS[format][:2]
        ),
    ],
)
def test_formats_are_told_by_their_text(text, format):
    assert guess_format(text) == format
    assert guess_format("anything", FORMATS[format].suffixes[-1].upper()) == format


@pytest.mark.parametrize(
    ("word", "is_machine"),
    [
        ("1RB1LB_1LA1RZ", True),
        ("1RB1LB_1LA1RX", True),
        ("{{{1,2,0},{0,8,0}}}", True),
        ("add10", False),
        ("expert:add10", False),
        ("bb5", False),
        ("1RB.json", False),
    ],
)
def test_words_on_the_command_line(word, is_machine):
    assert looks_like_machine(word) is is_machine


def test_files_that_are_too_long_or_no_text_are_refused(tmp_path):
    path = tmp_path / "machine.json"
    path.write_bytes(b" " * (MAX_BYTES + 1))
    with pytest.raises(InputError, match="at most 10,000,000 bytes"):
        read_machine(path)
    path.write_bytes(b'{"format": "\xff"}')
    with pytest.raises(InputError, match="expected UTF-8 text, found byte 0xff at 12"):
        read_machine(path)
