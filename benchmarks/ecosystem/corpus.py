"""The pinned corpus: packages of the index by file and hash, unpacked as a checkout would lie."""

from __future__ import annotations

import csv
import hashlib
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.sources import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Fetch = Callable[[str, str], bytes]
    """Gives the content of a package's file, by the names of both."""

HERE = Path(__file__).parent
LISTED = HERE / "corpus.tsv"


class UnreachableError(Exception):
    """The package index cannot be reached."""


class CorpusError(Exception):
    """The package index has another file than the one that is pinned, or none."""


@dataclass(frozen=True)
class Package:
    """A pinned file of a package: a source distribution, or a wheel where there is no other."""

    name: str
    version: str
    file: str
    sha256: str

    @property
    def title(self) -> str:
        """The name and version, which is also the name of its folder."""
        return f"{self.name}=={self.version}"


def listed(path: Path) -> list[Package]:
    """Read the list of the corpus."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [Package(**row) for row in csv.DictReader(lines, delimiter="\t")]


def unpacked(
    packages: Iterable[Package], work: Path, fetch: Fetch, downloads: Path | None = None
) -> dict[str, Path]:
    """Return the tree of each package by its title, and get those that are not there yet.

    Files are kept in the folder for downloads, if there is one, and not asked for again.
    Raises UnreachableError, and CorpusError where a file is not the pinned one.
    """
    return {each.title: _unpacked(each, work / "corpus", fetch, downloads) for each in packages}


def _unpacked(package: Package, folder: Path, fetch: Fetch, downloads: Path | None) -> Path:
    tree = folder / package.sha256[:12] / package.title
    if tree.exists():
        return tree
    content = _content(package, fetch, downloads)
    part = tree.with_name(f"{tree.name}.part")
    shutil.rmtree(part.parent, ignore_errors=True)
    part.parent.mkdir(parents=True)
    archive = part.parent / package.file
    archive.write_bytes(content)
    unpack(archive, part)
    archive.unlink()
    (part / ".git").mkdir(exist_ok=True)  # the mark of a project's root
    part.rename(tree)
    return tree


def _content(package: Package, fetch: Fetch, downloads: Path | None) -> bytes:
    kept = downloads / package.file if downloads else None
    if kept and kept.exists() and sha256(kept.read_bytes()) == package.sha256:
        return kept.read_bytes()
    content = fetch(package.name, package.file)
    found = sha256(content)
    if found != package.sha256:
        message = f"{package.file} has the SHA-256 {found}, not {package.sha256}"
        raise CorpusError(message)
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(content)
    return content


def sha256(content: bytes) -> str:
    """Return the SHA-256 of a file's content as the list writes it."""
    return hashlib.sha256(content).hexdigest()


def from_index() -> Fetch:
    """Return what gets files from the index that pip is set up with; nothing is built or run.

    What it returns raises UnreachableError, and CorpusError where the index lacks the file.
    """
    from pip._internal.exceptions import PipError  # noqa: PLC0415 - only where it is asked

    from tools.build_requirements import Index  # noqa: PLC0415 - loads much of pip

    index = Index("--retries=2", "--timeout=20")
    logging.getLogger("pip").setLevel(logging.ERROR)  # its set-up may name folders that are gone

    def fetch(package: str, file: str) -> bytes:
        try:
            links = index.files(package)
            answer = index.session.get(links[file].url) if file in links else None
            if answer is not None:
                answer.raise_for_status()
        except (OSError, PipError) as error:
            message = f"{file} cannot be downloaded: {error}"
            raise UnreachableError(message) from error
        if not links:
            message = f"the package index does not answer for {package}"
            raise UnreachableError(message)
        if answer is None:
            message = f"the package index has no {file} of {package}"
            raise CorpusError(message)
        return bytes(answer.content)

    return fetch
