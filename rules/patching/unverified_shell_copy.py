"""ROC119, unverified-shell-copy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.formats import Role, has_role, is_notebook
from rocmlint.project import platforms
from rocmlint.project.packages import known_packages
from rocmlint.rule import PartRule, Word, commands, compile_lazily, copies

from ._installed_files import (
    ASKED,
    ASKED_OF,
    PLACES,
    copied_by,
    copied_into,
    edited_by,
    made_folder,
)
from ._patches import has_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Command, Copy, File, Finding

    from ._installed_files import Change

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
_COMPARING = frozenset(
    {"cmp", "diff", "grep", "egrep", "fgrep", "rg", "md5sum", "sha1sum", "sha256sum", "cksum"}
)
_TESTING = frozenset({"pytest", "py.test", "rocmlint"})
_CHECKING_MODULES = frozenset({"pytest", "unittest", "compileall", "py_compile", "rocmlint"})
_STOPS = ("-e", "-eu", "-eux", "-ex", "-euo", "-eo", "-exo", "-euxo", "errexit")
_ELSE_ENDS = compile_lazily(r"[^\n|;]*\|\|\s*\{?[^\n]*\b(?:exit|return|die|fail|abort)\b")


def is_of_the_project(change: Change, file: File) -> bool:
    """Files of a package in the project itself: copying them is how it is installed."""
    return file.is_first_party(change.package)


def is_new_folder(change: Change, file: File) -> bool:
    """Copies into a directory that the script makes itself, and that the package does not have."""
    folder = made_folder(change, file)
    if folder is None:
        return False
    if folder:
        return change.package in known_packages() and not has_folder(change.package, folder, file)
    name = re.escape(change.package).replace("_", "[-_]")
    installs = re.search(rf"(?i)\binstall\b[^\n]*(?<![\w./-]){name}\b", file.text) is not None
    required = bool(file.project.requirements(change.package))
    return not (installs or required or change.package in known_packages())


def is_verified(change: Change, file: File) -> bool:
    """Changes that a later command checks: an import of the package, `cmp`, `grep`, `pytest`."""
    return any(_checks(each, change) for each in _later(change, file))


def is_stopped(change: Change, file: File) -> bool:
    """A `patch` that stops the build or the script if it fails, as with `set -e`."""
    return change.tool == "patch" and _stops_at_failure(file)


def _later(change: Change, file: File) -> Iterator[Command]:
    behind = change.place.span[2:]
    return (each for each in file.parts.commands if each.span[:2] >= behind)


def _stops_at_failure(file: File) -> bool:
    """Return whether the first command that fails stops the rest."""
    return has_role(file.path, Role.STOPS, file.text) or any(
        each.words[0].text == "set" and any(word.text in _STOPS for word in each.words[1:])
        for each in file.parts.commands
    )


def _checks(command: Command, change: Change) -> bool:
    name = command.words[0].text.rpartition("/")[2]
    words = command.words[1:]
    if name in _TESTING:
        return True
    if name in _COMPARING:
        return _names(words, change)
    if not name.startswith("python") and "python" not in command.words[0].origin:
        return False
    if not words or words[0].text == "-":
        return True  # a program that is piped in
    if words[0].text == "-m" and len(words) > 1:
        return words[1].text in _CHECKING_MODULES
    return words[0].text == "-c" and _names(words, change)


def _names(words: tuple[Word, ...], change: Change) -> bool:
    """Return whether a command names what was changed, or a variable that may lead there."""
    text = " ".join(f"{each.text} {each.origin}" for each in words)
    return change.package in text or bool(change.name and change.name in text)


def is_for_others(change: Change, file: File) -> bool:
    """The file names another platform, or neither it nor its project names ROCm or an AMD GPU."""
    del change
    named = {platforms.of_name(file.place), platforms.of_text(file.text)} - {""}
    return not named & {"rocm", "mixed"} and (named == {"other"} or not file.project.is_rocm)


def is_asked_of_python(change: Change, file: File) -> bool:
    """Python itself says where the package is (`__file__`, `__path__`)."""
    del file
    place = change.place
    written = f"{place.text} {place.origin}" if isinstance(place, Word) else ""
    return any(change.package in match.groups() for match in ASKED_OF.finditer(written))


def is_stopping(change: Change, file: File) -> bool:
    """The script ends where `cp` fails: `set -e`, `cp ... || exit 1`."""
    place = change.place
    if change.tool != "copy" or not isinstance(place, Word):
        return False
    if made_folder(change, file) is not None:
        return False  # cp does not fail in the wrong environment either
    end = file.offset_of(place.span[2]) + place.span[3] - 1
    return _stops_at_failure(file) or _ELSE_ENDS.match(file.text, end) is not None


def is_of_pinned(change: Change, file: File) -> bool:
    """A `cp` over a package of which the same script installs an exact version."""
    name = re.escape(change.package).replace("_", "[-_]")
    pinned = rf"(?i)\binstall\b[^\n]*(?<![\w.-]){name}(?:\[[^]\n]*\])?==\d"
    is_copy = change.tool == "copy" and isinstance(change.place, Word)
    return is_copy and re.search(pinned, file.text) is not None


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
