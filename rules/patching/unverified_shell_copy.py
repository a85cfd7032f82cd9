"""ROC119, unverified-shell-copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.formats import is_notebook
from rocmlint.rule import PartRule, commands, copies

from ._installed_files import ASKED, PLACES, copied_by, copied_into
from ._settled import is_elsewhere, is_of_pinned, is_stopping
from ._verified import is_asked_of_python, is_met, is_of_the_project, is_verified

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, Copy, File, Finding

_LONGEST_NAME = 30
_HELP = (
    "If the path belongs to another environment, the stock files run. "
    "Import the patched module afterwards, or compare the files with `cmp`."
)


class UnverifiedShellCopy(PartRule["Command | Copy"]):
    """Script copies files into an installed package, and nothing checks them.

    ## Why it matters
    A path into `site-packages` belongs to one environment. With another Python version, `COPY`
    creates the missing directories, and nothing imports the files in them. If a script asks
    Python for the path and that fails, the path is empty, and `cp` writes to `/trainer.py`. In
    both cases the stock files run without an error, and the benchmark measures those.

    ## Example
    ```shell
    path=$(python -c "import transformers; print(transformers.__path__[0])")
    cp patch/trainer.py "$path/trainer.py"
    ```

    ## Use instead
    Stop at the first command that fails, and check the file that Python imports.
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
    preview = True
    severity = "warning"
    skips = frozenset({"test"})
    on = commands(
        *PLACES, *ASKED, described="commands of a shell that copy installed files", called=False
    ) | copies(*PLACES, described="COPY and ADD of a Dockerfile into an installed package")
    excuses = (
        is_of_the_project,
        is_verified,
        is_met,
        is_asked_of_python,
        is_stopping,
        is_of_pinned,
        is_elsewhere,
    )

    def check(self, node: Command | Copy, source: File) -> Iterator[Finding]:
        """Find changes of installed files that nothing checks."""
        if is_notebook(source.path):
            return  # whether a cell of Python looks at the files is not known
        from rocmlint.rule import Copy  # noqa: PLC0415 - loads the formats

        change = copied_into(node) if isinstance(node, Copy) else copied_by(node)
        if change is None or self.is_excused(change, source):
            return
        package = change.package[:_LONGEST_NAME]
        message = f"Nothing checks that the files copied into `{package}` are the ones that run"
        yield self.finding(change.place, source, message, help=_HELP)
