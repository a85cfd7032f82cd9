"""ROC208, unquoted-specifier."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.formats import format_of
from rocmlint.rule import Edit, Fix, PartRule, commands, compile_lazily, fitted
from rocmlint.rule.put_aside import is_aside

from ._installs.commands import TOOLS
from ._installs.owners import runs_here

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packaging.version import Version

    from rocmlint.rule import Command, File, Finding, Install, Redirect, Span, Word

_PACKAGE = compile_lazily(r"[A-Za-z0-9](?:[\w.-]*\w)?(?:\[[\w\s,.-]*\])?(?:[!~=]=[\w.*+!]+,)?\Z")
_VERSION = compile_lazily(r"\d+(?:\.(?:\d+|\*))*(?:\.?(?:a|b|rc|dev|post)\d*)?(?:,.*)?\Z")
_LOWER = compile_lazily(r">=?[ \t]*\d[\w.]*\Z")
_IN_CONTAINER = compile_lazily(r"\b(?:docker|podman)[ \t]+(?:exec|run)\b")
_PLAIN_SYSTEM = compile_lazily(
    r"(?:docker\.io/)?(?:library/)?(?:python|ubuntu|debian|fedora|alpine|almalinux|rockylinux"
    r"|nvidia/cuda|rocm/dev-[\w.-]+)(?:[:@]|\Z)"
)
_OLDEST_PYTHON = "3.10"
"""The oldest Python that counts as one of today, where the project names none."""
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
    """Commands in an image for other GPUs: nobody builds it for ROCm.

    Its base says so, or what it installs, or its name, where the project is for ROCm or one for
    ROCm is next to it.
    """
    from rocmlint.project import platforms  # noqa: PLC0415 - few commands have any

    image = cut_off.command.step.image
    if image is None or platforms.of_image(image) == "other":
        return image is not None
    if platforms.of_text(source.text) == "other":
        return True
    folder, name = os.path.split(source.path)
    if platforms.of_name(name) != "other":
        return False
    beside = map(platforms.of_name, source.names_in(folder or "."))
    return "rocm" in beside or source.project.is_rocm


def is_for_other_owners(cut_off: _CutOff, source: File) -> bool:
    """Jobs of a workflow that run for another owner than that of this repository.

    They may only need a job that does. Where that owner is unknown, lower bounds alone.
    """
    runs = runs_here(cut_off.command, source)
    return runs is False or (runs is None and _loses_lower_bounds(cut_off.found))


def is_fresh(cut_off: _CutOff, source: File) -> bool:
    """Lower bounds in a workflow: a machine that starts empty gets the newest release anyway.

    In a container an older release may be there, but for that of a plain system.
    """
    found = format_of(source.path)
    if found is None or found.name != "workflow" or not _loses_lower_bounds(cut_off.found):
        return False
    image = cut_off.command.step.image
    if image is not None:
        return _PLAIN_SYSTEM.match(image.text) is not None
    return not _IN_CONTAINER.search(source.lines[cut_off.command.span.line - 1])


def is_beside_dead_torch(cut_off: _CutOff, source: File) -> bool:
    """Lower bounds beside a pin like `torch==1.7.1`, which has no wheel for a Python of today.

    Nobody installs the two any more, but where an image or the project has an older Python.
    """
    if cut_off.command.step.image is not None or not _loses_lower_bounds(cut_off.found):
        return False
    from packaging.version import Version  # noqa: PLC0415 - few commands are cut off

    from rocmlint.project.python_version import newest_python_of, python_version  # noqa: PLC0415

    newest = [newest_python_of(each) for each in _torch_pinned(source)]
    oldest = python_version(source.project) or Version(_OLDEST_PYTHON)
    return any(each is not None and each < oldest for each in newest)


def _torch_pinned(source: File) -> Iterator[Version]:
    """Yield the releases of torch that the commands of a file pin, whatever a branch decides."""
    from rocmlint.published.requirements import pin  # noqa: PLC0415 - few commands are cut off
    from rocmlint.rule import installs_of  # noqa: PLC0415

    for command, install in installs_of(source.parts.commands):
        for each in () if command.branches else install.requirements:
            pinned = None if each.requirement is None else pin(each.requirement.specifier)
            if each.name == "torch" and pinned is not None:
                yield pinned


def is_upgraded_in_notebook(cut_off: _CutOff, source: File) -> bool:
    """Lower bounds in a cell with `--upgrade`: pip takes the newest release, and the cell goes on.

    In a script the file of that name stays in the checkout.
    """
    return source.path.endswith(".ipynb") and _upgrades(cut_off.install, cut_off.found)


def _loses_lower_bounds(found: Sequence[_Specifier]) -> bool:
    return all(_LOWER.match(_text(redirects)) for _, redirects in found)


class UnquotedSpecifier(PartRule["Command"]):
    """`pip install numpy>=2` without quotes, where a shell takes `>` for a redirection.

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
    skips = frozenset({"archive"})
    on = commands(*TOOLS, described="commands of a shell that install packages")
    excuses = (
        is_aside,
        is_for_other_gpus,
        is_for_other_owners,
        is_fresh,
        is_beside_dead_torch,
        is_upgraded_in_notebook,
    )

    def check(self, node: Command, source: File) -> Iterator[Finding]:
        """Find redirections that are meant as version specifiers."""
        if not node.shell or not node.redirects:
            return
        from rocmlint.rule import install_of  # noqa: PLC0415 - loads packaging

        install = install_of(node)
        if install is None:
            return
        found = list(_cut_off(node))
        if not found or self.is_excused(_CutOff(node, install, found), source):
            return
        word, redirects = found[0]
        first, last = redirects[0].span, redirects[-1].span
        start = word.span if word.span[2:] == first[:2] else first
        written = " ".join(source.text_at(_joined(word.span, last)).split())
        lost = [each.text for each, _ in found if not _is_bounded_elsewhere(each, source)]
        upgrades = _upgrades(install, found)
        reads = any(each.operator == "<" for _, some in found for each in some)
        finding = self.finding(
            _Place(_joined(start, last)),
            source,
            _message(redirects, node),
            help=_help(_quoted(written, found[0], source), None if reads else lost, found, install),
            fix=_fixes(found, source),
            severity="error" if reads or (lost and not upgrades) else "warning",
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
    redirects = list(command.redirects)
    while redirects:
        found = [redirects.pop(0)]
        word = _word_before(found[0], command)
        if word is None or not _is_specifier(found[0]):
            continue
        while redirects and redirects[0].span[:2] == found[-1].span[2:]:
            found.append(redirects.pop(0))
        yield word, found


def _word_before(redirect: Redirect, command: Command) -> Word | None:
    """Return the package that stands before a redirection."""
    before = [each for each in command.words if each.span[2:] <= redirect.span[:2]]
    return before[-1] if before and _PACKAGE.match(before[-1].text) else None


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

    from rocmlint.rule import install_of  # noqa: PLC0415

    name = canonicalize_name(word.text.partition("[")[0])
    installs = (install_of(each) for each in source.parts.commands)
    return any(
        each.requirement is not None
        and canonicalize_name(each.requirement.name) == name
        and each.requirement.specifier
        for install in installs
        for each in (() if install is None else install.requirements)
    )


def _text(redirects: list[Redirect]) -> str:
    return "".join(each.operator + each.target.text for each in redirects)


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
        return f"{wanted}: as it is, only `--upgrade` brings a version that meets the bound."
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
    fix = _fix(*found, source)
    mark = '"' if fix is None else fix.edits[0].replacement[0]
    return f"{mark}{written}{mark}"


def _fixes(found: list[tuple[Word, list[Redirect]]], source: File) -> Fix | None:
    """Quote all requirements of a command that can be quoted."""
    fixes = [_fix(word, redirects, source) for word, redirects in found]
    edits = [edit for fix in fixes if fix is not None for edit in fix.edits]
    title = "Put the requirement in quotes" if len(edits) == 1 else "Put them in quotes"
    return Fix(title, tuple(edits), safe=True) if edits else None


def _fix(word: Word, redirects: list[Redirect], source: File) -> Fix | None:
    if redirects[-1].target.text.rstrip(",") in {"", "="}:
        return None  # `>= 2`: the version is a word of its own
    span = _joined(word.span, redirects[-1].span)
    written = source.text_at(span)
    if span.line != span.end_line or not _PLAIN.match(written):
        return None
    for mark in ('"', "'"):
        edit = Edit(*span, f"{mark}{written}{mark}", was=written)
        if ("$" not in written or mark == '"') and _holds(edit, written, source):
            return Fix("Put the requirement in quotes", (edit,), safe=True)
    return None


def _holds(edit: Edit, written: str, source: File) -> bool:
    """Return whether a program gets what is in the new quotes as one word.

    They may stand in other quotes: `bash -c "…"`, a string of Python or YAML.
    """
    line = source.lines[edit.line - 1]
    if source.path.endswith((".py", ".pyi", ".ipynb")):
        return line[: edit.column - 1].count(edit.replacement[0]) % 2 == 0
    from rocmlint.formats import parse  # noqa: PLC0415 - loads a parser

    start = source.offset_of(edit.line) + edit.column - 1
    text = source.text[:start] + edit.replacement + source.text[start + len(written) :]
    return any(
        word.text == written and word.span.line == edit.line
        for command in parse(source.path, text).commands
        for word in command.words
    )
