"""Whether a value does what its word says: on, off, and what code makes of either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from rocmlint.published.variables import OFF, ON, is_on
from rocmlint.verify.variables.functions import UnknownError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.verify.variables.reading import Reading

Taken = Literal["as intended", "raw", "unclear"]
"""What becomes of a value that is not misread; ``raw``: it goes on as it is, and is no word that
has to mean on or off."""

_WORDS = {each.lower() for each in (*ON, *OFF)}
_UNKNOWN: Final = object()
_OTHERS = ("2", "7", "100", "100000", "-1")
"""Numbers, by which a limit is told from a word."""


class Misread(NamedTuple):
    """What code makes of a value that says something else, and the value to write.

    ``right`` is None where the variable has to be unset, and ``is_hopeless`` where that does not
    help either.
    """

    said: str
    right: str | None
    is_hopeless: bool = False


def misread(reading: Reading, value: str) -> Misread | None:
    """Return what code makes of a value that says something else.

    None where the code takes it as meant, or where that cannot be told. A word for on is misread
    where another word for on is told apart from it and it falls together with off. A word for off
    is misread where it is taken as the words for on are; without that a comparison asks for
    something else than on or off (``!= "0"``, ``== "DETAIL"``).
    """
    try:
        taken = reading.outcome(value)
    except UnknownError:
        return None
    except ValueError as error:
        right = next((word for word in _family(value) if _truth(reading, word) is not _UNKNOWN), "")
        return Misread(f"raises {type(error).__name__}: {error}", right)
    if reading.is_check:
        accepted = [word for word in (*_family(value), *ON, *OFF) if _truth(reading, word) is False]
        # Where no word is accepted, something else is missing.
        return Misread(f"does not accept {value!r}", accepted[0]) if taken and accepted else None
    if not isinstance(taken, (bool, int)) or not _is_word(value):
        return None
    opposite = OFF[0] if is_on(value) else ON[0]
    if _truth(reading, opposite) is not bool(taken):
        return None
    said = f"interprets {value!r} as {('off' if is_on(value) else 'on')}"
    for other in _family(value):
        if _truth(reading, other) is (not taken) and (other or is_on(value)):
            return Misread(said, other)
    if is_on(value) or not value.strip() or not isinstance(taken, bool):
        return None
    for unset in (None, ""):
        if _truth(reading, unset) is (not taken):
            return Misread(said, unset)
    if taken and all(_truth(reading, word) is True for word in _WORDS if word):
        return Misread(said, None, is_hopeless=True)
    return None


def taken(reading: Reading, value: str) -> Taken:
    """Return what becomes of a value that is not misread, as far as that can be told."""
    if not _is_word(value) or reading.is_check:
        return "raw"
    outcome = _outcome(reading, value)
    if not isinstance(outcome, (bool, int, float)):
        is_followed = outcome is not _UNKNOWN and not isinstance(outcome, str)
        is_other = not value.isalpha() and not _has_word_for_default(reading)
        return "raw" if is_followed and is_other else "unclear"
    if not is_on(value) or outcome or _truth(reading, OFF[0]) is not bool(outcome):
        return "as intended"
    if _truth(reading, None) is True:
        return "as intended"  # it turns something off
    # It is not on. A number that is too small, or a word that is not asked for?
    if isinstance(outcome, bool):
        is_number = any(_truth(reading, each) is True for each in _OTHERS)
        return "raw" if is_number and not value.isalpha() else "unclear"
    return "raw"


def _has_word_for_default(reading: Reading) -> bool:
    try:
        default = reading.default()
    except UnknownError:
        return False
    return isinstance(default, bool) or (
        isinstance(default, str) and default.isalpha() and default.lower() in _WORDS
    )


def only_presence(reading: Reading) -> bool:
    """Return whether it only counts for the code that the variable is set, whatever to."""
    outcomes = {_truth(reading, word) for word in ("0", "1", "true", "false")}
    return len(outcomes) == 1 and isinstance(_outcome(reading, "1"), bool)


def is_switch(reading: Reading) -> bool:
    """Return whether code tells words for on and off apart."""
    return any(
        {_truth(reading, on), _truth(reading, off)} == {True, False}
        for on, off in (("1", "0"), ("true", "false"), ("True", "False"), ("TRUE", "FALSE"))
        if isinstance(_outcome(reading, on), bool)
    )


def taken_as_on(readings: Iterable[Reading], value: str) -> bool:
    """Return whether code takes a value as on; by the word itself where the code cannot be told."""
    for reading in readings:
        try:
            taken = reading.outcome(value)
        except (UnknownError, ValueError):
            continue
        if isinstance(taken, bool):
            return taken
    return is_on(value)


def word_for_on(readings: Iterable[Reading]) -> str:
    """Return a word that all code takes as on."""
    readings = [each for each in readings if isinstance(_outcome(each, ON[0]), (bool, int))]
    return next((word for word in ON if all(_truth(each, word) for each in readings)), ON[0])


def _is_word(value: str) -> bool:
    return value.strip().lower() in _WORDS


def _family(value: str) -> tuple[str, ...]:
    return ON if is_on(value) else OFF


def _outcome(reading: Reading, value: str | None) -> object:
    try:
        return reading.outcome(value)
    except (UnknownError, ValueError):
        return _UNKNOWN


def _truth(reading: Reading, value: str | None) -> object:
    """Return True, False or _UNKNOWN."""
    outcome = _outcome(reading, value)
    return outcome if outcome is _UNKNOWN else bool(outcome)
