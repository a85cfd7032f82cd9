"""The flake8 plugin: flake8 reads the files, handles ``noqa`` and prints; the rest is as always."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from rocmlint.config.configuration import Configuration
from rocmlint.lint.by_settings import BySettings
from rocmlint.lint.discovery.discover import is_excluded
from rocmlint.lint.first_sight import Opened
from rocmlint.lint.fold import folded
from rocmlint.lint.linter import Linter
from rocmlint.lint.rule_fault import told
from rocmlint.lint.selection import rules_of, selectors
from rocmlint.lint.shared_disk import shared_disk
from rocmlint.report.baseline import without_known
from rocmlint.rule.local import is_local
from rocmlint.version import __version__

if TYPE_CHECKING:
    import ast
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from rocmlint.config.settings import Settings

    Reported = tuple[int, int, str, type]


class Plugin:
    """The object that flake8 makes for each file.

    Our settings decide which rules are on. So does flake8's own ``--select``, if it has more than a
    bare prefix, which only lets findings through.
    """

    name: ClassVar[str] = "rocmlint"
    version: ClassVar[str] = __version__
    _configuration: ClassVar[Configuration]
    _linters: ClassVar[BySettings[Linter] | None] = None
    _selected: ClassVar[tuple[str, ...]] = ()
    _local_rules: ClassVar[bool] = True
    _told: ClassVar[set[str]] = set()
    """The places in local rules that a process of flake8 has reported."""

    # flake8 tells by the parameter ``tree`` that the plugin wants whole files.
    def __init__(self, tree: ast.AST, lines: Sequence[str], filename: str) -> None:  # noqa: ARG002
        """Take the decoded lines of a file; what is called filename may be standard input."""
        self._lines = lines
        self._path = filename

    @classmethod
    def add_options(cls, manager: Any) -> None:
        """Add our flag; a configuration of flake8, which may run code itself, cannot set it."""
        manager.add_option(
            "--rocmlint-no-local-rules",
            action="store_true",
            default=False,
            help=(
                "Do not load the local rules in `rules` of [tool.rocmlint]; loading them "
                "runs their code."
            ),
        )

    @classmethod
    def parse_options(cls, _manager: object, options: Namespace, files: Sequence[str]) -> None:
        """Take from flake8's own options which rules it is to select."""
        given = (*(options.select or ()), *(options.extend_select or ()))
        cls._selected = tuple(each for each in given if not each.isalpha())
        cls._local_rules = not getattr(options, "rocmlint_no_local_rules", False)
        cls._linters = None
        cls._told.clear()
        # flake8 shows only codes that begin with the name of a plugin, or that it is told of.
        shown = getattr(options, "extended_default_select", [])
        options.extended_default_select = [*shown, *cls._local_prefixes()]
        is_one = len(files) == 1 and not os.path.isdir(files[0])
        if sys.platform == "linux" and not is_one:  # elsewhere processes are not forked
            cls._load()

    def run(self) -> Iterator[Reported]:
        """Yield line (from 1), column (from 0), text and a type that flake8 does not look at.

        Whatever goes wrong is a finding too: an exception would end flake8's run for all files.
        """
        try:
            reported = list(dict.fromkeys(self._lint()))
        except Exception as error:  # noqa: BLE001
            reason = str(error) or type(error).__name__
            reported = [self._problem(reason)]
        yield from reported

    def _lint(self) -> Iterator[Reported]:
        text = "".join(self._lines)
        linter = self._linter(os.path.dirname(os.path.abspath(self._path)))
        seen = linter.first_sight(self._path, text.encode(errors="replace"), text)
        if not isinstance(seen, Opened) or is_excluded(self._path, linter.settings):
            return
        analysis = linter.analyse(seen, noqa=False)
        _keep_out_of_the_way()
        known = set(told(each for each in analysis.faults if each.place in self._told))
        self._told.update(each.place for each in analysis.faults)
        for problem in analysis.problems:
            if problem not in known:
                yield self._problem(problem)
        found, baseline = folded(analysis.findings), linter.settings.baseline
        for finding in without_known(baseline, found, self._path, text):
            severity = "note: " if finding.severity == "note" else ""
            message = f"{finding.code} {severity}{finding.message} [{finding.name}]"
            yield finding.line, finding.column - 1, " ".join(message.split()), type(self)

    @classmethod
    def _problem(cls, reason: str) -> Reported:
        return 1, 0, f"ROC900 {' '.join(reason.split())} [unreadable-file]", cls

    @classmethod
    def _local_prefixes(cls) -> list[str]:
        """Return how the codes of the local rules of the working folder begin."""
        with suppress(Exception):  # each file tells of it
            cls._configure()
            rules = rules_of(cls._configuration.settings_for(os.getcwd()))
            return sorted({each.code.rstrip("0123456789") for each in rules if is_local(each)})
        return []

    @classmethod
    def _load(cls) -> None:
        """Load what each of flake8's processes needs before they start."""
        from rocmlint.lint.workers import load_for_all  # noqa: PLC0415 - one file needs less

        load_for_all()
        with suppress(Exception):  # each file tells of it
            cls._linter(os.getcwd())
        _keep_out_of_the_way()

    @classmethod
    def _linter(cls, folder: str) -> Linter:
        if Plugin._linters is None:
            selected = cls._selected
            cls._configure()
            disk = shared_disk(noted=False)  # else each file would search its project again
            Plugin._linters = BySettings(lambda settings: Linter(_with(settings, selected), disk))
        return Plugin._linters.of(Plugin._configuration.settings_for(folder))

    @classmethod
    def _configure(cls) -> None:
        options = None if cls._local_rules else {"local-rules": False}
        Plugin._configuration = Configuration(options, without_notes=True)


@cache
def _keep_out_of_the_way() -> None:
    """Take what rocmlint has loaded, above all LibCST, out of the garbage collector's sight.

    It stays until the process ends, and would make every later collection of flake8 dearer:
    together they would cost as much as all the linting.
    """
    gc.collect()
    gc.freeze()


def _with(settings: Settings, selected: tuple[str, ...]) -> Settings:
    """Lay flake8's selection over our settings; flake8 has parsed each file before we see it."""
    known = selectors(rules_of(settings))
    return settings._replace(
        extend_select=(*settings.extend_select, *(each for each in selected if each in known)),
        ignore=tuple(each for each in settings.ignore if each not in selected),
        check_syntax=False,
    )
