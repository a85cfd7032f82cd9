"""ROC208, unquoted-specifier."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats import Role, has_role
from rocmlint.rule import Edit, Fix, PartRule, commands, compile_lazily, fitted, once_per_file
from rocmlint.rule.put_aside import is_aside

from ._installs.words import TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rocmlint.rule import Command, File, Finding, Install, Redirect, Span, Word

_PACKAGE = compile_lazily(r"[A-Za-z0-9](?:[\w.-]*\w)?(?:\[[\w\s,.-]*\])?(?:[!~=]=[\w.*+!]+,)?\Z")
_VERSION = compile_lazily(r"\d+(?:\.(?:\d+|\*))*(?:\.?(?:a|b|rc|dev|post)\d*)?(?:,.*)?\Z")
_LOWER = compile_lazily(r">=?[ \t]*\d[\w.]*\Z")
_MOST_NAMED = 4
_PLAIN = compile_lazily(r"[^'\"\\`\n]+\Z")


_Specifier = tuple["Word", "list[Redirect]"]
"""A package, and the redirections that were meant to say its version."""


class _CutOff(NamedTuple):
    """The specifiers that a command loses."""

    command: Command
    install: Install
    found: Sequence[_Specifier]


def is_for_other_gpus(cut_off: _CutOff, source: File) -> bool:
    """Commands in an image for other GPUs, by its base or by what it installs."""
    from rocmlint.project import platforms  # noqa: PLC0415 - few commands have any

    image = cut_off.command.step.image
    if image is None:
        return False
    return platforms.of_image(image) == "other" or platforms.of_text(source.text) == "other"


def takes_newest(cut_off: _CutOff, source: File) -> bool:
    """Lower bounds with `--upgrade` or in a workflow: there pip takes the newest release anyway."""
    is_fresh = has_role(source.path, Role.ON_RUNNERS)
    is_lower = _loses_lower_bounds(cut_off.found)
    return is_lower and (is_fresh or cut_off.install.upgrade)


def _loses_lower_bounds(found: Sequence[_Specifier]) -> bool:
    return all(_LOWER.match(_text(redirects)) for _, redirects in found)


class UnquotedSpecifier(PartRule["Command"]):
    """Specifier is not quoted, so the shell takes ``>`` for a redirection.

    ## Why it matters
    The shell cuts `>=2` off, sends what pip prints to a file named `=2`, and pip installs any
    `numpy`: the lower bound is gone and nothing says so. With `numpy<2` the shell looks for a
    file named `2` and does not run the command at all.

    Each of both is reported once a file. Not reported: commands that no shell reads (the exec form
    in a Dockerfile, a list of words in Python), and `pip install numpy > log.txt`.

    ## Example
    ```shell
    pip install numpy>=2
    ```

    ## Use instead
    Quote the requirement.
    ```shell
    pip install "numpy>=2"
    ```

    ## Fix safety
    Quotes are safe. There is no fix where the requirement has quotes or backslashes already.

    ## References
    - https://www.gnu.org/software/bash/manual/html_node/Redirections.html
    - https://packaging.python.org/en/latest/specifications/dependency-specifiers/
    """

    code = "ROC208"
    name = "unquoted-specifier"
    since = "0.1.0"
    severity = "warning"
    tiers = {"error": "`<` makes the shell read a file"}  # noqa: RUF012 - a constant of the class
    skips = frozenset({"archive"})
    on = commands(*TOOLS, described="commands of a shell that install packages")
    excuses = (is_for_other_gpus,)
    doubts = (is_aside, takes_newest)

    def check(self, node: Command, source: File) -> Iterator[Finding]:
        """Find redirections that are meant as version specifiers."""
        if not node.shell or not node.redirects:
            return
        from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

        install = install_of(node)
        if install is None:
            return
        found = list(_cut_off(node))
        severity = self.severity_of(_CutOff(node, install, found), source) if found else None
        if severity is None:
            return
        word, redirects = found[0]
        first, last = redirects[0].span, redirects[-1].span
        start = word.span if word.span[2:] == first[:2] else first
        written = " ".join(source.text_at(_joined(word.span, last)).split())
        lost = [each.text for each, _ in found if not _is_bounded_elsewhere(each, source)]
        reads = any(each.operator == "<" for _, some in found for each in some)
        unmet = next(filter(None, map(_unmet, found)), "")
        quoted = _quoted(written, found[0], source)
        finding = self.finding(
            _Place(_joined(start, last)),
            source,
            _message(redirects, node),
            help=unmet or _help(quoted, None if reads else lost, found, install),
            fix=None if unmet else _fixes(found, source),
            severity="error" if reads else severity,
        )
        yield replace(finding, once=f"{self.code} {source.path} {'<' if reads else '>'}")


class _Place:
    """What a finding spans."""

    def __init__(self, span: Span) -> None:
        self.span = span


def _joined(first: Span, last: Span) -> Span:
    return first._replace(end_line=last.end_line, end_column=last.end_column)


def _cut_off(command: Command) -> Iterator[tuple[Word, list[Redirect]]]:
    """Yield each package with the redirections that were meant to say its version."""
    words = sorted(command.words, key=lambda each: each.span[2:])
    ends = [each.span[2:] for each in words]
    redirects = deque(command.redirects)
    while redirects:
        found = [redirects.popleft()]
        at = bisect_right(ends, found[0].span[:2])
        word = words[at - 1] if at else None
        if word is None or not _PACKAGE.match(word.text) or not _is_specifier(found[0]):
            continue
        while redirects and redirects[0].span[:2] == found[-1].span[2:]:
            found.append(redirects.popleft())
        yield word, found


def _is_specifier(redirect: Redirect) -> bool:
    if redirect.operator not in {">", "<"}:
        return False
    text, span = redirect.target.text, redirect.span
    if span.line != span.end_line or span.end_column - span.column <= len(text):
        return False
    if span.end_column - span.column > len(text) + 1 and not redirect.target.quoted:
        return False  # a blank stands behind the operator
    if text.startswith("="):
        return True
    return not redirect.spaced and bool(_VERSION.match(text))


def _is_bounded_elsewhere(word: Word, source: File) -> bool:
    """Return whether another requirement of the file bounds the version of a package."""
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - few commands need it

    return canonicalize_name(word.text.partition("[")[0]) in _bounded(source)


@once_per_file
def _bounded(source: File) -> frozenset[str | None]:
    from rocmlint.rule import installs_of  # noqa: PLC0415 - few commands need it

    return frozenset(
        each.name
        for _, install in installs_of(source.parts.commands)
        for each in install.requirements
        if each.requirement is not None and each.requirement.specifier
    )


def _text(redirects: list[Redirect]) -> str:
    return "".join(each.operator + each.target.text for each in redirects)


def _unmet(found: _Specifier) -> str:
    """Return what to do about a lower bound above all known releases: quoted, pip finds none."""
    from packaging.utils import canonicalize_name  # noqa: PLC0415 - few commands need it

    from rocmlint.published import requirements as published  # noqa: PLC0415
    from rocmlint.text.written import requirement_of  # noqa: PLC0415

    word, redirects = found
    requirement = requirement_of(f"{word.text}{_text(redirects)}")
    if requirement is None or not _loses_lower_bounds([found]):
        return ""
    known = published.releases(canonicalize_name(requirement.name))
    if not known or requirement.specifier.contains(known[-1]):
        return ""
    return (
        f"No known release of {requirement.name} meets `{requirement.specifier}`: the newest is "
        f"{known[-1]}. Correct the version, then quote the requirement."
    )


def _message(redirects: list[Redirect], command: Command) -> str:
    cut_off = _text(redirects)
    read = next((each.target.text for each in redirects if each.operator == "<"), None)
    if read is not None:
        return fitted(
            "The shell reads the file `{}` for `{}`, or does not run the command", read, cut_off
        )
    target = redirects[0].target.text
    last = [each for each in command.redirects if each.operator in {">", ">>"}][-1]
    does = "writes the output to a" if last is redirects[0] else "creates an empty"
    return fitted("The shell cuts `{}` off, and {does} file `{}`", cut_off, target, does=does)


def _help(
    quoted: str, lost: list[str] | None, found: Sequence[_Specifier], install: Install
) -> str:
    """Return what to write; ``lost`` are the packages whose bounds are, None if a file is read."""
    wanted = f"Write `{quoted}`" if quoted else "Put all of the requirement in quotes"
    wanted += "" if len(found) == 1 else ", and the others in this command too"
    if lost is None:
        return f"{wanted}: the shell takes an unquoted `<` for a redirection."
    if lost and _upgrades(install, found):
        return f"{wanted}: as it is, only `--upgrade` takes a version that meets the bound."
    if not lost:
        return f"{wanted}: as it is, only the other requirements of this file bound the version."
    tool = install.tool.split(" ", maxsplit=1)[0]
    names = [f"`{each}`" for each in dict.fromkeys(lost)]
    if len(names) > _MOST_NAMED:
        names = [*names[: _MOST_NAMED - 1], f"{len(names) - _MOST_NAMED + 1} others"]
    *others, last = names
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"{wanted}: as it is, {tool} installs any version of {listed}."


def _upgrades(install: Install, found: Sequence[_Specifier]) -> bool:
    """Return whether only lower bounds are lost, which the newest release meets."""
    return install.upgrade and _loses_lower_bounds(found)


def _quoted(written: str, found: _Specifier, source: File) -> str:
    """Write a requirement in quotes that may stand there; "" where more of it is to be quoted."""
    if found[1][0].target.text == "=" or {"'", '"'} & set(written):
        return ""
    edit = _edit(found, source)
    mark = '"' if edit is None else edit.replacement[0]
    return f"{mark}{written}{mark}"


def _fixes(found: Sequence[_Specifier], source: File) -> Fix | None:
    """Quote all requirements of a command that can be quoted."""
    edits = [edit for each in found if (edit := _edit(each, source)) is not None]
    title = "Put the requirement in quotes" if len(edits) == 1 else "Put them in quotes"
    return Fix(title, tuple(edits), safe=True) if edits else None


def _edit(found: _Specifier, source: File) -> Edit | None:
    """Return the edit that quotes a requirement, where it makes one word of it."""
    if not source.path.endswith((".py", ".pyi", ".ipynb")):
        return _edits(source).get(_span(found))
    both = (_quoting(found, source, mark) for mark in ('"', "'"))
    return next((each for each in both if each and not _is_in_quotes(each, source)), None)


def _span(found: _Specifier) -> Span:
    word, redirects = found
    return _joined(word.span, redirects[-1].span)


@once_per_file
def _edits(source: File) -> dict[Span, Edit]:
    """Return the edits that make one word of each requirement: they may stand in other quotes.

    All are tried together: to parse the file for each would take the square of its length.
    """
    commands = (each for each in source.parts.commands if each.shell)
    found = {_span(each): each for command in commands for each in _cut_off(command)}
    held: dict[Span, Edit] = {}
    for wanted in (True, False):
        tried = dict(held)
        for span in found.keys() - held.keys():
            double = _quoting(found[span], source, '"')
            is_double = double is not None and _is_in_quotes(double, source) is not wanted
            edit = double if is_double else _quoting(found[span], source, "'")
            tried |= {} if edit is None else {span: edit}
        words = _words(tried.values(), source) if len(tried) > len(held) else set()
        held |= {span: edit for span, edit in tried.items() if (edit.line, edit.was) in words}
    return held


def _quoting(found: _Specifier, source: File, mark: str) -> Edit | None:
    """Put a requirement in quotes, if it may be written in them."""
    if found[1][-1].target.text.rstrip(",") in {"", "="}:
        return None  # `>= 2`: the version is a word of its own
    span = _span(found)
    written = source.text_at(span)
    is_plain = span.line == span.end_line and _PLAIN.match(written) is not None
    if not is_plain or ("$" in written and mark == "'"):
        return None
    return Edit(*span, f"{mark}{written}{mark}", was=written)


def _is_in_quotes(edit: Edit, source: File) -> bool:
    line = source.lines[edit.line - 1]
    return line[: edit.column - 1].count(edit.replacement[0]) % 2 == 1


def _words(edits: Iterable[Edit], source: File) -> set[tuple[int, str | None]]:
    """Return the words that programs get once requirements are quoted, each with its line."""
    from rocmlint.formats import parse  # noqa: PLC0415 - loads a parser

    pieces, end = [], 0
    for each in sorted(edits, key=lambda edit: (edit.line, edit.column)):
        start = source.offset_of(each.line) + each.column - 1
        pieces += [source.text[end:start], each.replacement]
        end = start + len(each.was or "")
    text = "".join([*pieces, source.text[end:]])
    commands = parse(source.path, text).commands
    return {(word.span.line, word.text) for command in commands for word in command.words}
