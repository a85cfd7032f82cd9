"""What is said of notebooks that are cut off or have in a string what JSON does not allow."""

from __future__ import annotations

import pytest

from rocmlint.notebook.read import NotebookError, read

BEFORE = b'{"cells": [{"cell_type": "code", "source": "import torch'


@pytest.mark.parametrize(
    ("behind", "reason"),
    [
        pytest.param(b"", "the file ends in the middle of a string", id="cut off"),
        pytest.param(b"\n", "the file ends in the middle of a string", id="a last line break"),
        pytest.param(b'"}', "the file ends too early", id="cut off behind a value"),
        pytest.param(b'"}]\n\n', "the file ends too early", id="cut off before the end"),
        pytest.param(b'\n"}]}', "a line break in a string", id="a line break"),
        pytest.param(b'\t"}]}', "a tab in a string", id="a tab"),
        pytest.param(b'\x00"}]}', "the character U+0000 in a string", id="a control character"),
        pytest.param(b'\\synchronize"}]}', "Invalid \\escape", id="an unknown escape"),
    ],
)
def test_the_reason_is_a_sentence_that_needs_no_place_behind_it(behind: bytes, reason: str) -> None:
    with pytest.raises(NotebookError) as caught:
        read(BEFORE + behind)
    assert str(caught.value).removeprefix("is not valid JSON: ") == reason


def test_the_place_is_that_of_the_character_in_the_string() -> None:
    with pytest.raises(NotebookError) as caught:
        read(b'{"cells": [\n{"source": "a\tb"}]}')
    assert (caught.value.line, caught.value.column) == (2, 14)
