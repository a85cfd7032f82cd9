"""The files of a project whose commands install what a list of requirements holds."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from rocmlint.formats import Role, has_role
from rocmlint.paths import relative
from rocmlint.project.inclusions import lists_in
from rocmlint.project.texts import texts_below
from rocmlint.rule import Related, document_beside, once_per_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.findings import Severity
    from rocmlint.rule import Command, Declared, File, Finding, Span

    from .cases import Harm

_MOST = 5
"""Commands that are named for one line."""


@once_per_file
def _installers(file: File) -> tuple[File, ...]:
    """Return the files that may install what a list holds: they name it, or one that includes it.

    Of a project file those that install a folder. Each is a file of its own folder.
    """
    names = _names(file)
    paths = texts_below(file.project.folders[-1], file) if names else ()
    texts = {path: file.read(path) for path in paths if has_role(path, Role.SETS_UP)}
    return tuple(
        document_beside(path, file)
        for path, text in texts.items()
        if "install" in text and any(name in text for name in names)
    )


def _names(file: File) -> set[str]:
    """Return the words of a command that installs a list: its name, or that of one around it."""
    if has_role(file.path, Role.METADATA):
        return {"install .", "install -e", 'install "', "install '", "install -"}
    if not has_role(file.path, Role.LIST):
        return set()
    own = os.path.basename(file.path)
    folder = os.path.dirname(os.path.abspath(file.path))
    near = {folder} if folder == file.project.folders[-1] else {folder, os.path.dirname(folder)}
    lists = (path for each in near for path in lists_in(each, file))
    return {own, *(os.path.basename(path) for path in lists if own in file.read(path))}


class Finds(Protocol):
    """A rule that finds what commands do to the torch or the Triton that is there."""

    code: ClassVar[str]
    skips: ClassVar[frozenset[str]]

    def harms_in(self, command: Command, file: File) -> Iterator[Harm]:
        """Yield what a command does, where nothing excuses it."""

    def finding(self, *args: Any, **kwargs: Any) -> Finding:
        """Make a finding of the rule."""


def finding_in_list(node: Declared, rule: Finds, file: File) -> Finding | None:
    """Return what commands that install a list do because of a requirement; None for nothing."""
    found = _by_place(rule, file).get(node.span, [])
    if not found:
        return None
    (harm, other), *_ = found
    name, torch, message = os.path.basename(other.path), harm.case.torch, harm.message
    advice = harm.help.replace(f": {harm.case.evidence}.", f": {name} says so.")
    if torch is not None and torch.where.startswith("line"):
        there = torch._replace(where=f"{torch.where} of {name}").described
        message = message.replace(torch.described, there)
    related = dict.fromkeys(_command_of(*each, file) for each in found)
    finding = rule.finding(node, file, message, help=advice, related=tuple(related)[:_MOST])
    return replace(finding, once=_once(rule.code, harm, other))


def finding_at_command(
    harm: Harm, rule: Finds, file: File, severity: Severity | None = None, once: str = ""
) -> Finding:
    """Return what a command does, ``once`` where no line of a list asks for it."""
    where = "" if harm.asked is None else harm.asked.where
    advice = f"{harm.help[:-1]} ({where} asks for it)." if where else harm.help
    finding = rule.finding(harm.place, file, harm.message, help=advice, severity=severity)
    return replace(finding, once=_once(rule.code, harm, file) or once)


@once_per_file
def _by_place(rule: Finds, file: File) -> dict[Span, list[tuple[Harm, File]]]:
    own = os.path.abspath(file.path)
    found: dict[Span, list[tuple[Harm, File]]] = {}
    for other in _installers(file):
        for command in () if rule.skips & other.kinds else other.parts.commands:
            for harm in rule.harms_in(command, other):
                listed = None if harm.asked is None else harm.asked.listed
                if listed is not None and listed[0] == own:
                    found.setdefault(listed[1], []).append((harm, other))
        file.depends_on(other)
    return found


def _once(code: str, harm: Harm, file: File) -> str:
    """Return what is the same at the command and at the line of the list; "" without a list."""
    if harm.asked is None or harm.asked.listed is None:
        return ""
    path, span = harm.asked.listed
    place = f"{relative(path, file.project.folders[-1])}:{span.line}"
    return f"{code} {place} {harm.asked.requirement}"


def _command_of(harm: Harm, other: File, file: File) -> Related:
    """Return the command in another file that installs the list, as a related place."""
    command = harm.case.command
    start = (command if harm.asked is None else harm.asked.word).span
    near = relative(os.path.abspath(other.path), os.path.dirname(os.path.abspath(file.path)))
    path = os.path.normpath(os.path.join(os.path.dirname(file.path), near))
    return Related(path, start.line, start.column, " ".join(each.text for each in command.words))
