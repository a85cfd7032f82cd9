"""Where a project uses a name: in its code, its scripts, its documents."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.disk.questions import question
from rocmlint.lazy import compile_lazily
from rocmlint.project.texts import texts_with

if TYPE_CHECKING:
    from rocmlint.disk.disk import DiskView

_REEXPORTS = compile_lazily(
    r"^from[ \t]+\.[\w.]*[ \t]+import[ \t]*(?:\((?:(?!\bas\b)[^()])*\)|(?:(?!\bas\b)[^(\n])*$)"
    r"|^__all__\b[^\[(\n]*[\[(][^\])]*[\])]",
    re.MULTILINE,
)
"""What a package only passes on."""


@question
def is_used(name: str, root: str, view: DiskView) -> bool:
    """Return whether anything below a folder has a name, but for its definition and comments.

    What a package only passes on does not count.
    """
    word = rf"\b{re.escape(name)}\b"
    in_code = rf"(?m)^(?![ \t]*(?:async[ \t]+)?def[ \t]+{word})[^#\n]*{word}"
    for path in view.modules_with(root, (word, in_code)):
        if os.path.basename(path) != "__init__.py":
            return True
        if re.search(in_code, _REEXPORTS.sub("", view.read(path))):
            return True
    return bool(texts_with(root, word, view))
