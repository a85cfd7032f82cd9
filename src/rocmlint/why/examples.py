"""The examples and near misses of entries: each entry matches its own, and no near miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.why.diagnose import is_of
from rocmlint.why.log.log_reader import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.why.entries.symptom import Symptom
    from rocmlint.why.log.log_data import Raised


def matches(symptom: Symptom, text: str) -> bool:
    """Return whether an entry matches a text that is read as a log, whatever the facts are."""
    log = read_text(text)
    raised: list[Raised | None] = [each for chain in log.chains for each in chain.raised]
    return any(
        template.find("\n".join(log.lines) if each is None else each.text) is not None
        for each in (*raised, None)
        if is_of(symptom, each, log)
        for template in symptom.match
    )


def failures(symptom: Symptom) -> Iterator[str]:
    """Yield what is wrong with the examples of an entry, one line each."""
    for text in symptom.examples:
        if not matches(symptom, text):
            yield f"does not match its example {_first_line(text)!r}"
    for text in symptom.near_misses:
        if matches(symptom, text):
            yield f"matches its near miss {_first_line(text)!r}"


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
