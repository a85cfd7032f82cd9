"""``rocmlint why --add``, ``--test``, ``--list`` and ``--stale``: a team's own entries."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rocmlint.config.configuration import Configuration
from rocmlint.errors import ConfigError
from rocmlint.paths import shown
from rocmlint.text.json import dumps
from rocmlint.text.visible import visible
from rocmlint.text.words import counted
from rocmlint.why.diary import draft, own_symptoms, stale, tested
from rocmlint.why.entries.load import built_in
from rocmlint.why.facts.all import NAMES
from rocmlint.why.report import SCHEMA

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Sequence
    from types import SimpleNamespace

    from rocmlint.why.entries.symptom import Symptom
    from rocmlint.why.facts.context import Context

_LISTS = ("test", "list", "stale")


def add_arguments(parser: ArgumentParser) -> None:
    """Add the flags for a team's own entries."""
    parser.add_argument(
        "--add", action="store_true", help="print an entry for this error, to be filled in"
    )
    parser.add_argument(
        "--test", action="store_true", help="test the examples and near misses of your entries"
    )
    parser.add_argument("--list", action="store_true", help="list all entries, yours first")
    parser.add_argument(
        "--stale",
        action="store_true",
        help="list your entries for versions that the project does not allow any more",
    )


def own_of(folder: str) -> tuple[Symptom, ...]:
    """Return the entries that the configuration of a folder names. Raises ConfigError."""
    return own_symptoms(Configuration().settings_for(os.path.abspath(folder)).symptoms)


def is_about_entries(flags: SimpleNamespace) -> bool:
    """Return whether a flag needs no error: ``--test``, ``--list`` or ``--stale``."""
    given = [f"--{name}" for name in ("add", *_LISTS) if getattr(flags, name)]
    if len(given) > 1:
        message = f"why: {' and '.join(given)} cannot be used together"
        raise ConfigError(message)
    return bool(given) and given != ["--add"]


def run(flags: SimpleNamespace) -> int:
    """Run ``rocmlint why --test``, ``--list`` or ``--stale`` and return the exit code."""
    if flags.command or flags.path is not None:
        message = "why: only the directory of the project can be named here"
        raise ConfigError(message)
    folder = os.curdir if flags.log == "-" else flags.log
    if not os.path.isdir(folder):
        message = f"{folder}: not a directory; name the directory of the project"
        raise ConfigError(message)
    own = own_of(folder)
    if flags.list:
        _print_list(own, flags.output_format)
        return 0
    if not own:
        message = 'why: no entries of your own: set symptoms = ["FILE"] in [tool.rocmlint]'
        raise ConfigError(message)
    return _test(own) if flags.test else _stale(own, folder)


def add(context: Context, own: Sequence[Symptom]) -> int:
    """Print the draft of an entry for an error."""
    print(draft(context, own), end="")
    return 0


def _test(own: Sequence[Symptom]) -> int:
    failed = list(tested(own))
    for each in failed:
        print(visible(each))
    texts = sum(len(each.examples) + len(each.near_misses) for each in own)
    found = f"{counted(failed, 'failure')}." if failed else "all pass."
    print(f"Tested {counted(own, 'symptom')} with {counted(texts, 'message')}: {found}")
    return 1 if failed else 0


def _stale(own: Sequence[Symptom], folder: str) -> int:
    from rocmlint.disk.disk import Disk  # noqa: PLC0415 - only this flag reads the project
    from rocmlint.project.project import Project  # noqa: PLC0415
    from rocmlint.source.decoding import text_of  # noqa: PLC0415

    folder = os.path.abspath(folder)
    project = Project(folder, Configuration().settings_for(folder), Disk(text_of))
    found = list(stale(own, project))
    for symptom, reason in found:
        print(visible(f"{symptom.id}: {symptom.title}"))
        print(visible(f"  for {reason}"))
    print(f"Stale: {len(found)} of {counted(own, 'symptom')}.")
    return 0


def _print_list(own: Sequence[Symptom], form: str) -> None:
    every = [*own, *built_in(NAMES)]
    if form == "json":
        symptoms = [_described(each, own) for each in every]
        print(dumps({"schema": SCHEMA, "symptoms": symptoms}, indent=2))
        return
    width = max(len(each.id) for each in every)
    for each in every:
        print(visible(f"{each.id:<{width}}  {each.title}"))


def _described(symptom: Symptom, own: Sequence[Symptom]) -> dict[str, Any]:
    return {
        "id": symptom.id,
        "title": symptom.title,
        "source": shown(symptom.source) if symptom in own else None,
        "match": [each.text for each in symptom.match],
        "rules": list(symptom.rules),
        "references": list(symptom.references),
        "versions": list(symptom.versions),
        "owner": symptom.owner or None,
        "date": symptom.date or None,
    }
