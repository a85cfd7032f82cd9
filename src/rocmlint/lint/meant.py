"""Whether a Python file that cannot be parsed is meant to be run: much of what cannot is data."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.lazy import compile_lazily
from rocmlint.project.copies import PACKAGES
from rocmlint.project.texts import texts_below
from rocmlint.source.kinds import kinds

if TYPE_CHECKING:
    from rocmlint.formats.model import Problem
    from rocmlint.source.file import File

_FEWEST_SAMPLES = 3
_LONGEST_FRAGMENT = 40
_LAST = 3
"""Lines at the end of a fragment, in one of which its last bracket or block is opened."""
_DIGITS = compile_lazily(r"\d+")
_OF_DATA = compile_lazily(
    r"(?:.*[-_.])?(?:data|datasets?|samples?|prompts?|evals?|snippets?|completions|generations"
    r"|corpus|corpora|fixtures|problems|solutions|submissions|(?:test|eval)[-_]?cases"
    r"|(?:test|eval)(?:data|sets?))(?:[-_.].*)?",
    re.IGNORECASE,
)
_GIVEN_UP = compile_lazily(
    r"(?i)\b(?:this|the) (?:script|file|module|code|program) is (?:now )?"
    r"(?:deprecated|obsolete|outdated|no longer|not (?:used|maintained|working))"
)
_HEAD = 1000
"""Characters at the top in which a file says what has become of it."""
_NO_PROGRAM = frozenset({"__init__.py", "setup.py", "conftest.py"})


def is_meant_to_run(file: File, problem: Problem) -> bool:
    """Return whether a Python file is evidently a program, or a module of one.

    A document or script names it, another module imports it, or there is no other; or it imports a
    package that rules know, and is none of what only looks like a program.
    """
    path, root = os.path.abspath(file.path), file.project.folders[-1]
    if _is_one_of_many_samples(path, file) or _GIVEN_UP.search(file.text[:_HEAD]):
        return False
    if _is_only_one(path, root, file) or _is_named(path, root, file):
        return True
    if _is_imported(path, root, file):
        return True
    is_data = any(map(_OF_DATA.fullmatch, file.place.split("/")[:-1]))
    return _imports_known(file.text) and not is_data and not _is_fragment(file, problem)


def _is_one_of_many_samples(path: str, file: File) -> bool:
    """Return whether a file stands under its name in folders that are only numbered: `0-py`."""
    folder, name = os.path.split(path)
    above, own = os.path.split(folder)
    if not _DIGITS.search(own):
        return False
    shape = _DIGITS.sub("0", own)
    alike = [each for each in file.names_in(above) if _DIGITS.sub("0", each) == shape]
    return sum(file.exists(os.path.join(above, each, name)) for each in alike) >= _FEWEST_SAMPLES


def _imports_known(text: str) -> bool:
    """Return whether one of the packages is imported that rules have work with."""
    names = "|".join((*PACKAGES, "PIL", "datasets", "flash_attn", "tokenizers"))
    return re.search(rf"(?m)^[ \t]*(?:import|from)[ \t]+(?:{names})\b", text) is not None


def _is_fragment(file: File, problem: Problem) -> bool:
    """Return whether a short text simply ends, as the beginning of code does for a model."""
    lines = [number for number, line in enumerate(file.lines, 1) if line.strip()]
    is_short = len(lines) <= _LONGEST_FRAGMENT
    return is_short and problem.line >= min(lines[-_LAST:], default=1)


def _is_only_one(path: str, root: str, file: File) -> bool:
    """Return whether a project has no other program or module, but for its tests."""
    return not any(
        os.path.basename(each) not in _NO_PROGRAM
        and "test" not in kinds(os.path.relpath(each, root).replace(os.sep, "/"))
        for each in file.modules_below(root)
        if each != path
    )


def _is_named(path: str, root: str, file: File) -> bool:
    """Return whether a document, a script or a setting of the project names a file.

    Of its name alone, the nearest file is meant: in the folder of who names it, or below.
    """
    name = os.path.basename(path)
    stem = re.escape(name.removesuffix(".py"))
    naming = re.compile(
        rf"(?<![\w.-])((?:[\w.${{}}-]*[\\/])*){stem}\.py\b"
        rf"|(?:-m[ \t\"',]+|=[ \t]*[\"'])((?:\w+\.)*){stem}(?![\w.])"
    )
    for text in texts_below(root, file):
        folder = os.path.dirname(text)
        for match in naming.finditer(file.read(text)):
            parts = [each for each in re.split(r"[\\/.]+", match[1] or match[2] or "") if each]
            parts = [each for each in parts if "$" not in each]
            if parts and path.endswith(os.sep + os.path.join(*parts, name)):
                return True
            if not parts and _is_nearest(path, folder, file):
                return True
    return False


def _is_nearest(path: str, folder: str, file: File) -> bool:
    own = os.path.dirname(path)
    if own == folder:
        return True
    is_below = own.startswith(os.path.join(folder, ""))
    return is_below and not file.exists(os.path.join(folder, os.path.basename(path)))


def _is_imported(path: str, root: str, file: File) -> bool:
    """Return whether another module of the project imports a file, by its name."""
    folder, name = os.path.split(path)
    stem = name.removesuffix(".py") if name != "__init__.py" else os.path.basename(folder)
    module = re.escape(stem)
    pattern = (
        rf"(?m)^[ \t]*(?:from[ \t]+[\w.]*(?<!\w){module}[ \t]+import\b"
        rf"|from[ \t]+[\w.]+[ \t]+import\b[^#\n]*(?<!\w){module}\b"
        rf"|import[ \t]+[\w.]*(?<!\w){module}(?![\w]))"
    )
    return any(each != path for each in file.modules_with(root, (pattern,)))
