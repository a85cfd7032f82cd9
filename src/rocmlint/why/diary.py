"""A team's own entries: reading them, drafting the next one, testing them, finding stale ones."""

from __future__ import annotations

import datetime as dt
import json
import re
from typing import TYPE_CHECKING

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from rocmlint.errors import ConfigError
from rocmlint.paths import shown
from rocmlint.text.secrets import without_credentials
from rocmlint.text.written import requirement_of, version_of
from rocmlint.why.entries.load import read, refuse_twice
from rocmlint.why.examples import failures
from rocmlint.why.facts.all import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.project.project import Project
    from rocmlint.why.entries.symptom import Symptom
    from rocmlint.why.facts.context import Context
    from rocmlint.why.log.log_data import Raised

_NUMBERED = re.compile(r"(?P<prefix>[A-Za-z][\w-]*-)(?P<number>\d{1,9})")
_FIRST = "N-001"
_SEEN = ("torch", "transformers")
"""Packages whose versions a draft names."""
_CHANGING = re.compile(
    r"(?P<address>\b0x[0-9A-Fa-f]+)"
    r"|(?P<path>(?<![\w/.])(?:[A-Za-z]:|[.~]{0,2})[/\\](?:[^\s'\"(),:/\\]+[/\\])+[^\s'\"(),:]*)"
    r"|(?P<hash>\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b)"
    r"|(?P<version>(?<![\w.])\d+(?:\.\d+)+(?:[-+.]?[a-z][\w.]*)?(?![\w]))"
    r"|(?P<int>(?<![\w.])-?\d+(?![\w.]))"
)
_KIND_OF = {"address": "word", "hash": "word"}
"""The kind of placeholder, where it has another name."""
_TOKEN = re.compile(r"\b(?:hf|gh[a-z]|sk|glpat|xox[a-z]|AKIA)[-_]?[\w-]{16,}")
_LABEL = re.compile(r"\+[\w.]+")
"""The build in a version: ``+rocm6.4``."""
_LONGEST = 300
_HINTS = {
    "cause": "  # one sentence: what makes it happen",
    "do": "  # what to change, an action first; commands are `run`",
    "confirm": "  # a command that shows that it is right now",
    "near_misses": "  # messages that look alike and have another cause",
}
"""Comments behind the lines of a draft that a person has to fill in."""


def own_symptoms(paths: Iterable[str]) -> tuple[Symptom, ...]:
    """Read the files of a team's entries. Raises ConfigError in one line."""
    found = tuple(each for path in paths for each in read(path, NAMES))
    refuse_twice(found)
    return found


def draft(context: Context, own: Sequence[Symptom]) -> str:
    """Return the begin of an entry for the error in a log, as TOML: cause and do are to be filled.

    Raises ConfigError if the log has no error.
    """
    chain = next(iter(context.log.chains), None)
    raised = chain.raised[0] if chain else None
    line = _line(raised, context.log.lines)
    if not line:
        message = "why --add: no error was found in this text"
        raise ConfigError(message)
    of_type = raised.type.rpartition(".")[2] if raised else ""
    example = f"{raised.type}: {line}" if raised and raised.message else line
    rows = {
        "id": _next_id(own),
        "title": line,
        "match": [template_of(line)],
        "exception": [of_type] if raised and raised.message else [],
        "cause": "",
        "do": [],
        "confirm": "",
        "examples": [example],
        "near_misses": [],
        "references": [],
        "versions": list(_versions(context)),
        "date": dt.datetime.now(tz=dt.timezone.utc).date().isoformat(),
    }
    lines = [f"{key} = {_toml(value)}{_HINTS.get(key, '')}" for key, value in rows.items()]
    return "\n".join(["[[symptom]]", *lines, ""])


