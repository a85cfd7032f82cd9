"""What a rule looks at: one declaration that gives the byte gate, the dispatch and a line of docs.

A trigger narrows in three steps, each dearer than the one before:

1. ``words``: byte strings, one of which must stand in the file, or it is not even decoded;
2. ``where``: a regular expression that must match in the file's code (comments and the inside
   of strings blanked), comments or strings; only the statements around its matches are parsed;
3. ``accepts``: a look at the shape of a node, before any name is resolved.

The steps may let too much through, never too little: whatever ``accepts`` allows must contain
one of the words and, at that place, a match of ``where``.

What one step has worked out, the next one keeps. Before anything is made of a file, each trigger
is asked whether it ``may_match`` the text; what its ``suspects`` find is kept with the file, and
so is what a rule then judges in a function that is marked ``once_per_file``: ``suspects`` and
``check`` ask the same function about the same name, and the second one gets the known answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

from rocmlint.formats import format_of
from rocmlint.lazy import compile_lazily
from rocmlint.rule.shapes import NAMES_OF
from rocmlint.rule.spelling import any_of, matches_at, renamed_in, spelt, where_called
from rocmlint.source.facts import once_per_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rocmlint.source.file import File
    from rocmlint.source.python import Source

    Finder = Callable[[Source], Iterable[re.Match[str]]]

Region = Literal["code", "comments", "strings"]
Kind = Literal["call", "attribute", "assignment", "import", "definition", "node", "comment", "part"]
Part = Literal[
    "",
    "commands",
    "comments",
    "declared",
    "indexes",
    "copies",
    "images",
    "configurations",
    "settings",
]
"""What a trigger looks at in other file formats: an attribute of ``formats.model.Parts``, or the
comments of the file."""


@dataclass(frozen=True)
class Trigger:
    """One kind of place that a rule wants to see."""

    kind: Kind
    names: frozenset[str]
    words: tuple[str, ...]
    where: str
    region: Region
    node_types: tuple[str, ...]
    description: str
    finder: Finder | None = None
    part: Part = ""
    opening: bool = False
    """Whether a word counts only where a statement may begin."""
    dull: str = ""
    """With ``opening``: matches statements, to the end of their line, that do not count either."""
    suspects: Finder | None = None
    """Finds the places in the text alone, those in strings and comments too."""
    begins: tuple[str, ...] = ()
    """The words with one of which every match of ``where`` begins, if that is certain."""

    @property
    def sees_python(self) -> bool:
        """Whether it looks at Python's syntax or comments."""
        return bool(self.node_types) or self.region == "comments"

    def matches(self, source: Source) -> Iterable[re.Match[str]]:
        """Find the places: by functions where one regular expression cannot tell them."""
        if self.finder is not None:
            return self.finder(source)
        if self.suspects is not None:
            return (each for each in _suspected(self.suspects, source) if _is_code(each, source))
        text = source.text if self.region == "strings" else source.code
        return self._matches_at_words(text) if self.begins else self.pattern.finditer(text)

    def _matches_at_words(self, text: str) -> Iterator[re.Match[str]]:
        return (each for word in self.begins for each in matches_at(word, self.pattern, text))

    def has_word(self, file: File) -> bool:
        """Check whether one of the words stands in a file, without which nothing matches."""
        text = file.written if self.region == "comments" else file.text
        return any(word in text for word in self.words)

    def may_match(self, file: File) -> bool:
        """Return, from the text of a Python file that has a word, whether it may match."""
        if self.suspects is not None:
            return bool(_suspected(self.suspects, cast("Source", file)))  # it asks for no syntax
        if self.region == "comments":
            return self.is_in_comments(file.written)
        if not self.node_types:
            return format_of(file.path) is not None
        if not self.begins or any(True for _ in self._matches_at_words(file.text)):
            return True
        return not self.renameable.isdisjoint(_renamed(file))

    def is_in_comments(self, text: str) -> bool:
        """Check whether ``where`` matches in what may be a comment: from a ``#`` to the line's end.

        Each line is searched once: from each ``#`` again it would take the square of its length.
        """
        return any(self.pattern.search(each[0]) for each in _FROM_HASH.finditer(text))

    @cached_property
    def renameable(self) -> frozenset[str]:
        """The names that a file may give another one with ``import … as``."""
        return frozenset() if self.kind == "definition" else self.names

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """``where``, compiled."""
        return re.compile(self.where, re.MULTILINE)

    def accepts(self, node: Any, renamed: Mapping[str, str]) -> bool:
        """Return whether a node of ``node_types`` has the shape that the rule wants to see.

        ``renamed`` maps names that the file gives with ``import … as`` to the original ones.
        """
        names_of = NAMES_OF.get(self.kind)
        if names_of is None or not self.names:
            return True
        return any(
            name in self.names or renamed.get(name) in self.renameable for name in names_of(node)
        )


