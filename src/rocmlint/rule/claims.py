"""What code can claim of the running system, each with the command that proves it."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.findings import Claim
from rocmlint.lazy import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocmlint.source.file import File

PATH = "{path}"
"""Stands in a command for the file that makes the claim."""
_HERE = f"rocmlint verify {PATH}"
_AT_RUN_TIME = f"rocmlint verify run --module {{module}} -- python {PATH}"
_TRACE = "TRACE.json"
"""Stands for what only the reader of a command can fill in."""
_PLUGINS = frozenset({"__init__.py", "conftest.py", "hubconf.py", "setup.py", "sitecustomize.py"})
"""Files that other programs load: to run one runs nothing of interest."""
_IS_PROGRAM = compile_lazily(r"^if[ (]+__name__\b", re.MULTILINE)
_PACKAGES_OF_ATTENTION = {
    "enable_xformers_memory_efficient_attention": "xformers",
    "flash_attention_2": "flash_attn",
    "flash_attention_3": "flash_attn_interface",
    "xformers": "xformers",
}


def placed(claim: Claim, path: str, line: int) -> Claim:
    """Set where a claim is made."""
    command = claim.command.replace(PATH, _word(path))
    return replace(claim, path=path, line=line, command=command)


def _word(text: str) -> str:
    """Return text as one word of a command, whatever a file says."""
    import shlex  # noqa: PLC0415 - most runs find nothing

    return shlex.quote(text)


def works_as_printed(claim: Claim, file: File, *, in_function: bool) -> bool:
    """Check whether the command of a claim proves something when it is run as it is printed.

    ``in_function`` says that a function makes the claim, so that running the file need not.
    """
    if not claim.command or _TRACE in claim.command:
        return False
    if f"python {PATH}" not in claim.command:
        return True
    if os.path.basename(file.path) in _PLUGINS:
        return False
    is_program = _IS_PROGRAM.search(file.code) is not None
    return is_program or not (in_function or file.package is not None)


def patched_files(target: str, origin: str = "") -> Claim:
    """Claim that files of a package are the author's own.

    ``target`` is a path from the directory that holds the package ("transformers/models"),
    ``origin`` the file or directory that is copied there, empty where the code does not tell it.
    """
    what = f"has the files of `{origin}`" if origin else "is patched"
    return Claim("patched-files", target, f"`{target}` {what}", _HERE, given=origin)


def patch_check(package: str) -> Claim:
    """Claim that a package is patched, as a check in the code is meant to show."""
    statement = f"`{package}` is patched, as this check assumes"
    return Claim("patch-check", package, statement, _HERE)


def faked(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Return claims of code that makes the check of them pass whatever is there."""
    return tuple(replace(each, faked=True) for each in claims)


def replacement(module: str, name: str = "", by: str = "") -> Claim:
    """Claim that an attribute of a module (``Class.method``), or all of it, is replaced.

    That is so in the running program only. ``by`` is what replaces it, as in a claim.
    """
    statement = f"`{name or module}` is replaced at run time"
    command = _AT_RUN_TIME.format(module=_word(module), path=PATH)
    return Claim("replacement", module, statement, command, given=name, by=by)


def origin(package: str, module: str = "") -> Claim:
    """Claim that a package is imported from a directory that the code adds to ``sys.path``.

    ``module`` is the first of its modules that is imported: a namespace package has no file of its
    own that could tell.
    """
    statement = f"`{package}` is imported from the directory that is added to sys.path here"
    command = _AT_RUN_TIME.format(module=_word(module or package), path=PATH)
    return Claim("origin", package, statement, command)


def fast_path(name: str, value: str = "", *, optional: bool = False) -> Claim:
    """Claim that a fast path is on: a method, a function of torch or an option, and its value.

    It is optional where a condition of the program decides on it.
    """
    subject = f"{name}={value}" if value else name
    statement = f"the fast path `{subject}` is taken" + (" if it is requested" if optional else "")
    return Claim("fast-path", subject, statement, _probe(name, value), optional=optional)


def kernel_package(package: str, *, optional: bool = False) -> Claim:
    """Claim that a kernel package can be loaded; the code may continue without it."""
    statement = f"`{package}` loads" + (", or the code continues without it" if optional else "")
    return Claim("kernel-package", package, statement, _HERE, optional=optional)


def dtypes() -> Claim:
    """Claim that each part of a model keeps the dtype that it needs.

    There is no command to print: `rocmlint verify dtype` needs a function that returns the model.
    """
    return Claim("dtype", "the model", "each part of the model keeps its dtype", command="")


def package_of_attention(implementation: str) -> str | None:
    """Return the package that a kind of attention, or a switch for it, needs besides torch."""
    return _PACKAGES_OF_ATTENTION.get(implementation)


def _probe(name: str, value: str) -> str:
    if "aiter" in (name + value).lower():
        return f"rocmlint verify trace {_TRACE} --expect aiter"
    if "blas" in name:
        return f"rocmlint verify probe linear --expect {_word(value.lower())}"
    if "sdp" in name.lower() + value.lower():
        return "rocmlint verify probe sdpa"
    return _HERE
