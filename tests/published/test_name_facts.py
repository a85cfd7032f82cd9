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


VERSIONS = tuple(map(Version, ("2.0", "2.1", "2.2")))


def test_what_was_gone_before_the_first_proven_release_was_once_there() -> None:
    """Also of later releases, of which nothing else is known, it is known to be gone."""
    history = History(VERSIONS, 0, 0, gone=Version("1.5"))
    assert history.was_ever_there
    assert history.is_ever_missing
    assert history.gone_since(VERSIONS[-1]) == Version("1.5")
    assert history.at(Version("3.0")) is False
    assert History(VERSIONS, 0, 0).at(Version("3.0")) is None


def test_nothing_is_known_of_an_attribute_where_its_owner_is_gone() -> None:
    """In 2.0 there is neither; in 2.1 only the owner; in 2.2 both."""
    attribute, owner = History(VERSIONS, 0b100, 0), History(VERSIONS, 0b110, 0)
    assert [attribute.at(each) for each in VERSIONS] == [False, False, True]
    assert [attribute.where(owner).at(each) for each in VERSIONS] == [None, False, True]


def test_a_name_is_missing_in_all_releases_that_a_requirement_allows() -> None:
    """Of a release about which nothing is known that cannot be said."""
    history = History(VERSIONS, there=0b001, unknown=0b100)
    assert history.is_missing_in(lambda each: each == VERSIONS[1])
    assert not history.is_missing_in(lambda each: each >= VERSIONS[1])
    assert not history.is_missing_in(lambda each: each <= VERSIONS[1])


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