class On(tuple[Trigger, ...]):
    """The triggers of a rule; ``|`` joins them."""

    __slots__ = ()

    def __or__(self, other: On) -> On:
        return On((*self, *other))

    def __str__(self) -> str:
        return "; ".join(trigger.description for trigger in self)


def calls(
    *names: str,
    words: tuple[str, ...] = (),
    where: str = "",
    begins: tuple[str, ...] = (),
    suspects: Finder | None = None,
) -> On:
    """Look at calls of functions or methods with these last names, however imported.

    ``begins`` are words with one of which every match of ``where`` begins: it is tried nowhere
    else. It must match in text with comments wherever it matches in code. ``suspects`` finds the
    places itself, as for ``nodes``.
    """
    described = "calls of " + ", ".join(f"`{name}`" for name in names)
    if not where:
        where, begins = where_called(names), names
    return _named("call", ("Call",), names, words, where, described, begins, suspects)


def attributes(*names: str, words: tuple[str, ...] = (), where: str = "") -> On:
    """Look at attributes with these names, read or written."""
    described = "the attributes " + ", ".join(f"`{name}`" for name in names)
    return _named("attribute", ("Attribute",), names, words, where, described)


def assignments(*names: str, words: tuple[str, ...] = (), where: str = "") -> On:
    """Look at assignments to names or attributes with these last names, without names to all."""
    described = "assignments" + "".join(f" `{name}`" for name in names)
    types = ("Assign", "AnnAssign", "AugAssign")
    return _named("assignment", types, names, words, where, described)


def imports(*modules: str, words: tuple[str, ...] = (), where: str = "") -> On:
    """Look at ``import`` and ``from … import`` statements of these top-level modules."""
    described = "imports of " + ", ".join(f"`{module}`" for module in modules)
    return _named("import", ("Import", "ImportFrom"), modules, words, where, described)


def definitions(*names: str, suspects: Finder | None = None) -> On:
    """Look at functions and classes with these names; ``suspects`` as for ``nodes``."""
    described = "definitions of " + ", ".join(f"`{name}`" for name in names)
    words = tuple(f"{keyword} {name}" for keyword in ("def", "class") for name in names)
    where = rf"(?:def|class)[\s\\]+(?:{'|'.join(names)})\b"
    types = ("FunctionDef", "ClassDef")
    begins = spelt(words)
    return _named("definition", types, names, words, where, described, begins, suspects)


def nodes(  # noqa: PLR0913 - all but the words have defaults
    *types: str,
    words: tuple[str, ...],
    where: str = "",
    described: str = "",
    finder: Finder | None = None,
    suspects: Finder | None = None,
    opening: bool = False,
    dull: str = "",
) -> On:
    """Look at nodes of these LibCST types in which a match of ``where`` begins.

    ``finder`` finds the matches itself, where they depend on each other or on the project.
    ``suspects`` does so from the text alone, without telling strings and comments from code: a file
    in which it finds nothing is done before anything is made of it. With ``opening`` the words
    count only where a statement may begin, so that prose and doctests let no file through; nor do
    they where ``dull`` matches: statements, to the end of their line, with nothing to look at.
    """
    text = described or "nodes " + ", ".join(f"`{name}`" for name in types)
    begins = () if where or finder or suspects else words
    where = where or any_of(words)
    found = Trigger(
        *("node", frozenset[str](), spelt(words), where, "code", types, text),
        finder=finder,
        suspects=suspects,
        opening=opening,
        dull=dull,
        begins=begins,
    )
    return On((found,))


def strings(where: str, words: tuple[str, ...]) -> On:
    """Look at string literals where ``where`` matches; ``check`` gets each ``SimpleString``.

    The other strings of the same definition come too, so ``check`` must ask for the text itself.
    Parts of f-strings come as ``FormattedStringText``.
    """
    types = ("SimpleString", "FormattedStringText")
    text = f"strings that match `{where}`"
    return On((Trigger("node", frozenset(), words, where, "strings", types, text),))


def comments(where: str, words: tuple[str, ...], described: str = "") -> On:
    """Look at comments with a match of ``where``; ``check`` gets a ``Comment``.

    ``where`` is searched in each comment, from its ``#`` on, so it need not look for one. It is
    searched in what looks like a comment first, even in a string.
    """
    text = described or f"comments that match `{where}`"
    return On((Trigger("comment", frozenset(), words, where, "comments", (), text),))


