"""The laws of what is said: each sentence is whole, and what is only likely says why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rocmlint.gpus.machine import Machine
from rocmlint.why.answer import CHECK, OTHER_CAUSES, Explanation, with_reason
from rocmlint.why.diagnose import diagnose
from rocmlint.why.entries.explain import explain
from rocmlint.why.entries.load import built_in
from rocmlint.why.entries.symptom import symptom_of
from rocmlint.why.facts.all import NAMES
from rocmlint.why.facts.context import Context
from rocmlint.why.log.log_reader import read_text
from tests.support.fake_site import FakeSite, traceback
from tests.support.sentences import garbled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rocmlint.why.answer import Answer
    from rocmlint.why.entries.symptom import Symptom

SYMPTOMS = built_in(NAMES)


def asked(text: str, folder: Path) -> Answer:
    """Explain a text where nothing can be read: no packages, no project, no GPU."""
    machine = Machine(str(folder), {"PATH": ""})
    return diagnose(Context(read_text(text), str(folder), machine=machine))


def explanations(answer: Answer) -> Iterator[Explanation]:
    yield from filter(None, (answer.explanation, *answer.alternatives))


@pytest.mark.parametrize("symptom", SYMPTOMS, ids=lambda each: each.id)
def test_without_any_fact_an_example_gets_whole_sentences(symptom: Symptom, tmp_path: Path) -> None:
    for example in symptom.examples:
        for each in explanations(asked(example, tmp_path)):
            assert garbled(each.cause) == [], each.cause
            assert [do.text for do in each.actions if not do.is_command and garbled(do.text)] == []
            assert each.verdict == "known" or each.missing


def test_a_sentence_is_not_garbled_by_what_it_quotes() -> None:
    assert garbled("numpy numpy has no np.float") == ["a name twice"]
    assert garbled("numpy the installed numpy has no np.float") == ["a name twice"]
    assert garbled("the driver  is older") == ["nothing between marks"]
    assert garbled("call f(None), or f(): the (empty) rest; done") == []


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ("torch {version('torch')} has no such name", "torch has no such name"),
        ("Python {python_version()} runs", "Python runs"),
        ("{name} is gone", "a title"),
        ("a build of {name} is gone, and none is left", "a title"),
        (
            "take another image, or a build for {name}; glibc stays",
            "take another image; glibc stays",
        ),
        ("the driver {name} is older", "the driver is older"),
    ],
)
def test_a_sentence_does_without_what_is_empty_or_unread(
    cause: str, said: str, tmp_path: Path
) -> None:
    table = {"id": "a", "title": "a title", "match": ["it {x} {name:word}", "it"], "cause": cause}
    context = Context(read_text("it"), str(tmp_path))
    (found,) = explain(symptom_of(table, "a.toml", NAMES), "it", context)
    assert found.cause == said


def test_what_is_likely_says_why_it_is_no_more() -> None:
    likely = Explanation("a", "likely", "a cause")
    assert with_reason(likely).missing == (OTHER_CAUSES,)
    assert with_reason(replace(likely, confirm="ls")).missing == (CHECK,)
    known = replace(likely, verdict="known")
    assert with_reason(known) is known


def test_one_cause_is_said_once(tmp_path: Path) -> None:
    """An entry and a generic reader both know why: the reader says nothing that is new."""
    site = FakeSite(tmp_path, {"trl": "0.25.1", "transformers": "4.57.1"})
    site.write("PROJECT/sft.py", "from trl import SFTConfig\nargs = SFTConfig(max_seq_length=1)\n")
    last = "TypeError: SFTConfig.__init__() got an unexpected keyword argument 'max_seq_length'"
    answer = site.why(traceback(last, "PROJECT/sft.py: args = SFTConfig(max_seq_length=1)"))
    assert answer.verdict == "known"
    assert answer.alternatives == ()


def test_two_causes_are_both_said(tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"torch": "2.5.1"})
    answer = site.why("RuntimeError: HIP error: no kernel image is available for execution")
    causes = {each.cause for each in explanations(answer)}
    assert len(causes) == len(list(explanations(answer)))
