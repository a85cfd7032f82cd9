"""Judging environment variables: who reads each one, and whether it does what its value says."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from rocmlint.config.option import did_you_mean
from rocmlint.interpreter.inside.variables import PREFIXES
from rocmlint.published.variables import KNOWN, LIBRARIES, Variable, is_on, owner_of
from rocmlint.text.words import few
from rocmlint.verify.result import Evidence, Result
from rocmlint.verify.variables.conflicts import conflicts
from rocmlint.verify.variables.readers import Reader, Search, search
from rocmlint.verify.variables.switch_values import is_switch, misread, only_presence, taken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rocmlint.interpreter.ask import Interpreter
    from rocmlint.verify.result import Strength
    from rocmlint.verify.variables.switch_values import Taken
    from rocmlint.verify.variables.writes_before_read import Write

_SYSTEM = ("/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")
_ROCM = ("/opt/rocm", "/opt/rocm-*", "/opt/rocm/core", "/opt/rocm/core-*")
_SHOWN = 12
"""How many readers are named as evidence."""
_LIKENESS = 0.85
"""How near a known name must be: that of a misspelt one, not of one with the same prefix."""
_LISTS = "VISIBLE_DEVICES"
_READ, _AS_MEANT = "an installed file reads it", "an installed file reads it, as intended"
_result = partial(Result, "variables")


@dataclass(frozen=True)
class Variables:
    """The variables of an interpreter, and what was found of their readers."""

    python: str
    variables: Mapping[str, str]
    """Those that belong to the ROCm stack or were asked about."""
    found: Search


def check(
    interpreter: Interpreter, asked: Mapping[str, str], paths: Sequence[str]
) -> Iterator[Result]:
    """Yield a result for each variable that is set or asked about, then how they fit together.

    ``paths`` are searched for readers beside what the interpreter imports and the installed ROCm.
    Raises InterpreterError.
    """
    yield from judge(look(interpreter, asked, paths))


def judge(environment: Variables) -> Iterator[Result]:
    """Yield a result for each variable, then how they fit together."""
    for name, value in sorted(environment.variables.items()):
        yield _judged(name, value, environment)
    yield from conflicts(
        environment.variables,
        {name: _sure(readers) for name, readers in environment.found.readers.items()},
    )


def _sure(readers: Iterable[Reader]) -> list[Reader]:
    return [each for each in readers if not each.doubt]


def look(interpreter: Interpreter, asked: Mapping[str, str], paths: Sequence[str]) -> Variables:
    """Ask an interpreter for its variables, and search what it has installed for their readers."""
    answer = interpreter.ask("variables", {"names": list(asked)})
    variables = {**answer["environment"], **asked}
    variables = {name: value for name, value in variables.items() if not _is_label(name)}
    # Whether a name that is proposed is read here is worth saying, and masters matter too.
    rows = [KNOWN[name] for name in variables if name in KNOWN]
    others = {name: "" for row in rows for name in (row.instead, row.needs) if name}
    wanted = dict(sorted({**others, **variables}.items()))
    everything = {**os.environ, **interpreter.environment, **answer["environment"], **asked}
    found = search(wanted, answer["packages"], _libraries(answer), paths, everything)
    return Variables(answer["executable"], variables, found)


def _is_label(name: str) -> bool:
    """Return whether a name is one with which images tell a version, that nothing reads.

    ``ROCM_VERSION``, ``PYTORCH_VERSION``: the images of ROCm, PyTorch and NVIDIA set them.
    """
    labels = {f"{prefix.rstrip('_')}_VERSION" for prefix in PREFIXES}
    return name in labels and name not in KNOWN


def _libraries(answer: Mapping[str, Any]) -> list[str]:
    """Return the libraries of the installed ROCm, and those of its names elsewhere."""
    rocm = [*answer["rocm"], *_folders(_ROCM)]
    patterns = [os.path.join(glob.escape(each), "lib", "*.so*") for each in rocm]
    for folder in (*answer["libraries"], *_folders(_SYSTEM)):
        patterns += [os.path.join(glob.escape(folder), f"{stem}.so*") for stem in LIBRARIES]
    return sorted({path for pattern in patterns for path in glob.glob(pattern)})


def _folders(patterns: Iterable[str]) -> list[str]:
    return [folder for pattern in patterns for folder in sorted(glob.glob(pattern))]


def _judged(name: str, value: str, environment: Variables) -> Result:
    """Judge one variable."""
    readers = environment.found.readers.get(name, [])
    if sure := _sure(readers):
        return _read(name, value, sure, environment.found)
    unclear = [each for each in readers if each.doubt == "may read"]
    if unclear:
        return _result(
            _READ,
            _subject(name, value),
            "unproven",
            "located",
            f"{_short(unclear[0])} may read it",
            _places(unclear),
            "it is in code that builds variable names at run time, passes them on, or is not "
            "Python, so whether it is read depends on the run",
            f"read {unclear[0].place}",
        )
    return _unread(name, value, readers, environment)


def _read(name: str, value: str, readers: list[Reader], found: Search) -> Result:
    """Judge a variable that installed files read."""
    row, subject = KNOWN.get(name), _subject(name, value)
    deciding = _deciding(readers, value)
    writes = {each: _write(each, value) for each in deciding}
    evidence = (*_places(readers), *_writers(found, name), *_known(row))
    result = partial(_result, _AS_MEANT, subject)
    overwritten = [each for each in deciding if _is_overwritten(each, value)]
    if overwritten and len(overwritten) == len(deciding):
        return result("contradicted", "located", *_overwritten(overwritten[0], writes, evidence))
    if unsure := _may_be_overwritten(name, writes, found):
        seen, reason, place = unsure
        return result("unproven", "located", seen, evidence, reason, f"read {place}")
    deciding = [each for each in deciding if not writes[each]] or deciding
    checks = [each for each in deciding if each.reading and each.reading.is_check]
    for reader in deciding:
        if problem := _problem(name, value, reader, row):
            seen = f"not interpreted as intended in {_short(reader)}"
            return result("contradicted", "located", seen, evidence, *problem)
    seen = few(list(dict.fromkeys(map(_short, readers))), 1)
    if row and row.instead:
        seen = f"deprecated, use {row.instead}; {seen}"
    values = [each for each in deciding if each not in checks] or deciding
    kinds = {each: _taken(each, value, row) for each in values}
    if name.endswith(_LISTS):  # 0 is the first device there
        kinds = {each: "raw" if kind == "unclear" else kind for each, kind in kinds.items()}
    for each, kind in kinds.items():
        if kind == "unclear" and each.reading:
            reason = (
                f"what {each.place} makes of {value!r} is not known: {each.reading.expression} "
                "goes where it cannot be followed, or asks for another word"
            )
            return result("unproven", "located", seen, evidence, reason, f"read {each.place}")
    claim = _AS_MEANT if set(kinds.values()) <= {"as intended"} else _READ
    return _result(claim, subject, "proven", "located", seen, evidence)


def _write(reader: Reader, value: str) -> Write | None:
    """Return what sets the variable before it is read there.

    Functions of installed packages that may set it, for a child or a test, do not count: they are
    evidence only.
    """
    write = reader.reading.write(value) if reader.reading else None
    if write and not write.is_certain and not reader.is_own and write.when == "when called":
        return None
    if write and write.is_certain and not _is_overwritten(reader, value):
        return None  # it is made of what was set
    return write


def _is_overwritten(reader: Reader, value: str) -> bool:
    """Return whether the program certainly sets another value, whatever the variable is."""
    if reader.reading is None:
        return False
    writes = [reader.reading.write(each) for each in (value, f"{value}?")]
    certain = {each.value for each in writes if each and each.is_certain}
    return len(certain) == 1 and all(each and each.is_certain for each in writes)


def _deciding(readers: list[Reader], value: str) -> list[Reader]:
    """Return the readers that decide.

    A test whether the variable is set does not where it only guards a reading of the value. Nor
    does it where others read the value and none of them as a switch: 0 is a number there.
    """
    presence = [each for each in readers if each.reading and only_presence(each.reading)]
    others = [each for each in readers if each not in presence]
    unguarded = [each for each in presence if each.reading and not each.reading.is_guard]
    is_switched = any(each.reading and is_switch(each.reading) for each in others)
    if others and not (is_switched or value.isalpha()):
        unguarded = []
    return [each for each in readers if each in others or each in unguarded] or readers


def _overwritten(
    reader: Reader, writes: Mapping[Reader, Write | None], evidence: tuple[Evidence, ...]
) -> tuple[str, tuple[Evidence, ...], str, str]:
    """Return what was seen, the evidence, the reason and the action."""
    write = writes[reader]
    text = "removes it" if write is None or write.value is None else f"sets it to {write.value!r}"
    line = write.line if write else 0
    where = f"{_short(Reader(reader.path))}:{line}"
    reason = f"{where} {text} before {_short(reader)} reads it, whatever it is"
    seen = f"overwritten at {where}"
    return seen, evidence, reason, f"change {reader.path}:{line}"


def _may_be_overwritten(
    name: str, writes: Mapping[Reader, Write | None], found: Search
) -> tuple[str, str, str] | None:
    """Return what was seen, the reason and the place, where another value may be read."""
    for reader, write in writes.items():
        if write and (reader.is_own or not write.is_certain):
            place = f"{reader.path}:{write.line}"
            how = "sets it" if write.is_certain else "may set it"
            shown = f"{_short(Reader(reader.path))}:{write.line}"
            reason = f"{shown} {how} before {_short(reader)} reads it: {write.text}"
            return f"may be overwritten at {shown}", reason, place
    read_in = {each.path for each in writes}
    for each in found.writers.get(name, ()):
        if each.path not in read_in and (each.is_own or each.write.when == "at import"):
            shown = f"{_short(Reader(each.path))}:{each.write.line}"
            reason = f"{shown} sets it, which may be before it is read: {each.write.text}"
            return f"may be overwritten at {shown}", reason, each.place
    return None


def _writers(found: Search, name: str) -> Iterator[Evidence]:
    for each in found.writers.get(name, [])[:_SHOWN]:
        yield Evidence("sets it", f"{each.place}: {each.write.text}")


def _problem(name: str, value: str, reader: Reader, row: Variable | None) -> tuple[str, str] | None:
    """Return why a value does not do what it says there, and what to type; None where it does."""
    if reader.reading:
        found = misread(reader.reading, value)
        if not found or reader.reading.is_chained:
            return None
        action = f"unset {name}" if found.right is None else f"export {name}={found.right}"
        if found.is_hopeless:
            action = f"change {reader.place}: no value turns it off there"
        return f"{_short(reader)} {found.said}: {reader.reading.expression}", action
    if row and row.accepts and value not in row.accepts:
        reason = (
            f"{_short(reader)} only understands {' and '.join(row.accepts)}, and handles "
            f"{value!r} as if nothing were set"
        )
        return reason, f"export {name}={'1' if is_on(value) else '0'}"
    return None


def _taken(reader: Reader, value: str, row: Variable | None) -> Taken:
    """Return what becomes of a value that is not misread."""
    if reader.reading and reader.reading.is_chained and misread(reader.reading, value):
        return "unclear"
    if reader.reading:
        return taken(reader.reading, value)
    return "as intended" if row and row.accepts else "raw"


def _unread(name: str, value: str, readers: list[Reader], environment: Variables) -> Result:
    """Judge a variable that no installed file reads."""
    row, found, owner = KNOWN.get(name), environment.found, owner_of(name)
    evidence = (
        Evidence("searched", f"{found.files:,} files, {found.size / 1e6:,.0f} MB"),
        Evidence("interpreter", environment.python),
        *(Evidence(each.doubt, each.place) for each in readers[:_SHOWN]),
        *(Evidence("unreadable", each) for each in found.unreadable[:_SHOWN]),
        *_known(row),
    )
    subject = _subject(name, value)
    if unproven := _why_unproven(name, owner, row, found):
        seen, *why = unproven
        strength: Strength = "declared" if row else "located"
        return _result(_READ, subject, "unproven", strength, seen, evidence, *why)
    reason = "no installed file reads it, so it has no effect"
    if row and not row.reader:
        reason += "; no program in current ROCm releases is known to read it"
    elif any(each.doubt == "test" for each in readers):
        reason = "only tests and examples read it, so it has no effect on a run"
    elif owner and not _is_installed(owner, found):
        reason = f"{owner}, which would read it, is not installed, and no other file reads it"
    action = f"unset {name}{_what_then(name, owner, row, found)}"
    seen = "not read by any file"
    return _result(_READ, subject, "contradicted", "located", seen, evidence, reason, action)


def _what_then(name: str, owner: str, row: Variable | None, found: Search) -> str:
    """Return how to get what the variable was set for, as the end of a sentence."""
    if row and row.instead:
        sure = _sure(found.readers.get(row.instead, []))
        reader = f", which {_short(sure[0])} reads" if sure else ""
        return f"; the right name is {row.instead}{reader}"
    known = [each for each in KNOWN if owner and owner_of(each) == owner]
    if not row and (meant := did_you_mean(name, known, _LIKENESS)):
        return meant
    return f", or install a build of {owner} that reads it" if owner else ""


def _why_unproven(
    name: str, owner: str, row: Variable | None, found: Search
) -> tuple[str, str, str] | None:
    """Return what was seen, why a reader may exist all the same, and what to do."""
    if found.unreadable:
        reason = f"{len(found.unreadable)} of the files could not be read"
        return (
            "no reader in the readable files",
            reason,
            "make them readable, or run as their owner",
        )
    if not owner.startswith("lib"):
        return None
    if not _is_installed(owner, found):
        seen = f"{owner} was not found"
        reason = f"{owner}, which reads such variables, is not in the searched directories"
        action = "name the directory that contains it: rocmlint verify variables /opt/rocm/lib"
        return seen, reason, action
    if not row:
        return None
    seen = f"{owner} does not contain the name"
    reason = f"{seen} as a whole: its version does not read it, or the compiler split the name"
    return seen, reason, f"look up {name} in the documentation of the installed ROCm"


def _is_installed(owner: str, found: Search) -> bool:
    if owner.startswith("lib"):
        return any(each.startswith(f"{owner}.so") for each in found.libraries)
    return owner in found.packages


def _known(row: Variable | None) -> tuple[Evidence, ...]:
    """Return what the table knows."""
    if not row:
        return ()
    when = (Evidence("looked up", row.when),) if row.when else ()
    return (*when, Evidence("known from", row.source))


def _places(readers: list[Reader]) -> tuple[Evidence, ...]:
    """Return the readers: where, when, how and as what."""
    told = dict.fromkeys(Evidence(*_told(each)) for each in readers)
    rest = len(told) - _SHOWN
    more = (Evidence("more", f"{rest} places"),) if rest > 0 else ()
    return (*list(told)[:_SHOWN], *more)


def _told(reader: Reader) -> tuple[str, str]:
    if reader.reading is None:
        return "library", reader.path
    name = "may read" if reader.doubt else f"read {reader.reading.when}"
    return name, f"{reader.place}: {reader.reading.expression}"


def _short(reader: Reader) -> str:
    """Name a place by its last folders, as a row of a table can hold it."""
    _, found, below = reader.place.rpartition("-packages/")
    return below if found else os.path.join(*reader.place.rsplit(os.sep, 2)[-2:])


def _subject(name: str, value: str, limit: int = 60) -> str:
    text = f"{name}={value}"
    return text if len(text) <= limit else text[: limit - 1] + "…"
