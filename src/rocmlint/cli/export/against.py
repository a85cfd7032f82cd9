"""The version of a library that patches are checked against: installed, in a folder or a wheel."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.errors import ConfigError, RocmlintError
from rocmlint.interpreter.choose import chosen_interpreter
from rocmlint.models.patches.sources import Sources
from rocmlint.project.environment import check_environment, installed_version, site_folders
from rocmlint.text.written import version_of

try:
    import lzma
except ImportError:  # some Pythons are built without
    lzma = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Sequence

    from packaging.version import Version

    from rocmlint.disk.disk import DiskView

_ASKED = re.compile(r"(?:(?P<name>[A-Za-z][\w.-]*?)\s*==\s*)?(?P<version>v?\d[\w.!+-]*)\Z")
DEFAULT = "transformers"
"""The library that a version without a name is of."""
_PATIENCE = 900
"""Seconds that an installer may take."""
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, struct.error),
    *(LookupError, OSError, ValueError, RuntimeError),
    *([lzma.LZMAError] if lzma else []),
)
"""Errors of zipfile for an archive that is damaged, encrypted or packed in an unknown way."""


@dataclass(frozen=True)
class PackageFolders:
    """Folders with packages, and how they were found."""

    folders: tuple[str, ...]
    source: str


def environment_place(python: str | None, environment: str | None) -> PackageFolders:
    """Return the folders of the interpreter that is named, configured, or running.

    Raises ConfigError for what is not an environment.
    """
    for given, source in ((python, "--python"), (environment, "environment of the configuration")):
        if given is not None:
            if source == "--python" and not site_folders(given):
                message = f"--python: {given} is not an interpreter or environment with packages"
                raise ConfigError(message)
            check_environment(given)
            return PackageFolders(site_folders(given), source)
    chosen = chosen_interpreter(None, os.curdir, os.environ)
    if not chosen.is_own and (folders := site_folders(chosen.path)):
        return PackageFolders(folders, chosen.reason)
    own = [os.path.abspath(each) for each in sys.path if os.path.isdir(each)]
    names = ("site-packages", "dist-packages")
    found = [each for each in own if os.path.basename(each) in names or _has_packages(each)]
    return PackageFolders(tuple(dict.fromkeys(found)), "the environment of rocmlint")


def _has_packages(folder: str) -> bool:
    return any(each.endswith(".dist-info") for each in os.listdir(folder))


def place_against(
    given: str, environment: PackageFolders, packages: Sequence[str], view: DiskView
) -> PackageFolders:
    """Return where the version that ``--against`` names lies; an installer may download it.

    ``packages`` are what the patches replace. Raises RocmlintError.
    """
    if os.path.isdir(given):
        return _folder(os.path.abspath(given), packages, view)
    if given.endswith(".whl"):
        return _wheel(given, packages, view)
    asked = _ASKED.match(given.strip())
    version = version_of(asked["version"]) if asked is not None else None
    if asked is None or version is None:
        message = f"--against {given}: neither a version (5.8.1, transformers==5.8.1), a directory "
        raise ConfigError(message + "nor a wheel")
    package = asked["name"] or _only(packages)
    found = installed_version(environment.folders, canonicalize_name(package), view)
    if found == version:
        return PackageFolders((), f"--against {given}: {environment.source}")
    folder, how = _obtained(package, version)
    return PackageFolders((folder,), f"--against {given}: {how}")


def _only(packages: Sequence[str]) -> str:
    if DEFAULT in packages or not packages:
        return DEFAULT
    if len(packages) == 1:
        return packages[0]
    message = f"--against: name the package, such as {packages[0]}==VERSION; the patches replace "
    raise ConfigError(message + f"code of {', '.join(packages)}")


def _folder(folder: str, packages: Sequence[str], view: DiskView) -> PackageFolders:
    """Find the packages in a directory, in a checkout's ``src``, or where it is one of them."""
    holders = [folder, os.path.join(folder, "src")]
    if os.path.basename(folder) in packages:
        holders.append(os.path.dirname(folder))
    for each in holders:
        sources = Sources((each,), view)
        if any(sources.has_source(package) for package in packages):
            return PackageFolders((each,), f"--against {folder}")
    wanted = ", ".join(packages) or DEFAULT
    message = f"--against {folder}: there is no package here that the patches replace ({wanted})"
    raise ConfigError(message)


def _wheel(path: str, packages: Sequence[str], view: DiskView) -> PackageFolders:
    """Unpack the modules of a wheel for the time of the run."""
    folder = tempfile.mkdtemp(prefix="rocmlint-wheel-")
    _TEMPORARY.append(folder)
    try:
        with zipfile.ZipFile(path) as wheel:
            names = [each for each in wheel.namelist() if each.endswith((".py", "METADATA"))]
            wheel.extractall(folder, names)
    except _DAMAGE as error:
        message = f"--against {path}: cannot be read as a wheel: {error or 'it ends too early'}"
        raise ConfigError(message) from error
    return PackageFolders(_folder(folder, packages, view).folders, f"--against {path}")


_TEMPORARY: list[str] = []


def clean_up() -> None:
    """Remove what was unpacked."""
    while _TEMPORARY:
        shutil.rmtree(_TEMPORARY.pop(), ignore_errors=True)


# Downloads


def _obtained(package: str, version: Version) -> tuple[str, str]:
    """Return a folder with a version of a package; it is downloaded once. Raises RocmlintError."""
    name = f"{canonicalize_name(package)}-{version}"
    folder = os.path.join(_cache(), name)
    if os.path.isdir(folder):
        return folder, f"downloaded earlier to {folder}"
    words = _installer()
    os.makedirs(_cache(), exist_ok=True)
    unpacked = tempfile.mkdtemp(prefix=f".{name}-", dir=_cache())
    try:
        _install(
            [
                *words,
                "--no-deps",
                "--only-binary",
                ":all:",
                "--target",
                unpacked,
                f"{package}=={version}",
            ],
            package,
        )
        os.replace(unpacked, folder)
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)
    return folder, f"downloaded with {os.path.basename(words[0])} to {folder}"


def _installer() -> list[str]:
    """Return uv where it is installed, else pip of the running interpreter."""
    beside = os.path.join(os.path.dirname(sys.executable), "uv")
    uv = beside if os.access(beside, os.X_OK) else shutil.which("uv")
    if uv is not None:
        return [uv, "pip", "install", "--quiet", "--python", sys.executable]
    return [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def _install(words: list[str], package: str) -> None:
    print(f"downloading {words[-1]} with {os.path.basename(words[0])}", file=sys.stderr)
    try:
        done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=_PATIENCE)
    except (OSError, subprocess.TimeoutExpired) as error:
        message = f"--against: {words[-1]} cannot be downloaded: {error}"
        raise RocmlintError(message) from error
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        message = f"--against: {words[-1]} cannot be downloaded: {' '.join(said[-2:])}; "
        raise RocmlintError(f"{message}unpack a wheel of {package} and name its directory")


def _cache() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "rocmlint", "wheels")
