"""ROC121, missing-copied-file."""

from __future__ import annotations

import difflib
import os
import posixpath
import re
from typing import TYPE_CHECKING

from rocmlint.formats import is_notebook
from rocmlint.rule import PartRule, commands, compile_lazily, fitted, shortened

from ._installed_files import ASKED, PLACES, copied_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Finding

    from ._installed_files import Change

_UNKNOWN = compile_lazily(r"[$*?\[{`~]")
_SIMILAR = 0.8
_LONG = 5
"""Letters that a word has at least, for another to be the same word misspelled."""


def _misspelled(change: Change, file: File) -> tuple[str, str] | None:
    """Return the name of a missing file and that of the file that is probably meant.

    A file that the script names twice may be made by it, or tested for.
    """
    name = _name(change)
    folders = list(_folders(change, file))
    if not name or any(file.exists(os.path.join(each, name)) for each in folders):
        return None
    target = posixpath.basename(change.brought.target.inside) if change.brought else ""
    mentioned = len(re.findall(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", file.text))
    if mentioned > 1 + (target == name):
        return None
    others = (each for folder in folders for each in file.names_in(folder))
    meant = (each for each in others if each.endswith(".py") and _is_misspelled(name, each))
    return next(((name, each) for each in meant), None)


def _is_misspelled(name: str, other: str) -> bool:
    """Return whether the words of two names differ by letters only, as `schema` and `scheme` do.

    `qwen2` and `qwen3`, `part_a` and `part_b`, `encoder` and `decoder` are different things.
    """
    words, others = (re.findall(r"[^\W_]+", each) for each in (name, other))
    if len(words) != len(others):
        return False
    return all(
        one == two
        or (
            (one + two).isalpha()
            and min(len(one), len(two)) >= _LONG
            and one[0] == two[0]
            and difflib.SequenceMatcher(None, one, two).ratio() >= _SIMILAR
        )
        for one, two in zip(words, others, strict=True)
    )


def _name(change: Change) -> str:
    """Return the name of the one module that is copied from a written relative path, else ""."""
    sources = change.brought.sources if change.brought else ()
    if len(sources) != 1 or _UNKNOWN.search(sources[0]) or posixpath.isabs(sources[0]):
        return ""
    name = posixpath.basename(sources[0])
    return name if name.endswith(".py") else ""


def _folders(change: Change, file: File) -> Iterator[str]:
    """Yield the folders of the project where the copied file may lie.

    The script may run in its own folder or in the project's; where ``cd`` leads may be outside.
    """
    source = change.brought.sources[0] if change.brought else ""
    led = change.brought.folder if change.brought else ""
    for base in (os.path.dirname(os.path.abspath(file.path)), file.root):
        for inside in dict.fromkeys((led, "")):
            folder = os.path.normpath(os.path.join(base, inside, posixpath.dirname(source)))
            if file.exists(folder):
                yield folder


class MissingCopiedFile(PartRule["Command"]):
    """Script copies a misspelled file into an installed package.

    ## Why it matters
    `cp` prints an error, and a script without `set -e` goes on: the stock files run, and the
    benchmark measures those. Reported only where a file with almost the same name lies at the
    place, and the script mentions the missing name nowhere else.

    ## Example
    ```python title="patches/modeling_gemma.py"
    PATCHED_FOR_ROCM = True
    ```
    ```shell title="install.sh"
    target=/opt/venv/lib/python3.12/site-packages/transformers/models/gemma
    cp patches/modelling_gemma.py $target/modeling_gemma.py
    python -c "import transformers.models.gemma"
    ```

    ## Use instead
    Name the file that is there, and stop at the first command that fails.
    ```python title="patches/modeling_gemma.py"
    PATCHED_FOR_ROCM = True
    ```
    ```shell title="install.sh"
    set -e
    target=/opt/venv/lib/python3.12/site-packages/transformers/models/gemma
    cp patches/modeling_gemma.py $target/modeling_gemma.py
    python -c "from transformers.models.gemma.modeling_gemma import PATCHED_FOR_ROCM"
    ```

    ## References
    - https://www.gnu.org/software/bash/manual/html_node/The-Set-Builtin.html
    """

    code = "ROC121"
    name = "missing-copied-file"
    since = "0.1.0"
    skips = frozenset({"test"})
    on = commands(
        *PLACES, *ASKED, described="commands of a shell that copy installed files", called=False
    )

    def check(self, node: Command, source: File) -> Iterator[Finding]:
        """Find copies of files that are not there."""
        change = None if is_notebook(source.path) else copied_by(node)
        found = None if change is None else _misspelled(change, source)
        if change is None or found is None:
            return
        missing, meant = found
        message = fitted(
            "`{}` does not exist, so nothing is copied into `{}`", missing, change.package
        )
        advice = (
            f"Copy `{shortened(meant)}`, which is there. Without `set -e`, the stock files run "
            f"instead."
        )
        yield self.finding(change.place, source, message, help=advice)
