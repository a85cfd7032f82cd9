"""Whether a value does what its word says: on, off, and what code makes of either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rocmlint.published.variables import OFF, ON, is_on
from rocmlint.verify.variables.evaluate import UnknownError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.verify.variables.reading import Reading

_WORDS = {each.lower() for each in (*ON, *OFF)}
_UNKNOWN: Final = object()


def misread(reading: Reading, value: str) -> tuple[str, str | None] | None:
    """Return what code makes of a value that says something else, and the value to write.

    None where the code takes it as meant, or where that cannot be told; the value to write is None
    where the variable has to be unset. A word for on is misread where another word for on is told
    apart from it and it falls together with off, and the other way round; without that a
    comparison asks for something else than on or off (``!= "0"``, ``== "DETAIL"``).
    """
    try:
        taken = reading.outcome(value)
    except UnknownError:
        return None
    except ValueError as error:
        right = next((word for word in _family(value) if _truth(reading, word) is not _UNKNOWN), "")
        return f"raises ValueError: {error}", right
    word = value.strip().lower()
    if not isinstance(taken, (bool, int)) or word not in _WORDS:
        return None
    opposite = OFF[0] if is_on(value) else ON[0]
    if _truth(reading, opposite) is not bool(taken):
        return None
    said = f"interprets {value!r} as {('off' if is_on(value) else 'on')}"
    for other in _family(value):
        if _truth(reading, other) is (not taken) and (other or is_on(value)):
            return said, other
    if not is_on(value) and _truth(reading, None) is (not taken):
        return said, None
    return None


def only_presence(reading: Reading) -> bool:
    """Return whether it only counts for the code that the variable is set, whatever to."""
    outcomes = {_truth(reading, word) for word in ("0", "1", "true", "false")}
    return len(outcomes) == 1 and isinstance(_outcome(reading, "1"), bool)


def understands(reading: Reading, value: str) -> bool:
    """Return whether it is known that code takes a word for on or off as such."""
    if value.strip().lower() not in _WORDS:
        return False
    return isinstance(_outcome(reading, value), (bool, int, float))


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
