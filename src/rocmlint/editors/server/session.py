"""What the server asks about files: lint, fix, suppress, explain; nothing of the protocol."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmlint.change.add_ignore import ignore_bytes
from rocmlint.change.change import change_bytes
from rocmlint.change.fix import fix_bytes, fix_text
from rocmlint.config.configuration import Configuration
from rocmlint.editors.server.messages import Linted
from rocmlint.errors import RocmlintError
from rocmlint.formats import is_notebook
from rocmlint.lint.as_in_run import settings_in_run
from rocmlint.lint.by_settings import BySettings
from rocmlint.lint.discovery.discover import rooted
from rocmlint.lint.first_sight import Opened
from rocmlint.lint.fold import folded
from rocmlint.lint.linter import Linter
from rocmlint.lint.selection import matches, rules_of
from rocmlint.lint.shared_disk import shared_disk
from rocmlint.report.baseline import without_known
from rocmlint.rule.documentation import summary
from rocmlint.rule.page import markdown
from rocmlint.rule.web import address
from rocmlint.source.decoding import encoding_of, text_of
from rocmlint.syntax.known_trees import KnownTrees
from rocmlint.text.text import with_plain_ends

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocmlint.change.change import Change
    from rocmlint.config.settings import Settings
    from rocmlint.editors.server.messages import Options, Unsaved
    from rocmlint.findings import Finding

_KEPT = 50
"""Files whose findings are kept for the actions that an editor asks for next."""
_WITH_TREES = 5
"""Files of which the trees are kept, too: those that somebody edits."""
_UNLOADED = "local rules are not loaded; start the server with --local-rules if you trust them"
_BOM = "\ufeff"


class _Kept(NamedTuple):
    """A file that was linted, and its findings one by one."""

    text: str
    settings: Settings
    found: Sequence[Finding]


class Session:
    """Answers as the command would; what it has read of the disk it knows until it is told."""

    def __init__(self, options: Options) -> None:
        """Read the options. Raises ConfigError."""
        self._configuration = Configuration(
            dict(options.over), config=options.config, isolated=options.isolated
        )
        self._settings_below: dict[str, Callable[[str], Settings]] = {}
        self._kept: dict[str, _Kept] = {}
        self._trees: dict[str, KnownTrees] = {}
        self.forget()

    def forget(self) -> None:
        """Forget what was read of the files around those that are linted."""
        disk = shared_disk(noted=False)
        self._linters = BySettings(lambda settings: Linter(settings, disk))
        self._kept.clear()

    def load(self) -> None:
        """Load what the first file would have to wait for."""
        from rocmlint.lint.workers import load_for_all  # noqa: PLC0415 - once, at the start

        load_for_all()
        with suppress(RocmlintError, OSError):  # each file tells of it
            linter = Linter(self._configuration.settings_for(os.getcwd()))
            for path, text in _SAMPLES.items():
                linter.lint_text(os.path.join(os.getcwd(), path), text)

    def lint(self, file: Unsaved) -> Linted:
        """Return what a run over the workspace would report of a file."""
        try:
            settings = self._settings_of(file)
            if settings is None:
                return Linted()
            return self._linted(file, settings)
        except RocmlintError as error:
            return Linted(problems=(str(error),))

    def _linted(self, file: Unsaved, settings: Settings) -> Linted:
        linter, text = self._linters.of(settings), with_plain_ends(file.text)
        analysis = linter.first_sight(file.path, text.encode(errors="replace"), text)
        if isinstance(analysis, Opened):
            with self._trees_of(file.path).used():
                analysis = linter.analyse(analysis)
        lines = analysis.text or ""
        self._keep(file, _Kept(file.text, settings, analysis.findings))
        shown = without_known(settings.baseline, folded(analysis.findings), file.path, lines)
        rules = sorted({(finding.code, finding.name) for finding in shown})
        return Linted(
            tuple(shown),
            tuple(analysis.problems),
            {code: page for code, name in rules if (page := address(code, name)) is not None},
            (*settings.sources, *settings.rules),
            tuple(f"{each}: {_UNLOADED}" for each in settings.unloaded_rules),
        )

    def _trees_of(self, path: str) -> KnownTrees:
        """Return what was parsed of a file, which mostly is as it was a moment ago."""
        known = self._trees.pop(path, None) or KnownTrees()
        self._trees[path] = known
        if len(self._trees) > _WITH_TREES:
            del self._trees[next(iter(self._trees))]
        return known

    def fix(self, file: Unsaved, finding: Finding) -> str | None:
        """Return the text with a finding fixed, None where that cannot be written back exactly."""

        def change(text: str, _: object, lint: Any) -> Any:
            return fix_text(file.path, text, [finding], lint, unsafe=True)

        return _text_after(file, lambda data: change_bytes(file.path, data, lambda _: (), change))

    def fix_all(self, file: Unsaved) -> str | None:
        """Return the text with all safe fixes, None if there are none."""
        return _text_after(
            file,
            lambda data: fix_bytes(file.path, data, self._again(file, data), unsafe=False),
            partly=True,
        )

    def ignore(self, file: Unsaved, finding: Finding, reason: str) -> str | None:
        """Return the text with a comment that hides a finding, None where none can."""

        def made(data: bytes) -> Change:
            lint = self._again(file, data)
            before = len(_alike(lint(data), finding))

            def left(changed: bytes) -> Sequence[Finding]:
                hidden = changed != data and len(_alike(lint(changed), finding)) < before
                return () if hidden else [finding]

            return ignore_bytes(file.path, data, left, reason)

        return _text_after(file, made)

    def page(self, selector: str, folder: str) -> str | None:
        """Return the page of a rule in Markdown, or a list of those that a selector means."""
        rules = rules_of(self._configuration.settings_for(folder))
        exact = [each for each in rules if selector in {each.code, each.name}]
        meant = exact or [each for each in rules if matches(selector, each)]
        if len(meant) == 1:
            return markdown(meant[0])
        listed = "\n".join(f"- `{each.code}` {each.name}: {summary(each)}" for each in meant)
        return f"# {selector}\n\n{listed}" if meant else None

    def _settings_of(self, file: Unsaved) -> Settings | None:
        if file.root not in self._settings_below:
            below = rooted([file.root], self._configuration.settings_for)
            self._settings_below[file.root] = below(file.root)
        beginning = file.text[:200].encode(errors="replace")
        return settings_in_run(file.root, file.path, beginning, self._settings_below[file.root])

    def _keep(self, file: Unsaved, kept: _Kept) -> None:
        self._kept.pop(file.path, None)
        self._kept[file.path] = kept
        if len(self._kept) > _KEPT:
            del self._kept[next(iter(self._kept))]

    def _again(self, file: Unsaved, data: bytes) -> Callable[[bytes], Sequence[Finding]]:
        """Return what lints changed bytes of a file; what is known of it is not linted again."""
        if file.path not in self._kept or self._kept[file.path].text != file.text:
            self._kept.pop(file.path, None)
            self.lint(file)
        kept = self._kept.get(file.path)
        if kept is None:  # it is not linted
            return lambda _: ()
        linter, settings, found = self._linters.of(kept.settings), kept.settings, kept.found

        def lint(changed: bytes) -> Sequence[Finding]:
            if changed == data:
                again, text = found, _decoded(file.path, data)
            else:
                with self._trees_of(file.path).used():
                    analysis = linter.lint(file.path, changed, folds=False)
                again, text = analysis.findings, analysis.text or ""
            return without_known(settings.baseline, again, file.path, text)

        return lint


_SAMPLES = {
    "sample.py": "import torch\n\n\ndef f(x):\n    return x.cuda().item()\n",
    "sample.sh": "pip install torch\n",
}
"""One file for each kind of parser."""


def _alike(findings: Sequence[Finding], finding: Finding) -> Sequence[Finding]:
    same = (finding.code, finding.message)
    return [each for each in findings if (each.code, each.message) == same]


def _text_after(
    file: Unsaved, change: Callable[[bytes], Change], *, partly: bool = False
) -> str | None:
    r"""Return the text that a change makes, with ``\n`` line ends; None where it makes none.

    A change that leaves something undone counts only where it may be made ``partly``.
    """
    try:
        made = change(_encoded(file))
    except (SyntaxError, ValueError, RocmlintError):
        return None
    if made.after == made.before or (made.problem is not None and not partly):
        return None
    return _decoded(file.path, made.after)


def _encoded(file: Unsaved) -> bytes:
    """Return the bytes that an editor writes. Raises SyntaxError and ValueError."""
    data = file.text.encode()
    if is_notebook(file.path):
        return data
    return file.text.removeprefix(_BOM).encode(encoding_of(file.path, data))


def _decoded(path: str, data: bytes) -> str:
    return with_plain_ends(data.decode("utf-8-sig")) if is_notebook(path) else text_of(path, data)
