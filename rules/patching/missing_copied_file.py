"""ROC121, missing-copied-file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.formats import is_notebook
from rocmlint.rule import PartRule, commands, fitted, shortened

from ._installed_files import ASKED, PLACES, copied_by
from ._missing import misspelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, File, Finding


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
        found = None if change is None else misspelled(change, source)
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
