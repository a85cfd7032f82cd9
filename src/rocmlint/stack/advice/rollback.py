"""The file from which pip can restore an environment: every package at its exact version."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from rocmlint.disk.write import write_atomically
from rocmlint.errors import RocmlintError
from rocmlint.interpreter.shapes import is_shaped
from rocmlint.stack.advice.installer import Installer
from rocmlint.stack.advice.origins import PackageOrigins, origins, path_of
from rocmlint.stack.advice.rocm_builds import SOURCE_ONLY
from rocmlint.stack.installed.contents import always_required, libraries
from rocmlint.stack.installed.distributions import BUILT_AGAINST_TORCH
from rocmlint.stack.installed.torch_build import read_torch
from rocmlint.text.secrets import without_logins
from rocmlint.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from rocmlint.stack.installed.distributions import Distribution, Environment

_MOST = 1000
"""So many files may exist before no other name is tried."""
_ORIGIN = {"url": str, "subdirectory": str, "vcs_info": {str: str}, "dir_info": {str: object}}
"""The fields of a direct_url.json that are used."""
_WITHOUT: dict[str, Any] = {"url": "", "subdirectory": "", "vcs_info": {}, "dir_info": {}}


def write_rollback(environment: Environment, path: str) -> str:
    """Write the packages of an environment, and give the path: never one that is there already.

    If ``before.txt`` exists, it becomes ``before-2.txt``. Raises RocmlintError.
    """
    try:
        path = _reserved(os.path.abspath(path))
        try:
            write_atomically(path, rollback_text(environment, path).encode())
        except BaseException:
            with suppress(OSError):
                os.unlink(path)
            raise
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror}"
        raise RocmlintError(
            f"{message}; choose another place with --freeze, or use --no-freeze"
        ) from error
    return path


def rollback_text(environment: Environment, path: str) -> str:
    """Return the requirements from which pip or uv restores the packages."""
    found = _origins(environment)
    lines = [
        f"# The packages of {environment.executable} (Python {environment.python}).",
        "# To roll back, uninstall what has changed since and run",
        f"#   {Installer(environment).restore(path)}",
    ]
    lines += [f"# omitted because it cannot be read: {each}" for each in environment.unreadable]
    indexes = {found.index(each) for each in environment.distributions}
    indexes |= {*found.place[-1:]} if "--index-url" in found.place else set()
    lines += [f"--extra-index-url {each}" for each in sorted(indexes - {""})]
    lines += [f"--find-links {found.place[-1]}"] if "--find-links" in found.place else []
    for each in environment.distributions:
        lines += _lines(each, found, _compiled(environment, each, found))
    return "".join(f"{line}\n" for line in lines)


def not_restored(environment: Environment, names: Collection[str]) -> list[str]:
    """Return why that file does not restore some packages, and what to do instead."""
    found = _origins(environment)
    there = (each for each in environment.distributions if each.name in names)
    return [why for each in there if (why := found.lost(each, source_of(each)))]


def compiled_again(environment: Environment, names: Collection[str]) -> list[str]:
    """Return the commands for those packages that are compiled anew after that file is read."""
    found = _origins(environment)
    there = (each for each in environment.distributions if each.name in names)
    return [command for each in there if (command := _compiled(environment, each, found))]


def _origins(environment: Environment) -> PackageOrigins:
    return origins(environment.distributions, read_torch(environment))


def source_of(distribution: Distribution) -> str:
    """Return what pip installs a package from again, as a line of a requirements file.

    It is the address that it was installed from (direct_url.json, PEP 610), else its version.
    """
    origin = _origin(distribution)
    url = without_logins(origin.get("url", ""))
    if not url:
        return f"{distribution.name}=={distribution.version}"
    if origin.get("dir_info", {}).get("editable") and url.startswith("file://"):
        return f"-e {path_of(url)}"
    vcs = origin.get("vcs_info", {})
    if vcs:
        url = f"{vcs.get('vcs', 'git')}+{url}@{vcs.get('commit_id', '')}"
    if origin.get("subdirectory"):
        url += f"#subdirectory={origin['subdirectory']}"
    return f"{distribution.name} @ {url}"


def words_of(requirement: str) -> list[str]:
    """Return a line of a requirements file as words of a command: ``-e PATH`` is two."""
    return requirement.split(" ", 1) if requirement.startswith("-") else [requirement]


def built_from(distribution: Distribution) -> str:
    """Return the source that a package was built from, as pip takes it; empty for a wheel."""
    url = _origin(distribution).get("url", "")
    is_source = url and not urlsplit(url).path.endswith(".whl")
    return source_of(distribution) if is_source else ""


def words_to_compile(distribution: Distribution, release: str) -> list[str]:
    """Return what pip compiles a release of a package from, as words of a command.

    The installed release is compiled from its own source, any other from what PyPI has of it.
    """
    source = built_from(distribution) if release == distribution.version else ""
    name, public = distribution.name, release.partition("+")[0]
    return words_of(source) if source else ["--no-binary", name, f"{name}=={public}"]


def _reserved(path: str) -> str:
    """Make an empty file that nobody else has, so that two runs cannot take the same name."""
    root, extension = os.path.splitext(path)
    for number in range(1, _MOST):
        name = path if number == 1 else f"{root}-{number}{extension}"
        with suppress(FileExistsError):
            os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            return name
    message = f"{path}: it and {_MOST - 2} names like it exist; choose another with --freeze"
    raise RocmlintError(message)


def _lines(distribution: Distribution, found: PackageOrigins, compiled: str) -> Iterator[str]:
    """Yield a package, and what is to be known of it.

    What pip would not find, would find another build of, or has to compile is a comment: a line
    that fails would keep all others from coming back.
    """
    if compiled:
        yield f"# {distribution} is compiled against torch; when torch is installed, run"
        yield f"#   {compiled}"
        return
    line = source_of(distribution)
    why = found.lost(distribution, line)
    if why:
        yield f"# {why}"
    elif found.is_foreign(distribution):
        by = f"{distribution} was installed by {visible(distribution.installer)}"
        yield f"# {by}: pip installs its own build instead"
    yield f"# {line}" if why else line


def _compiled(environment: Environment, distribution: Distribution, found: PackageOrigins) -> str:
    """Return the command that compiles a package for torch; empty if pip needs none for it.

    A line of a file is built without the torch that is in the same file.
    """
    is_lost = bool(found.lost(distribution, source_of(distribution)))
    if is_lost or not _needs_torch_to_build(environment, distribution, found):
        return ""
    words = words_to_compile(distribution, distribution.version)
    return Installer(environment).compile(*words)


def _needs_torch_to_build(
    environment: Environment, distribution: Distribution, found: PackageOrigins
) -> bool:
    """Return whether pip would build a package that needs torch for that.

    The files of an editable one, and so the code that was compiled, are not in its RECORD. On ROCm
    a wheel of PyPI's with code for CUDA only is not what was installed.
    """
    source = built_from(distribution)
    if distribution.name not in BUILT_AGAINST_TORCH:
        has_code = source.startswith("-e ") or bool(source and libraries(distribution))
        return has_code and "torch" in always_required(distribution, environment)
    if source or _origin(distribution):
        return bool(source)
    return distribution.name in SOURCE_ONLY or found.is_rocm


def _origin(distribution: Distribution) -> dict[str, Any]:
    """Return what direct_url.json says; nothing where it is not what an installer writes."""
    try:
        origin = json.loads(distribution.direct_url or "{}")
    except (ValueError, RecursionError):
        return {}
    return origin if _is_of_an_installer(origin) else {}


def _is_of_an_installer(origin: object) -> bool:
    """Return whether an origin has the fields of PEP 610, none with a line or an option in it."""
    if not isinstance(origin, dict) or not is_shaped({**_WITHOUT, **origin}, _ORIGIN):
        return False
    words = (origin.get("url", ""), origin.get("subdirectory", ""))
    every = (*words, *origin.get("vcs_info", {}).values())
    return all(" " not in each and unquote(each).isprintable() for each in every)
