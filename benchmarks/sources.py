"""Get public packages with pip and public repositories with git, to lint them."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def download(source: str, target: Path) -> None:
    """Get a source that the corpus lacks; say so and go on where that fails."""
    kind, _, name = source.partition(":")
    get = {"pypi": download_package, "github": download_repository}.get(kind)
    if get is None or target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        get(name, target)
    except (subprocess.CalledProcessError, OSError) as error:
        shutil.rmtree(target, ignore_errors=True)
        sys.stderr.write(f"{source}: {error}\n")


def download_package(requirement: str, target: Path) -> None:
    """Get one package with pip and unpack it."""
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "--quiet", "download", "--no-deps"]
        options = ["--ignore-requires-python", "--dest", folder]
        subprocess.run([*pip, *options, requirement], check=True)
        (archive,) = Path(folder).iterdir()
        unpack(archive, target)


def download_repository(name: str, target: Path) -> None:
    """Get one commit of a public repository."""
    repository, _, commit = name.partition("@")
    git = ["git", "-C", str(target)]
    subprocess.run(["git", "init", "--quiet", str(target)], check=True)
    url = f"https://github.com/{repository}"
    subprocess.run([*git, "fetch", "--quiet", "--depth", "1", url, commit], check=True)
    subprocess.run([*git, "checkout", "--quiet", "FETCH_HEAD"], check=True)


def unpack(archive: Path, target: Path) -> None:
    """Unpack a wheel or a source distribution, the latter without its top folder."""
    if archive.suffix == ".whl":
        shutil.unpack_archive(archive, target, "zip")
        return
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        shutil.unpack_archive(archive, folder, filter="data")
        (top,) = Path(folder).iterdir()
        top.rename(target)
