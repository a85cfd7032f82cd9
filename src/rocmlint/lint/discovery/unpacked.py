"""Archives of other repositories, unpacked in a project that reads their data and runs none."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.disk.state import data_of, names_in
from rocmlint.lazy import compile_lazily
from rocmlint.project.copies import UNPACKED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.disk.files import Files

_README = compile_lazily(r"(?i:readme)\b")
_CODE = (".py", ".ipynb")
_RUN = (*_CODE, ".sh", ".bash", ".slurm", ".sbatch")
_TEXTS = compile_lazily(
    r"(?i:.*\.(?:pyw?|ipynb|md|rst|txt|toml|cfg|ini|ya?ml|(?:ba)?sh|slurm|sbatch|bat|cmd|ps1|mk"
    r"|dockerfile)|readme|makefile|justfile|(?:docker|container)file.*|\.gitmodules)\Z"
)
"""Files that may say that something in a folder is imported or run."""
_OUTSIDE = frozenset({".git", "__pycache__", "node_modules", "site-packages"})
_TOLD = compile_lazily(r"(?:\b(?i:on|from|of|see|ensure|that|like|as)[ \t]+`?|[├└─]+[ \t]*)\Z")
"""What stands before a path that a text tells of, or shows in a tree, and does not run."""


def is_unpacked(folder: str, root: str, files: Files) -> bool:
    """Return whether a folder is an unpacked archive of which a project runs nothing.

    It says what it is, and so does the project, which has code of its own: who uploads a project as
    such a folder has nothing beside it. What is named of the folder outside of it is only data.
    """
    if not _says_what_it_is(folder, files) or not _says_what_it_is(root, files):
        return False
    paths = list(_texts(root, files))
    return any(each.endswith(_CODE) for each in paths) and not any(
        _is_used(folder, _text(each, files), files) for each in paths
    )


def _says_what_it_is(folder: str, files: Files) -> bool:
    return any(map(_README.match, names_in(folder, files)))


def _texts(root: str, files: Files) -> Iterator[str]:
    """Yield the paths of the texts of a project, without those of unpacked archives."""
    for inner, folders, names in files.walk(root):
        folders[:] = [each for each in folders if each not in _OUTSIDE and not UNPACKED.match(each)]
        yield from (os.path.join(inner, name) for name in names if _TEXTS.match(name))


def _is_used(folder: str, text: str, files: Files) -> bool:
    """Return whether a text names a folder or what has code in it, other than to tell of it."""
    called = os.path.basename(folder)
    if called not in text:
        return False
    named = re.compile(rf"(?<![\w-]){re.escape(called)}(?![\w-])((?:[\\/]+[\w.-]+)*)")
    return any(
        not _TOLD.search(text[text.rfind("\n", 0, each.start()) + 1 : each.start()])
        and _has_code(os.path.join(folder, *re.split(r"[\\/]+", each[1].rstrip("."))), files)
        for each in named.finditer(text)
    )


def _has_code(path: str, files: Files) -> bool:
    if path.endswith(_RUN):
        return True
    return any(name.endswith(_RUN) for _, _, names in files.walk(path) for name in names)


def _text(path: str, files: Files) -> str:
    return (data_of(path, files) or b"").decode("utf-8", "replace")
