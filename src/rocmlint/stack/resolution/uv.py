"""Asking uv's resolver which releases fit together; it reads metadata and installs nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from rocmlint.errors import RocmlintError
from rocmlint.published.requirements import pin
from rocmlint.text.written import requirement_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from packaging.version import Version

_PLATFORM = "x86_64-manylinux_2_39"
_ANSWER = (
    *("--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"),
    *("--no-emit-index-annotation", "--no-emit-build-options", "--no-emit-marker-expression"),
    *("--no-generate-hashes", "--strip-extras", "--strip-markers", "--no-universal"),
    *("--no-all-extras", "--output-file", "pinned.txt", "--color", "never", "--no-progress"),
)
"""Flags for an answer of pins and nothing else, whatever the user has set for "uv pip compile"."""
_OF_PROJECTS = ("UV_PROJECT", "UV_WORKING_DIR", "UV_WORKING_DIRECTORY", "UV_TORCH_BACKEND")
"""Variables that would lead uv to a project after all, or to another torch."""
_REFUSED = "No solution found"
_OFFLINE = ("network was disabled", "not found in the cache")
_NO_WHEEL = re.compile(r"([\w.-]+)(?:[<>=]\S+)? ha(?:s|ve) no usable wheels")
_MOST_WITHOUT_WHEEL = 5
_NO_SUCH_PACKAGE = re.compile(r"Because (\S+) was not found in the package registry")
_FRAME = " \t\N{MULTIPLICATION SIGN}╰─▶│"
"""Characters that older uv draws around its words."""
_LONGEST_REASON = 400
"""Characters; uv prints every step of a long search."""


class ResolverError(RocmlintError):
    """uv is not there, has no network, failed or took longer than its limit: nothing is known."""


@dataclass(frozen=True)
class UvRefusal:
    """No releases fit together."""

    reason: str
    """In one line; of uv, its own words."""
    unknown: str | None = None
    """The package that is not known, where that is the reason."""


def find_uv() -> str:
    """Return the path of uv: that of the installed package, else that on PATH.

    Raises ResolverError where there is neither.
    """
    try:
        from uv import find_uv_bin  # noqa: PLC0415 - it is an extra

        return os.fspath(find_uv_bin())
    except (ImportError, FileNotFoundError):
        found = shutil.which("uv")
    if found is None:
        message = "uv is not installed (pip install 'rocmlint[resolve]')"
        raise ResolverError(message)
    return found


def resolve(
    requirements: Iterable[str],
    python: str,
    *,
    timeout: float = 120,
    alone: bool = False,
    without: Iterable[str] = (),
) -> Mapping[str, Version] | UvRefusal:
    """Choose the newest releases that fit together on Linux, on x86_64, from wheels.

    An earlier requirement is the first to get a newer release where not all can. ``python`` is
    major.minor; ``timeout`` seconds; ``alone`` leaves what they require out of account, ``without``
    packages and what only these require. The index is that of uv's own configuration, but for a
    project's. What is required and has only an sdist is left out of account, as its code would have
    to run to find what it needs. uv must not download a Python.

    Raises ResolverError.
    """
    lines = list(requirements)
    own = {canonicalize_name(Requirement(line).name) for line in lines}
    left_out = sorted(set(without) - own)
    most = len(left_out) + _MOST_WITHOUT_WHEEL
    while True:
        done = _compile(lines, left_out, python, timeout, alone=alone)
        if done.returncode == 0:
            return _pinned(done.stdout, own)
        if _REFUSED not in done.stderr or any(each in done.stderr for each in _OFFLINE):
            message = f"uv failed: {_reason(done.stderr) or f'exit code {done.returncode}'}"
            raise ResolverError(message)
        source_only = set(map(canonicalize_name, _NO_WHEEL.findall(done.stderr))) - own
        if not source_only.difference(left_out) or len(left_out) >= most:
            break
        left_out += sorted(source_only.difference(left_out))
    reason = _reason(done.stderr)
    unknown = _NO_SUCH_PACKAGE.match(reason)
    if unknown is None:
        return UvRefusal(reason)
    return UvRefusal(f"the index has no package {unknown[1]}", canonicalize_name(unknown[1]))


def _compile(
    lines: list[str], left_out: list[str], python: str, timeout: float, *, alone: bool
) -> subprocess.CompletedProcess[str]:
    command = [find_uv(), "pip", "compile", "requirements.in", "--python-version", python]
    command += ["--python-platform", _PLATFORM, "--no-build", "--no-python-downloads", *_ANSWER]
    command += ["--resolution", "highest", "--no-deps" if alone else "--deps"]
    command += ["--override", "overrides.txt"] if left_out else []
    # uv obeys the pyproject.toml and uv.toml of the folders above, up to a workspace's.
    with tempfile.TemporaryDirectory(prefix="rocmlint-") as folder:
        for name, text in (
            ("pyproject.toml", ["[tool.uv.workspace]"]),
            ("requirements.in", lines),
            ("overrides.txt", [f"{each}; python_version < '0'" for each in left_out]),
        ):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.writelines(f"{each}\n" for each in text)
        return _run(command, folder, timeout)


def _variables() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in _OF_PROJECTS}
    return {**kept, "UV_PYTHON_DOWNLOADS": "never"}


def _run(command: list[str], folder: str, timeout: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=folder,
            env=_variables(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = f"uv did not answer within {timeout:g} s"
        raise ResolverError(message) from error
    except OSError as error:
        message = f"{command[0]} cannot be started: {error.strerror}"
        raise ResolverError(message) from error


def _pinned(printed: str, wanted: Iterable[str]) -> Mapping[str, Version]:
    """Return the pins that uv printed. Raises ResolverError where they are not the answer."""
    found: dict[str, Version] = {}
    for line in printed.splitlines():
        requirement = requirement_of(line)
        version = pin(requirement.specifier) if requirement else None
        if requirement is None or version is None:
            message = f"uv printed {line[:_LONGEST_REASON]!r}, which is not a pin"
            raise ResolverError(message)
        found[canonicalize_name(requirement.name)] = version
    missing = sorted(set(wanted) - found.keys())
    if missing:
        message = f"uv printed no version of {', '.join(missing)}"
        raise ResolverError(message)
    return found


def _reason(output: str) -> str:
    """Put uv's reason for a failure into one line, without its advice."""
    text, _, _ = output.partition("\nhint:")
    lines = [line.strip(_FRAME) for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("warning")]
    lines = [line for line in lines if _REFUSED not in line]
    said = " ".join(line.removeprefix("error: ").removeprefix("cause: ") for line in lines)
    said, *_ = said.split(", we can conclude that")
    return said if len(said) <= _LONGEST_REASON else f"{said[:_LONGEST_REASON]} ..."
