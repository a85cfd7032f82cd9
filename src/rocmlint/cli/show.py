"""``--show-files`` and ``--show-settings``: what a run would do, without doing it."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from rocmlint.config.option import plain
from rocmlint.config.settings import OPTIONS
from rocmlint.lint.discover import discover
from rocmlint.lint.selection import enabled_rules, options_of, why_off
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.cli.job import Job
    from rocmlint.config.settings import Settings


def files(job: Job) -> int:
    """Print the files that would be linted."""
    exclude = job.flags.force_exclude
    found = discover(job.paths, job.configuration.settings_for, force_exclude=exclude)
    for each in found.files:
        print(each.path)
    for line in (*found.problems, *found.notes):
        print(line, file=sys.stderr)
    return 2 if found.problems else 0


def settings(job: Job) -> int:
    """Print the settings that hold for the first path, and which rules they switch on."""
    enabled_rules(job.settings)  # refuses what means nothing
    print("\n".join(_lines(job.settings)))
    return 0


def _lines(settings: Settings) -> Iterator[str]:
    yield f"# for {settings.root}"
    for path in settings.sources:
        yield f"# from {os.path.relpath(path)}"
    for name, option in OPTIONS.items():
        value = getattr(settings, name.replace("-", "_"), None)
        if value is not None:
            yield f"{name} = {_toml(plain(value, option))}"
    rules = load_rules(settings.rules)
    for rule in rules:
        if rule.options:
            yield f"\n[{rule.name}]"
        for name, value in options_of(rule, settings).items():
            yield f"{name} = {_toml(plain(value, rule.options[name]))}"
    yield ""
    width = max(len(rule.name) for rule in rules)
    for rule in rules:
        reason = why_off(rule, settings)
        state = "on" if reason is None else f"off: {reason}"
        yield f"# {rule.code} {rule.name:<{width}} {state}"


def _toml(value: object) -> str:
    """Write a value as TOML, which for all but tables is as JSON writes it."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(k)} = {_toml(v)}' for k, v in value.items())} }}"
    return json.dumps(value)
