"""What the index of names answers: histories over versions, and signatures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from rocmlint.published.name_facts import History, Signature

STATES = st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=12)


@given(STATES)
def test_gone_since_is_the_first_version_without_it(states: list[bool | None]) -> None:
    """Between it and the last version that had it nothing is proven to be without it."""
    versions = tuple(Version(f"1.{i}") for i in range(len(states)))
    bits = {
        state: sum(1 << i for i, each in enumerate(states) if each is state) for state in states
    }
    history = History(versions, bits.get(True, 0), bits.get(None, 0))
    assert [history.at(each) for each in versions] == states
    for index, version in enumerate(versions):
        gone = history.gone_since(version)
        had = [i for i in range(index) if states[i] is True]
        if states[index] is False and had:
            assert gone == versions[states.index(False, had[-1])]
        else:
            assert gone is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Signature((), (), (), any_positional=False)),
        ("a,b", Signature((), ("a", "b"), (), any_positional=False)),
        ("a,/,b,*,c", Signature(("a",), ("b",), ("c",), any_positional=False)),
        ("a,*rest,c", Signature((), ("a",), ("c",), any_positional=True)),
    ],
)
def test_a_written_signature_is_read(text: str, expected: Signature) -> None:
    """Positional only, either, keyword only, *args."""
    assert Signature.of(text) == expected
