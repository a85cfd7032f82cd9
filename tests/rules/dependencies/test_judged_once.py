"""The rules on names judge each name once a file: first by its text, and then no more."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocmlint.config.settings import Settings
from rocmlint.lint.linter import Linter
from rocmlint.project import versions
from rocmlint.rules.dependencies._names import missing
from tests.support.repositories import write

if TYPE_CHECKING:
    from types import CodeType, FrameType

pytestmark = pytest.mark.usefixtures("in_repository")

TEXT = """\
from transformers import LlamaModel, TrainingArguments


def attention(self):
    return self


def main():
    from transformers import AutoModelForVision2Seq

    model = AutoModelForVision2Seq.from_pretrained("a")
    LlamaModel._prepare_decoder_attention_mask = attention
    return model, TrainingArguments("out", evaluation_strategy="no")
"""


def calls_while_linting(text: str, *functions: Any) -> Counter[tuple[str, str]]:
    """Count the calls of functions by their names and first arguments of text."""
    codes: set[CodeType] = {each.__code__ for each in functions}
    counted: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code in codes:
            values = [frame.f_locals[name] for name in code.co_varnames[: code.co_argcount]]
            said = [each for each in values if isinstance(each, str)]
            counted[code.co_name, said[0]] += 1

    linter = Linter(Settings())
    sys.setprofile(note)
    try:
        found = linter.lint(str(Path("job.py").absolute()), text.encode()).findings
    finally:
        sys.setprofile(None)
    assert {each.code for each in found} >= {"ROC204", "ROC205", "ROC207"}
    return counted


def test_no_name_is_judged_twice() -> None:
    write("requirements.txt", "transformers==5.0.0\n")
    counted = calls_while_linting(TEXT, missing.missing)
    assert counted
    assert set(counted.values()) == {1}


def test_the_versions_of_a_package_are_looked_up_once() -> None:
    write("requirements.txt", "transformers==5.0.0\n")
    assert calls_while_linting(TEXT, versions.candidates) == {("candidates", "transformers"): 1}
