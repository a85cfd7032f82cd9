"""Files that are not Python and may read a variable, or set it: C++, shell, images and others."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Literal

_C = frozenset({
    ".c", ".cc", ".cpp", ".cu", ".cuh", ".cxx", ".h", ".hip", ".hpp", ".m", ".mm", ".pxd", ".pyx",
})  # fmt: skip
_SHELL = frozenset({".bash", ".env", ".sbatch", ".sh", ".slurm", ".zsh"})
_OTHER = frozenset({
    ".cfg", ".cmake", ".go", ".ini", ".ipynb", ".j2", ".jinja", ".js", ".json", ".lua", ".mk",
    ".rs", ".toml", ".ts", ".yaml", ".yml",
})  # fmt: skip
_NAMES = re.compile(
    r"(\.env|Dockerfile|Containerfile|Makefile|CMakeLists\.txt|justfile)(\..*)?$", re.IGNORECASE
)

Does = Literal["may read", "may set", ""]


@dataclass(frozen=True)
class Mention:
    """A line that names the variable; ``value`` is what it is set to, where that is plain."""

    line: int
    text: str
    does: Does
    value: str | None = None


def is_code(path: str) -> bool:
    """Return whether a file may be compiled into what is installed, or run beside it."""
    return os.path.splitext(path)[1] in _C | {".sh"}


def is_source(path: str) -> bool:
    """Return whether a file of a project may have to do with variables."""
    ending = os.path.splitext(path)[1].lower()
    return ending in _C | _SHELL | _OTHER or bool(_NAMES.match(os.path.basename(path)))


def mentions(path: str, data: bytes, name: str) -> list[Mention]:
    """Return what each line does that names a variable."""
    word = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])")
    found = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        if word.search(line):
            does, value = _does(path, line, name)
            if does:
                found.append(Mention(number, " ".join(line.split())[:100], does, value))
    return found


def _does(path: str, line: str, name: str) -> tuple[Does, str | None]:
    ending, base = os.path.splitext(path)[1].lower(), os.path.basename(path)
    if ending in _C:
        code = line.partition("//")[0]
        return ("may read" if f'"{name}"' in code or f"#{name}" in code else ""), None
    bare = line.strip()
    if bare.startswith(("#", "//", ";")):
        return "", None
    name = re.escape(name)
    if re.search(rf"\$\{{?{name}\b", bare) and not re.match(rf"(export\s+)?{name}=", bare):
        return "may read", None
    is_image = bool(re.match(r"(Docker|Container)file", base, re.IGNORECASE))
    if is_image or ending in _SHELL or ending == ".mk" or _NAMES.match(base):
        pattern = rf"(?<![\w$]){name}(=|\s*[:?]?=\s*|\s+(?=\S))(?P<value>\"[^\"]*\"|'[^']*'|\S*)"
        setting = re.search(pattern, bare)
        if setting:
            value = setting["value"].strip("\"'")
            return "may set", None if "$" in value else value
        unset = re.search(rf"\bunset\b.*\b{name}\b", bare)
        return ("may set" if unset else "may read"), None
    return "may read", None
