"""Commands of a shell that change the files of an installed package."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.project.packages import known_packages
from rocmlint.rule import compile_lazily, once_per_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocmlint.rule import Command, Copy, File, Word

PLACES = ("site-packages", "dist-packages", "getsitepackages", "purelib", "platlib")
ASKED = ("__path__", "__file__", "pip show", "pip3 show", "submodule_search_locations")
"""One of these stands in every file that says where packages lie."""
_COPYING = frozenset({"cp", "mv", "rsync", "install"})
_EDITING = frozenset({"sed", "gsed", "perl"})
_IN_PLACE = compile_lazily(r"-(?!-)[a-zA-Z]*i|--in-place")
_WITH_VALUE = frozenset({"-t", "--target-directory", "-m", "--mode", "-o", "-g", "-S", "--suffix"})
_INTO_PACKAGE = compile_lazily(
    r"(?:site|dist)-packages[\"']?/+(?P<package>[A-Za-z_]\w*)(?P<inside>/.*)?\Z"
)
ASKED_OF = compile_lazily(
    r"(?<![\w.])(?P<package>[A-Za-z_]\w*)(?:\.\w+)*\.__(?:path|file)__|find_spec\(\W*(?P<found>\w+)"
)
_SITE = compile_lazily(
    r"getsitepackages|getusersitepackages|purelib|platlib|\bpip3? show\b|-packages\b"
)
_RENAMED = compile_lazily(r"\bimport (\w+)[\w.]* as (\w+)")
_REPLACED = compile_lazily(r"/{1,2}\w+/(?P<package>\w+)\}")
_VARIABLE = compile_lazily(r"\"?\$(?:\{[^}]*\}|\w+|\([^)]*\))\"?(?P<inside>[^$\"]*)\"?\Z")
_BEGINS_VARIABLE = compile_lazily(r"\$\{?(\w+)\}?")
_SETS_VARIABLE = compile_lazily(r"^[ \t]*(?:\w+ )?(\w+)=(\S+)", re.MULTILINE)
_DOCUMENT = compile_lazily(
    r"[^\n]*<<-?[ \t]*[\"']?(?P<end>\w+)[\"']?[^\n]*\n(?P<text>(?:(?![ \t]*(?P=end)[ \t]*$).*\n)*)",
    re.MULTILINE,
)
_FIRST = compile_lazily(r"/+(?P<package>[A-Za-z_]\w*)(?P<inside>/.*)?\Z")
_OF_LIBRARIES = frozenset({"lib", "lib64", "include", "share", "bin"})
_OF_PYTHON = frozenset({"os", "sys", "site", "sysconfig", "pathlib", "importlib"})


class Target(NamedTuple):
    """A path into an installed package."""

    root: str
    """The part that leads to the package, as it is written."""
    package: str
    inside: str
    """The path below the package: empty for the package as a whole."""


class Brought(NamedTuple):
    """What a copy brings into an installed package."""

    target: Target
    sources: tuple[str, ...]
    folder: str = ""
    """Where a command copies from: where ``cd`` has led, "" where that is not known."""


class Change(NamedTuple):
    """A change of installed files: by which tool, of which package, and where that is written."""

    tool: str
    package: str
    place: Command | Word | Copy
    name: str
    """The last part of the path, for who looks for it afterwards."""
    brought: Brought | None = None
    """What a copy brings."""


def edited_by(command: Command) -> Change | None:
    """Return what a `sed -i` or a `patch` changes, None if that is nothing installed."""
    name = _program(command)
    if name in _EDITING and any(_IN_PLACE.match(each.text) for each in command.words[1:]):
        return _edited(command)
    return _patched(command) if name == "patch" else None


def written_by(command: Command, file: File) -> str:
    """Return the here-document that ``cat > …/check.py <<EOF`` writes into an installed package."""
    targets = (each.target.text for each in command.redirects if each.operator.startswith(">"))
    if not any(_INTO_PACKAGE.search(_spelt_out(each, file)) for each in targets):
        return ""
    document = _DOCUMENT.match(file.text, file.offset_of(command.span[0]))
    return "" if document is None else document["text"]


def _spelt_out(path: str, file: File, hops: int = 3) -> str:
    """Return a path with what the file sets its variable to, as far as that is written."""
    variable = _BEGINS_VARIABLE.match(path)
    if variable is None or not hops:
        return path
    value = _variables_set(file).get(variable[1], "")
    return _spelt_out(value, file, hops - 1) + path[variable.end() :]


@once_per_file
def _variables_set(file: File) -> dict[str, str]:
    """Return what each variable of a script is set to first, as it is written."""
    found: dict[str, str] = {}
    for match in _SETS_VARIABLE.finditer(file.text):
        found.setdefault(match[1], match[2].strip("\"'"))
    return found


def copied_into(copy: Copy) -> Change | None:
    """Return what COPY or ADD changes."""
    return _change(brought_into(copy), copy)


def copied_by(command: Command) -> Change | None:
    """Return what a command copies over installed files, None if it copies none."""
    found = _copying(command)
    return None if found is None else _change(brought_by(command), found[1])


def brought_into(copy: Copy) -> Brought | None:
    """Return what COPY or ADD brings into an installed package, code or not."""
    target = _target(copy.target, "")
    return None if target is None else Brought(target, copy.sources)


def brought_by(command: Command) -> Brought | None:
    """Return what a command copies into an installed package, code or not."""
    found = _copying(command)
    if found is None:
        return None
    sources, last = found
    target = _target(last, command.folder or "")
    return None if target is None else Brought(target, sources, command.folder or "")


def made_folder(change: Change, file: File) -> str | None:
    """Return the path of a copy's folder in the package, where the script makes that folder.

    None where it does not, "" where it makes the folder of the package itself.
    """
    if change.brought is None:
        return None
    folder = _folder(change.brought.target)
    made = _folders_made(file).get(change.package, {})
    above = (path for path, line in made.items() if line <= change.place.span[0])
    is_made = any(not folder or f"{path}/".startswith(f"{folder}/") for path in above)
    return folder if is_made else None


@once_per_file
def _folders_made(file: File) -> dict[str, dict[str, int]]:
    """Return the folders in a package that ``mkdir`` and ``install -D`` make, and their lines."""
    found: dict[str, dict[str, int]] = {}
    for command in file.parts.commands:
        words = command.words[1:] if _program(command) == "mkdir" else ()
        options = (each.text for each in command.words if each.text.startswith("-"))
        if _program(command) == "install" and any("D" in each for each in options):
            words = command.words[-1:]
        for target in (_target(word, command.folder or "") for word in words):
            if target is not None:
                line = command.span[0]
                found.setdefault(target.package, {}).setdefault(_folder(target), line)
    return found


def _folder(target: Target) -> str:
    """Return the path in its package of the folder that a path means, or that holds its module."""
    path = target.inside.strip("/")
    return posixpath.dirname(path) if path.endswith(".py") else path


def _change(brought: Brought | None, place: Word | Copy) -> Change | None:
    if brought is None or not _is_code(brought):
        return None
    target = brought.target
    name = posixpath.basename(target.inside.rstrip("/"))
    return Change("copy", target.package, place, name, brought)


def _copying(command: Command) -> tuple[tuple[str, ...], Word] | None:
    """Return what a command copies, and where."""
    if _program(command) not in _COPYING:
        return None
    operands, chosen = _operands(command.words[1:])
    if chosen is not None:
        operands = [*operands, chosen]
    if len(operands) < 2:
        return None
    return tuple(each.text for each in operands[:-1]), operands[-1]


def _edited(command: Command) -> Change | None:
    for word in command.words[2:]:
        target = _target(word, command.folder or "")
        if target is not None and target.inside.endswith(".py"):
            return Change("sed", target.package, word, posixpath.basename(target.inside))
    return None


def _patched(command: Command) -> Change | None:
    words = [each for each in command.words[1:] if not each.text.startswith("--dry")]
    if len(words) < len(command.words) - 1:
        return None
    for before, word in zip(command.words, words, strict=False):
        target = _target(word, command.folder or "")
        if target is not None and (before.text in {"-d", "--directory"} or target.inside):
            return Change("patch", target.package, word, target.package)
    inside = _INTO_PACKAGE.search(command.folder or "")
    return Change("patch", inside["package"], command, inside["package"]) if inside else None


def _program(command: Command) -> str:
    return command.words[0].text.rpartition("/")[2]


def _operands(words: Sequence[Word]) -> tuple[list[Word], Word | None]:
    """Return the paths that a command is given, and the folder that an option names."""
    found: list[Word] = []
    chosen: Word | None = None
    option = ""
    for word in words:
        if option in _WITH_VALUE:
            chosen = word if option in {"-t", "--target-directory"} else chosen
            option = ""
        elif word.text.startswith("-") and len(word.text) > 1:
            option = word.text
        else:
            found.append(word)
            option = ""
    return found, chosen


def _target(word: Word, folder: str) -> Target | None:
    """Return the package that a path leads into; None where it leads into none."""
    text = word.text
    if word.known and not text.startswith("/"):
        text = posixpath.join(folder, text)
    if match := _INTO_PACKAGE.search(text):
        inside = (match["inside"] or "").lstrip("/")
        return Target(text[: match.end("package")], match["package"], inside)
    if word.known:
        return None
    return _asked(text, f"{text} {word.origin}")


def _asked(text: str, origin: str) -> Target | None:
    """Return the package of a path that begins with what Python or pip says of it."""
    variable = _VARIABLE.search(text)
    rest = variable["inside"] if variable else ""
    root = text[: variable.start("inside")] if variable else text
    asked = next(
        (
            found
            for match in ASKED_OF.finditer(origin)
            if (found := match["package"] or match["found"]) not in _OF_PYTHON
        ),
        None,
    )
    if asked is not None:
        renamed = next((each[1] for each in _RENAMED.finditer(origin) if each[2] == asked), asked)
        replaced = _REPLACED.search(origin)
        return Target(root, replaced["package"] if replaced else renamed, rest.lstrip("/"))
    if not _SITE.search(origin):
        return None
    first = _FIRST.match(rest)
    return Target(root, first["package"], (first["inside"] or "").lstrip("/")) if first else None


def _is_code(brought: Brought) -> bool:
    """Return whether code is copied: a module, or a folder into a package that is known."""
    target, sources = brought.target, brought.sources
    name = posixpath.basename(target.inside)
    if name.endswith(".py"):
        return True
    if "." in name or _OF_LIBRARIES & set(target.inside.split("/")):
        return False
    names = [posixpath.basename(each.rstrip("/\"'")) for each in sources]
    if any(name.endswith(".py") for name in names):
        return True
    return target.package in known_packages() and any(
        "." not in name and not name.isupper() for name in names
    )
