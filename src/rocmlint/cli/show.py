"""``--show-files`` and ``--show-settings``: what a run would do, without doing it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rocmlint.config.option import as_toml, plain
from rocmlint.config.settings import OPTIONS
from rocmlint.lint.discovery.discover import discover
from rocmlint.lint.selection import enabled_rules, ignored_codes, options_of, rules_of, why_off
from rocmlint.paths import relative
from rocmlint.report.fingerprint import posix
from rocmlint.text.visible import at_line_start, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.cli.job import Job
    from rocmlint.config.file import ConfigPlace
    from rocmlint.config.settings import Settings


def files(job: Job) -> int:
    """Print the files that would be linted."""
    exclude = job.flags.force_exclude
    found = discover(job.paths, job.configuration.settings_for, force_exclude=exclude)
    for each in found.files:
        _print_path(each.path)
    for line in (*found.problems, *found.remarks):
        print(at_line_start(visible(line)), file=sys.stderr)
    return 2 if found.problems else 0


def _print_path(path: str) -> None:
    """Print a path as it is, for programs; on a terminal nothing in it can steer that."""
    path = at_line_start(path)
    binary = getattr(sys.stdout, "buffer", None)
    if sys.stdout.isatty() or binary is None:
        print(visible(path))
        return
    sys.stdout.flush()
    binary.write(os.fsencode(path) + b"\n")


def settings(job: Job) -> int:
    """Print the settings that hold for the first path, and which rules they switch on."""
    # To show them no code of the project need be run.
    folders = (*job.settings.rules, *job.settings.unloaded_rules)
    built_in = job.settings._replace(rules=(), unloaded_rules=folders)
    enabled_rules(built_in)  # refuses what means nothing
    print("\n".join(_lines(job, job.settings, built_in)))
    return 0


def _lines(job: Job, settings: Settings, built_in: Settings) -> Iterator[str]:
    path = job.paths[0]
    yield f"# for {visible(path)}"
    yield f"# root: {visible(settings.root)}"
    for source in settings.sources:
        yield f"# from {visible(relative(source))}"
    absolute = os.path.abspath(path)
    origins = job.configuration.origins(
        absolute if os.path.isdir(absolute) else os.path.dirname(absolute)
    )
    for name, option in OPTIONS.items():
        value = getattr(settings, name.replace("-", "_"), None)
        if value is not None:
            yield f"{name} = {as_toml(plain(value, option))}{_set_by(origins, name, name)}"
    rules = rules_of(built_in)
    for rule in rules:
        if rule.options:
            yield f"\n[{rule.name}]"
        for name, value in options_of(rule, settings).items():
            set_by = _set_by(origins, f"{rule.name}.{name}", name)
            yield f"{name} = {as_toml(plain(value, rule.options[name]))}{set_by}"
    yield ""
    ignored = ignored_codes(built_in, posix(os.path.relpath(absolute, settings.root)))
    width = max(len(rule.name) for rule in rules)
    for rule in rules:
        reason = why_off(rule, settings)
        if reason is None and rule.code in ignored:
            reason = "per-file-ignores"
        state = "on" if reason is None else f"off: {reason}"
        yield f"# {rule.code} {rule.name:<{width}} {state}"
    for folder in built_in.unloaded_rules:
        state = "loaded by a run" if settings.rules else "not loaded"
        yield f"# local rules in {relative(folder)}: {state}, not listed here"


def _set_by(origins: Mapping[str, tuple[ConfigPlace, ...]], key: str, word: str) -> str:
    """Return as a comment which files, or the command line, have set a key."""
    places = dict.fromkeys(visible(each.where(word)) for each in origins.get(key, ()))
    return f"  # {', '.join(places)}" if places else ""