def template_of(message: str) -> str:
    """Return the template of a message: numbers, versions, paths, hashes become placeholders."""
    pieces = []
    at = 0
    for found in _CHANGING.finditer(message):
        kind = found.lastgroup or ""
        pieces += [_literal(message[at : found.start()]), f"{{:{_KIND_OF.get(kind, kind)}}}"]
        at = found.end()
    return "".join([*pieces, _literal(message[at:])])


def tested(own: Iterable[Symptom]) -> Iterator[str]:
    """Yield what fails in the examples and near misses of a team's entries, one line each."""
    for symptom in own:
        if not symptom.examples:
            yield f"{shown(symptom.source)}: symptom {symptom.id!r}: has no example"
        for failure in failures(symptom):
            yield f"{shown(symptom.source)}: symptom {symptom.id!r}: {failure}"


def stale(own: Iterable[Symptom], project: Project) -> Iterator[tuple[Symptom, str]]:
    """Yield the entries for versions that no lock and no requirement allows, and what these say.

    A package that the project does not declare makes no entry stale.
    """
    for symptom in own:
        for text in symptom.versions:
            wanted = requirement_of(text)
            if wanted is None:
                message = f"{shown(symptom.source)}: symptom {symptom.id!r}: versions: not a "
                raise ConfigError(f"{message}requirement: {text!r}")
            allowed = list(_allowed(wanted.name, project))
            if allowed and not any(_meet(wanted.specifier, each) for each, _ in allowed):
                says = " and ".join(dict.fromkeys(said for _, said in allowed))
                yield symptom, f"{text}, but {says}"
                break


def _allowed(package: str, project: Project) -> Iterator[tuple[SpecifierSet, str]]:
    """Yield the versions that each lock or requirement of a package allows, and what it says."""
    name = canonicalize_name(package)
    candidates = [each for each in project.versions(name) if each.declared]
    for each in candidates:
        exact = SpecifierSet(f"=={each.version.public}")
        yield each.allowed or exact, f"{package} {each.version} is {each.said}"
    for written in () if candidates else project.requirements(name):  # releases are not known
        parsed = requirement_of(written.declared.text)
        if parsed is not None and not parsed.url:
            yield parsed.specifier, f"{parsed} is required in {project.place_of(written)}"


def _meet(wanted: SpecifierSet, allowed: SpecifierSet) -> bool:
    """Return whether a version meets both; those that either names, and the ones after them."""
    wanted = SpecifierSet(_LABEL.sub("", str(wanted)))
    written = (version_of(each.version.removesuffix(".*")) for each in (*wanted, *allowed))
    named = [each for each in written if each is not None]
    nexts = [Version(f"{each.base_version}.1") for each in named or [Version("0")]]
    return any(
        wanted.contains(each, prereleases=True) and allowed.contains(each, prereleases=True)
        for each in (*named, *nexts)
    )


def _line(raised: Raised | None, lines: Sequence[str]) -> str:
    """Return the first line of the message, without secrets."""
    text = raised.message or raised.type if raised else next((e for e in lines if e.strip()), "")
    first = " ".join(text.strip().partition("\n")[0].split())
    return _TOKEN.sub("***", without_credentials(first))[:_LONGEST].strip()


def _next_id(own: Sequence[Symptom]) -> str:
    """Return the number after the largest one, with the prefix of the last entry."""
    numbers = [found for each in own if (found := _NUMBERED.fullmatch(each.id))]
    if not numbers:
        return _FIRST
    prefix, width = numbers[-1]["prefix"], len(numbers[-1]["number"])
    largest = max(int(each["number"]) for each in numbers if each["prefix"] == prefix)
    return f"{prefix}{largest + 1:0{width}}"


def _versions(context: Context) -> Iterator[str]:
    for name in () if context.is_elsewhere else _SEEN:
        found = context.packages.get(name)
        if found is not None:
            yield f"{found.name}=={found.version}"


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _toml(value: object) -> str:
    """Write a string or a list as TOML does: as JSON, but no character as two escapes."""
    return json.dumps(value, ensure_ascii=False)
