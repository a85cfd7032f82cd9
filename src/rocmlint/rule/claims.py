"""What code can claim of the running system, each with the command that proves it."""

from __future__ import annotations

from dataclasses import replace

from rocmlint.findings import Claim

PATH = "{path}"
"""Stands in a command for the file that makes the claim."""
_HERE = f"rocmlint verify {PATH}"
_AT_RUN_TIME = f"rocmlint verify run --module {{module}} -- python {PATH}"
_PACKAGES_OF_ATTENTION = {
    "enable_xformers_memory_efficient_attention": "xformers",
    "flash_attention_2": "flash_attn",
    "flash_attention_3": "flash_attn_interface",
    "xformers": "xformers",
}


def placed(claim: Claim, path: str, line: int) -> Claim:
    """Set where a claim is made."""
    import shlex  # noqa: PLC0415 - most runs find nothing

    command = claim.command.replace(PATH, shlex.quote(path))
    return replace(claim, path=path, line=line, command=command)


def patched_files(target: str, origin: str = "") -> Claim:
    """Claim that files of a package are the author's own.

    ``target`` is a path from the folder that holds the package ("transformers/models"),
    ``origin`` the file or folder that is copied there, empty where the code does not tell it.
    """
    what = f"has the files of `{origin}`" if origin else "is patched"
    return Claim("patched-files", target, f"`{target}` {what}", _HERE, given=origin)


def patch_check(package: str) -> Claim:
    """Claim that a package is patched, as a check in the code is meant to show."""
    statement = f"`{package}` is patched, as this check assumes"
    return Claim("patch-check", package, statement, f"rocmlint verify stock {package}")


def replacement(module: str, name: str = "") -> Claim:
    """Claim that an attribute of a module (``Class.method``), or all of it, is replaced.

    That is so in the running program only.
    """
    statement = f"`{name or module}` is replaced at run time"
    command = _AT_RUN_TIME.format(module=module, path=PATH)
    return Claim("replacement", module, statement, command, given=name)


def origin(package: str) -> Claim:
    """Claim that a package is imported from a directory that the code adds to ``sys.path``."""
    statement = f"`{package}` is imported from the directory that is added to sys.path here"
    command = _AT_RUN_TIME.format(module=package, path=PATH)
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
        return "rocmlint verify trace TRACE.json --expect aiter"
    if "blas" in name:
        return f"rocmlint verify probe linear --expect {value.lower()}"
    if "sdp" in name.lower() + value.lower():
        return "rocmlint verify probe sdpa"
    return _HERE
