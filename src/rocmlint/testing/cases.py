"""All that is tested of the rules in a directory, one case for each fixture and each law."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule.places import attribute_line
from rocmlint.testing import code, pages
from rocmlint.testing.code import Fixture
from rocmlint.testing.failure import Failure
from rocmlint.testing.fixtures import RuleFolder

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    from rocmlint.rule.registry import RuleType

    Law = Callable[[], Iterable[Failure]]


class Case(NamedTuple):
    """One thing that must hold for a rule: its name, and how to find out."""

    rule: RuleType
    name: str
    """The fixture or the rule, and what must hold: ``slow_copy/bad.py: marked lines are found``."""
    law: Law

    def __str__(self) -> str:
        """Return the name."""
        return self.name

    def failures(self) -> list[Failure]:
        """Return what is wrong; nothing if the test passes."""
        return list(self.law())


def cases(folder: str | os.PathLike[str]) -> list[Case]:
    """Return the tests of all rules in a directory.

    For each rule: its documentation has what its page needs, its example is found, and what to use
    instead is not. For each fixture: the marked lines are found and no others, good code is silent,
    ``on`` leaves out nothing that the rule would find, messages are short, and the fixes make the
    fixed file. Raises ConfigError if the directory has no rules, and RuleError if one cannot be
    loaded.
    """
    found = RuleFolder(folder)
    # Several rules may be in one file, with one folder of fixtures: those that look at code count.
    by_use = sorted(found.rules, key=lambda rule: bool(rule.on))
    places = {found.place_of(rule): rule for rule in by_use}
    fixtures = {place: _fixtures(found, rule) for place, rule in places.items()}
    tests: list[Case] = []
    for rule in found.rules:
        tests += _of_rule(found, rule, fixtures[found.place_of(rule)].bad)
    for place, rule in places.items():
        tests += _of_fixtures(found, rule, fixtures[place])
    return tests


class _Fixtures(NamedTuple):
    """The fixtures of a file with rules: the same objects for all laws, so each is linted once."""

    bad: list[Fixture]
    good: list[Fixture]


def _fixtures(folder: RuleFolder, rule: RuleType) -> _Fixtures:
    """Return the fixtures of a rule; what rocmlint itself applies has no generic ones."""
    kinds = (folder.files(rule, kind) if rule.on else [] for kind in _Fixtures._fields)
    return _Fixtures(*([Fixture(folder, rule, path) for path in paths] for paths in kinds))


def _of_rule(folder: RuleFolder, rule: RuleType, bad: list[Fixture]) -> Iterator[Case]:
    """Yield what must hold for a rule, whatever its fixtures are."""
    at = Failure(*attribute_line(rule, ""), "")
    laws: dict[str, Law] = {
        "its documentation is complete": partial(pages.documentation_is_complete, rule, at),
        "its excuses and options are explained": partial(pages.excuses_are_explained, rule, at),
        "its example is found": partial(pages.the_example_is_found, folder, rule, at),
        "what to use instead is silent": partial(pages.use_instead_is_silent, folder, rule, at),
    }
    if rule.on:
        laws |= {
            "it has bad and good code": partial(code.has_bad_and_good_code, folder, rule, at),
            "its fixes are shown": partial(code.fixes_are_shown, folder, rule, bad, at),
            "its fixes say how safe they are": partial(pages.fixes_say_how_safe, rule, bad, at),
        }
    yield from (Case(rule, f"{folder.place_of(rule)}: {law}", run) for law, run in laws.items())


def _of_fixtures(folder: RuleFolder, rule: RuleType, fixtures: _Fixtures) -> Iterator[Case]:
    """Yield what must hold for each fixture of a rule."""
    for each in fixtures.bad:
        yield _case(each, "marked lines are found", code.marked_lines_are_found)
        yield _case(each, "messages are short", code.messages_are_short)
    for each in fixtures.good:
        yield _case(each, "good code is silent", code.good_code_is_silent)
    for each in (*fixtures.bad, *fixtures.good):
        if each.path.suffix == ".py":
            yield _case(each, "shortcuts change no finding", code.shortcuts_change_no_finding)
    for fixed in folder.files(rule, "fixed") if rule.on else ():
        inside = fixed.relative_to(folder.folder_of(rule)).as_posix()
        bad = Fixture(folder, rule, folder.folder_of(rule) / inside.replace("fixed", "bad"))
        law = partial(code.fixes_make_the_fixed_file, fixed=fixed)
        yield _case(bad, "fixes make the fixed file", law)


def _case(fixture: Fixture, law: str, run: Callable[[Fixture], Iterable[Failure]]) -> Case:
    name = fixture.path.relative_to(fixture.folder.fixtures).as_posix()
    return Case(fixture.rule, f"{name}: {law}", partial(run, fixture))
