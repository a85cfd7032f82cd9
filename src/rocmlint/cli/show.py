"""``--show-files`` and ``--show-settings``: what a run would do, without doing it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from rocmlint.config.option import as_toml, plain
from rocmlint.config.settings import OPTIONS
from rocmlint.lint.discover import discover
from rocmlint.lint.selection import enabled_rules, options_of, rules_of, why_off
from rocmlint.text.visible import at_line_start, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.cli.job import Job
    from rocmlint.config.settings import Settings


def files(job: Job) -> int:
    """Print the files that would be linted."""
    exclude = job.flags.force_exclude
    found = discover(job.paths, job.configuration.settings_for, force_exclude=exclude)
    for each in found.files:
        _print_path(each.path)
    for line in (*found.problems, *found.notes):
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
    print("\n".join(_lines(job.settings, built_in)))
    return 0


def _lines(settings: Settings, built_in: Settings) -> Iterator[str]:
    yield f"# for {settings.root}"
    for path in settings.sources:
        yield f"# from {os.path.relpath(path)}"
    for name, option in OPTIONS.items():
        value = getattr(settings, name.replace("-", "_"), None)
        if value is not None:
            yield f"{name} = {as_toml(plain(value, option))}"
    rules = rules_of(built_in)
    for rule in rules:
        if rule.options:
            yield f"\n[{rule.name}]"
        for name, value in options_of(rule, settings).items():
            yield f"{name} = {as_toml(plain(value, rule.options[name]))}"
    yield ""
    width = max(len(rule.name) for rule in rules)
    for rule in rules:
        reason = why_off(rule, settings)
        state = "on" if reason is None else f"off: {reason}"
        yield f"# {rule.code} {rule.name:<{width}} {state}"
    for folder in built_in.unloaded_rules:
        state = "loaded by a run" if settings.rules else "not loaded"
        yield f"# local rules in {os.path.relpath(folder)}: {state}, not listed here"
