"""ROC119, unverified-shell-copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.formats import is_notebook
from rocmlint.rule import PartRule, commands, copies

from ._installed_files import Change, changes_by, copied_by
from ._verified import is_checked_later, stops_by_itself

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, Copy, File, Finding

_WORDS = ("site-packages", "dist-packages", "getsitepackages", "purelib", "platlib")
_ASKED = ("__path__", "__file__", "pip show", "pip3 show", "submodule_search_locations")
_EDITED = "edited"
_LONGEST_NAME = 30


def is_of_the_project(change: Change, file: File) -> bool:
    """Files of a package that lies in the project itself: that is how it is installed."""
    return file.is_first_party(change.package)


def is_verified(change: Change, file: File) -> bool:
    """Changes after which something looks: an import of the package, `cmp`, `grep`, `pytest`."""
    return is_checked_later(change, file)


def is_stopped(change: Change, file: File) -> bool:
    """A `patch` that stops the build or the script where it fails, as with `set -e`."""
    return stops_by_itself(change, file)


class UnverifiedShellCopy(PartRule["Command | Copy"]):
    """A script or Dockerfile changes files of an installed package, and nothing checks them.

    ## Why it matters
    The path into `site-packages` names one environment, and a `COPY` makes the directories that
    are missing: with another Python the files lie where nothing imports them. Where the path is
    asked from Python and that fails, it is empty, and `cp` writes to `/trainer.py`. `sed -i`
    changes nothing where its pattern is gone, without an error. In all these cases the stock
    files run, and the benchmark measures them.

    ## Example
    ```shell
    path=$(python -c "import transformers; print(transformers.__path__[0])")
    cp patch/trainer.py "$path/trainer.py"
    ```

    ## Use instead
    Stop where a command fails, and look at the file that is imported.
    ```shell
    set -e
    path=$(python -c "import transformers; print(transformers.__path__[0])")
    cp patch/trainer.py "$path/trainer.py"
    python -c "import transformers.trainer as t; assert t.PATCHED_FOR_ROCM"
    ```

    ## References
    - https://docs.docker.com/reference/dockerfile/#copy
    - https://www.gnu.org/software/bash/manual/html_node/The-Set-Builtin.html
    - https://docs.python.org/3/library/sysconfig.html#sysconfig.get_path
    """

    code = "ROC119"
    name = "unverified-shell-copy"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = commands(
        *_WORDS,
        *_ASKED,
        described="commands of a shell that copy, patch or edit installed files",
        called=False,
    ) | copies(*_WORDS, described="COPY and ADD of a Dockerfile into an installed package")
    excuses = (is_of_the_project, is_verified, is_stopped)

    def check(self, node: Command | Copy, source: File) -> Iterator[Finding]:
        """Find changes of installed files that nothing checks."""
        if is_notebook(source.path):
            return  # whether a cell of Python looks at the files is not known
        change = changes_by(node) if hasattr(node, "words") else copied_by(node)
        if change is None or self.is_excused(change, source):
            return
        yield self.finding(change.place, source, _message(change), help=_help(change))


def _message(change: Change) -> str:
    name = change.package
    name = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    if change.tool == "sed":
        return f"`sed -i` edits the installed `{name}`, and nothing checks what it changed"
    if change.tool == "patch":
        return f"Nothing checks that the patch of the installed `{name}` was applied"
    return f"Nothing checks that the files copied into `{name}` are the ones that run"


def _help(change: Change) -> str:
    if change.tool == "sed":
        return (
            "Where its pattern is not found, sed changes nothing and reports no error. "
            "Search for the new text with `grep` afterwards."
        )
    if change.tool == "patch":
        return (
            "The script goes on where a hunk fails, and the stock files run. "
            "Begin it with `set -e`."
        )
    return (
        "With a path of another environment, or an empty one, the stock files run without an "
        "error. Import the changed module afterwards, or compare the files with `cmp`."
    )
