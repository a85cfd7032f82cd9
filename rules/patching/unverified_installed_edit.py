"""ROC120, unverified-installed-edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.formats import is_notebook
from rocmlint.rule import PartRule, commands

from ._installed_files import ASKED, PLACES, edited_by
from ._verified import is_of_the_project, is_stopped, is_verified

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Finding

_LONGEST_NAME = 30
_HELP = {
    "sed": (
        "If the pattern is not found, sed changes nothing and reports no error. "
        "Check for the new text with `grep` afterwards."
    ),
    "patch": "Without `set -e`, the script goes on after a failed hunk, and the stock files run.",
}


class UnverifiedInstalledEdit(PartRule["Command"]):
    """A script edits files of an installed package in place, and nothing checks the result.

    ## Why it matters
    A new release of the package may change the line: `sed -i` then changes nothing and succeeds,
    and a script without `set -e` goes on after a failed `patch`. The stock code runs, and the
    output of the build looks the same as before.

    ## Example
    ```shell
    target=/opt/venv/lib/python3.12/site-packages/bitsandbytes
    sed -i 's/warp_size = 32/warp_size = 64/' $target/functional.py
    ```

    ## Use instead
    Check for the new text.
    ```shell
    target=/opt/venv/lib/python3.12/site-packages/bitsandbytes
    sed -i 's/warp_size = 32/warp_size = 64/' $target/functional.py
    grep -q 'warp_size = 64' $target/functional.py
    ```

    ## References
    - https://www.gnu.org/software/sed/manual/sed.html#Exit-status
    - https://www.gnu.org/software/bash/manual/html_node/The-Set-Builtin.html
    """

    code = "ROC120"
    name = "unverified-installed-edit"
    since = "0.1.0"
    preview = True
    severity = "warning"
    skips = frozenset({"test"})
    on = commands(
        *PLACES, *ASKED, described="commands of a shell that edit installed files", called=False
    )
    excuses = (is_of_the_project, is_verified, is_stopped)

    def check(self, node: Command, source: File) -> Iterator[Finding]:
        """Find edits of installed files that nothing checks."""
        change = None if is_notebook(source.path) else edited_by(node)
        if change is None or self.is_excused(change, source):
            return
        package = change.package[:_LONGEST_NAME]
        message = (
            f"`sed -i` edits the installed `{package}`, and nothing checks what it changed"
            if change.tool == "sed"
            else f"Nothing checks that the patch of the installed `{package}` was applied"
        )
        yield self.finding(change.place, source, message, help=_HELP[change.tool])
