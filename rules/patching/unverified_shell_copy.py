"""ROC119, unverified-shell-copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.formats import is_notebook
from rocmlint.rule import PartRule, commands, copies

from ._installed_files import ASKED, PLACES, copied_by, copied_into, edited_by
from ._settled import is_asked_of_python, is_for_others, is_of_pinned, is_stopping
from ._verified import is_new_folder, is_of_the_project, is_stopped, is_verified

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, Copy, File, Finding

_LONGEST_NAME = 30
_HELP = {
    "copy": (
        "If the path belongs to another environment, the stock files run. "
        "Import the patched module afterwards, or compare the files with `cmp`."
    ),
    "sed": (
        "If the pattern is not found, sed changes nothing and reports no error. "
        "Check for the new text with `grep` afterwards."
    ),
    "patch": "Without `set -e`, the script goes on after a failed hunk, and the stock files run.",
}


class UnverifiedShellCopy(PartRule["Command | Copy"]):
    """Script or image changes an installed package, and nothing checks it.

    ## Why it matters
    A path into `site-packages` belongs to one environment. With another Python version, `COPY`
    creates the missing directories, and nothing imports the files in them. If a script asks
    Python for the path and that fails, the path is empty, and `cp` writes to `/trainer.py`. Where
    a release of the package has changed the line, `sed -i` changes nothing and succeeds. In all
    cases the stock files run without an error, and the benchmark measures those.

    ## Example
    ```shell
    path=$(python -c "import transformers; print(transformers.__path__[0])")
    cp patch/trainer.py "$path/trainer.py"
    sed -i 's/warp_size = 32/warp_size = 64/' "$path/utils/kernels.py"
    ```

    ## Use instead
    Stop at the first command that fails, and check the files that Python imports.
    ```shell
    set -e
    path=$(python -c "import transformers; print(transformers.__path__[0])")
    cp patch/trainer.py "$path/trainer.py"
    python -c "import transformers.trainer as t; assert t.PATCHED_FOR_ROCM"
    sed -i 's/warp_size = 32/warp_size = 64/' "$path/utils/kernels.py"
    grep -q 'warp_size = 64' "$path/utils/kernels.py"
    ```

    ## References
    - https://docs.docker.com/reference/dockerfile/#copy
    - https://www.gnu.org/software/bash/manual/html_node/The-Set-Builtin.html
    - https://www.gnu.org/software/sed/manual/sed.html#Exit-status
    """

    code = "ROC119"
    name = "unverified-shell-copy"
    since = "0.1.0"
    severity = "warning"
    retired = {"ROC120": "unverified-installed-edit"}  # noqa: RUF012 - a constant of the class
    skips = frozenset({"test"})
    on = commands(
        *PLACES, *ASKED, described="commands of a shell that change installed files", called=False
    ) | copies(*PLACES, described="COPY and ADD of a Dockerfile into an installed package")
    excuses = (is_of_the_project, is_new_folder, is_verified, is_stopped)
    doubts = (is_for_others, is_asked_of_python, is_stopping, is_of_pinned)

    def check(self, node: Command | Copy, source: File) -> Iterator[Finding]:
        """Find changes of installed files that nothing checks."""
        if is_notebook(source.path):
            return  # whether a cell of Python looks at the files is not known
        from rocmlint.rule import Copy  # noqa: PLC0415 - loads the formats

        change = copied_into(node) if isinstance(node, Copy) else copied_by(node) or edited_by(node)
        severity = None if change is None else self.severity_of(change, source)
        if change is None or severity is None:
            return
        package = change.package[:_LONGEST_NAME]
        message = {
            "copy": f"Nothing checks that the files copied into `{package}` are the ones that run",
            "sed": f"`sed -i` edits the installed `{package}`, and nothing checks what it changed",
            "patch": f"Nothing checks that the patch of the installed `{package}` was applied",
        }[change.tool]
        help = _HELP[change.tool]
        yield self.finding(change.place, source, message, help=help, severity=severity)