_FROM_HASH = re.compile("#.*")
_RUNNERS = {
    "subprocess": (
        *("run", "call", "check_call", "check_output", "Popen", "getoutput", "getstatusoutput"),
        *("create_subprocess_exec", "create_subprocess_shell"),
    ),
    "os": ("system", "popen"),
    "ipython": ("system",),
    "pip": ("main",),
    "nox": ("install", "conda_install", "run", "run_always", "run_install"),
}
"""The last names of the functions that run a command, by a word of their module."""
_GETTERS = ("get", "getenv", "setdefault")
_COMMAND_DEFAULT = compile_lazily(
    rf"\b(?:{'|'.join(_GETTERS)})[\s\\]*\([\s\\]*(?:key[\s\\]*=[\s\\]*)?[rbuRBU]*[\"']+[A-Z]\w*(?:COMMAND|CMD)\b"
)
"""Where a variable that holds a command gets its default: that is a command too."""


def _called_runners(source: Source) -> Iterator[re.Match[str]]:
    """Find where a function that runs commands may be called, or gets another name."""
    for module, names in _RUNNERS.items():
        for name in names if module in source.text else ():
            yield from matches_at(name, _runner(name), source.text)
    if "COMMAND" in source.text or "CMD" in source.text:
        yield from _COMMAND_DEFAULT.finditer(source.text)


@cache
def _runner(name: str) -> re.Pattern[str]:
    return re.compile(rf"{where_called((name,))}|{re.escape(name)}[ \t]+as\b")


def commands(*words: str, described: str, called: bool = True) -> On:
    """Look at commands: in shell scripts, Dockerfiles, workflows, notebooks, and calls of Python.

    ``check`` gets a ``Command``. One of ``words`` must be in it.
    Without ``called``, calls of Python do not count.
    """
    names = frozenset(name for runners in _RUNNERS.values() for name in runners)
    names |= frozenset(_GETTERS)
    found = Trigger(
        *("part", names, words, "", "code", ("Call",) if called else (), described),
        part="commands",
        suspects=_called_runners if called else None,
    )
    return On((found,))


def declared(*packages: str, described: str) -> On:
    """Look at requirements that a project declares, in any of the formats that do.

    ``check`` gets a ``Declared``. One of ``packages`` must be in the
    file, spelt with ``-`` or ``_``.
    """
    spelt = tuple(dict.fromkeys(each.replace("-", mark) for each in packages for mark in "-_"))
    return _part("declared", spelt, described)


def indexes(*words: str, described: str) -> On:
    """Look at URLs of package indexes that a file declares.

    ``check`` gets an ``Index``. One of ``words`` must be in the file.
    Those in commands are in the command's words.
    """
    return _part("indexes", words, described)


def copies(*words: str, described: str) -> On:
    """Look at COPY and ADD of Dockerfiles with one of ``words``; ``check`` gets a ``Copy``."""
    return _part("copies", words, described)


def configurations(*words: str, described: str) -> On:
    """Look at DeepSpeed's configurations in JSON and YAML; ``check`` gets a ``DeepSpeedConfig``."""
    return _part("configurations", words, described)


def settings(*words: str, described: str) -> On:
    """Look at the variables that scripts, images and services set for what they start.

    ``check`` gets a ``Setting``. One of ``words`` must be in the
    file.
    """
    return _part("settings", words, described)


def remarks(*words: str, described: str) -> On:
    """Look at comments of scripts, images and services with one of ``words``.

    ``check`` gets a ``Comment``.
    """
    return _part("comments", words, described)


def _part(part: Part, words: tuple[str, ...], described: str) -> On:
    return On((Trigger("part", frozenset(), words, "", "code", (), described, part=part),))


def _named(  # noqa: PLR0913, PLR0917 - one place that fills in what the public functions leave out
    kind: Kind,
    types: tuple[str, ...],
    names: tuple[str, ...],
    words: tuple[str, ...],
    where: str,
    description: str,
    begins: tuple[str, ...] = (),
    suspects: Finder | None = None,
) -> On:
    words = words or names
    if not words:
        message = "a trigger without names needs words"
        raise ValueError(message)
    begins = begins if where else words
    where = where or any_of(words)
    found = Trigger(
        *(kind, frozenset(names), spelt(words), where, "code", types, description),
        begins=begins,
        suspects=suspects,
    )
    return On((found,))


@once_per_file
def _suspected(finder: Finder, source: Source) -> tuple[re.Match[str], ...]:
    return tuple(finder(source))


@once_per_file
def _renamed(file: File) -> frozenset[str]:
    """Return the names that may stand in the code by another name: ``import … as``."""
    return frozenset(old for old, _ in renamed_in(file.text))


def _is_code(match: re.Match[str], source: Source) -> bool:
    """Return whether a match in the text is neither in a string nor in a comment."""
    return source.code.startswith(match[0][0], match.start())
