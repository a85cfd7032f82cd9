"""Where a file uses names of the indexed packages, told from its text: no syntax is parsed.

Nor are strings and comments told from code, which is dear: what seems to be used in them counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

PACKAGES = ("accelerate", "diffusers", "huggingface_hub", "peft", "transformers", "trl")
"""The packages whose names are looked up, as they are imported."""
WORDS = tuple(f"{each} {package}" for package in PACKAGES for each in ("from", "import", ","))
"""What opens a statement in files that use one of these, or goes on with a list of imports."""
TORCH_WORDS = ("from torch.", "import torch.")
"""What opens a statement in files that use one of these; of torch only imports from submodules.

Other packages give torch attributes of their own (`torch.npu`), and every file uses some.
"""

DULL_IMPORTS = r"import torch\.nn(?:\.functional)?(?: as \w+)?[ \t]*(?:[\r\n#]|\Z)"
"""Imports of what every torch has; a third of the files that import torch have nothing else."""

# An expression that begins with a fixed word is searched ten times faster than any other.
_NAMES = r"(\([^)#]*(?:#[^\n]*[^)#]*)*\)|(?:[^\n\\;#]|\\\n)*)"
_FROM = compile_lazily(
    rf"from\b(?<!\wfrom)[ \t]+((?:{'|'.join(PACKAGES)}|torch)(?:[ \t]*\.[ \t]*\w+)*)"
    rf"[ \t]+import\b[ \t]*{_NAMES}"
)
_IMPORT = compile_lazily(rf"import\b(?<!\wimport)(?<![\w.] import)[ \t]*{_NAMES}")
"""What begins a statement: before ``import`` of ``from a import b`` stands a blank and a word."""
_LISTED = compile_lazily(rf"\b(?:{'|'.join(PACKAGES)}|torch)\b")
_DOT = compile_lazily(r"[ \t]*\.[ \t]*")
_NAME = compile_lazily(r"([\w.]+)(?:[ \t]+as[ \t]+(\w+))?")
_PLACE = compile_lazily(r"(?<![\w.])(\w+)((?:[ \t]*\.[ \t]*[^\W\d]\w*)*)")
_NEW_NAME = compile_lazily(r"^[ \t]*(\w+)[ \t]*=[ \t]*\(?[ \t]*\Z")
_ENDS = compile_lazily(r"[ \t]*\)?[ \t]*(?:#|$)", re.MULTILINE)


class Imported(NamedTuple):
    """A name that an import gives; ``match`` is where the import stands."""

    local: str
    dotted: str
    match: re.Match[str]
    asked: str
    """All that must be there: ``a.b.c`` of ``import a.b.c``, which gives only ``a``."""


class NameUse(NamedTuple):
    """A place where an imported name stands, with what is looked up in it: ``local.name.name``."""

    match: re.Match[str]
    dotted: str


class Uses(NamedTuple):
    """What the text of a file imports from the indexed packages, and where it uses that."""

    imports: tuple[Imported, ...]
    places: tuple[NameUse, ...]

    def meanings(self, written: str) -> Iterator[str]:
        """Yield what ``local.name.name`` may stand for."""
        local, _, rest = written.partition(".")
        for each in self.imports:
            if each.local == local:
                yield f"{each.dotted}.{rest}" if rest else each.dotted


def is_of_torch(dotted: str) -> bool:
    """Return whether a name is one of torch's."""
    return dotted.startswith("torch.")


def uses(text: str) -> Uses:
    """Return the names of indexed packages that a text imports, and the places that use them."""
    return places_of(imports(text), text)


def places_of(imported: tuple[Imported, ...], text: str) -> Uses:
    """Return the places of a text that use some of the names that it imports."""
    roots: dict[str, set[str]] = {}
    for each in imported:
        if not is_of_torch(each.dotted):
            roots.setdefault(each.local, set()).add(each.dotted)
    return Uses(imported, tuple(places_below(roots, text)))


def places_below(roots: Mapping[str, Iterable[str]], text: str) -> Iterator[NameUse]:
    """Yield where names stand that mean something, and names that they are assigned to.

    ``roots`` says for each name what it may mean, as a dotted name.
    """
    renamed: dict[str, set[str]] = {}
    for root, meanings in roots.items():
        for place in _places(root, meanings, text):
            yield place
            new = _new_name(place.match, text)
            if new is not None:
                renamed.setdefault(new, set()).add(place.dotted)
    for root, meanings in renamed.items():
        yield from _places(root, meanings, text)


def _places(root: str, meanings: Iterable[str], text: str) -> Iterator[NameUse]:
    start = text.find(root)  # to compile an expression for each name takes longer than all else
    while start >= 0:
        match = _PLACE.match(text, start)
        if match is not None and match[1] == root:
            rest = match[2].replace(" ", "").replace("\t", "")
            yield from (NameUse(match, dotted + rest) for dotted in meanings)
        start = text.find(root, start + len(root))


def _new_name(match: re.Match[str], text: str) -> str | None:
    """Return the name that is assigned what stands here, and nothing more."""
    if not _ENDS.match(text, match.end()):
        return None
    line = text.rfind("\n", 0, match.start()) + 1
    assigned = _NEW_NAME.match(text[line : match.start()])
    return assigned[1] if assigned else None


def imports(text: str, counts: Callable[[str], bool] = bool) -> tuple[Imported, ...]:
    """Return what a text imports from those of the indexed packages, and torch, that count."""
    found = [*_imported_from(text, counts), *_imported(text, counts)]
    return tuple(sorted(found, key=lambda each: each.match.start()))


def _imported_from(text: str, counts: Callable[[str], bool]) -> Iterator[Imported]:
    for match in _FROM.finditer(text):
        module = _DOT.sub(".", match[1])
        if _opens_statement(match, text) and counts(module.partition(".")[0]):
            for name in _NAME.finditer(match[2].replace("\\\n", " ")):
                dotted = f"{module}.{name[1]}"
                yield Imported(name[2] or name[1], dotted, match, dotted)


def _imported(text: str, counts: Callable[[str], bool]) -> Iterator[Imported]:
    for match in _IMPORT.finditer(text):
        if _LISTED.search(match[1]) and _opens_statement(match, text):
            for name in _NAME.finditer(_DOT.sub(".", match[1])):
                package = name[1].partition(".")[0]
                if (package in PACKAGES or is_of_torch(name[1])) and counts(package):
                    dotted = name[1] if name[2] else package
                    yield Imported(name[2] or package, dotted, match, name[1])


def _opens_statement(match: re.Match[str], text: str) -> bool:
    """Return whether nothing of the same statement stands before a match."""
    before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].rstrip()
    return not before or before.endswith((";", ":"))
