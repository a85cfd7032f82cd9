"""Lint the corpus with one version of rocmlint, which is installed in an environment of its own."""

from __future__ import annotations

import io
import os
import resource
import shutil
import subprocess
import tarfile
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.linting import INSTALLED, lint

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]


class Key(NamedTuple):
    """What a finding of the corpus is known by in every version of rocmlint."""

    package: str
    fingerprint: str


@dataclass(frozen=True)
class Found:
    """A finding with default settings in a package of the corpus."""

    package: str
    path: str
    cell: int | None
    line: int
    end_line: int
    code: str
    name: str
    severity: str
    message: str
    help: str
    fingerprint: str

    @property
    def key(self) -> Key:
        """What it is known by."""
        return Key(self.package, self.fingerprint)

    @property
    def place(self) -> str:
        """Where it is."""
        cell = "" if self.cell is None else f"cell {self.cell}:"
        return f"{self.package}/{self.path}:{cell}{self.line}"

    def __str__(self) -> str:
        """Write it in one line."""
        return f"{self.place}: {self.code} {self.message}"


@dataclass(frozen=True)
class Run:
    """What one version finds in the whole corpus, and what that takes."""

    version: str
    found: tuple[Found, ...]
    files: int
    wall: float
    cpu: float


def run(version: str, program: Path, trees: Mapping[str, Path]) -> Run:
    """Lint each tree from within, as many at a time as there are processors."""
    start, before = time.perf_counter(), _cpu()
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        documents = list(pool.map(lambda tree: lint(tree, ".", program=program), trees.values()))
    wall, cpu = time.perf_counter() - start, _cpu() - before
    found = tuple(
        finding_of(package, each)
        for package, document in zip(trees, documents, strict=True)
        for each in document["findings"]
    )
    files = sum(document["summary"]["files"] for document in documents)
    return Run(version, found, files, wall, cpu)


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def finding_of(package: str, finding: Mapping[str, Any]) -> Found:
    """Read a finding of the JSON document; versions before it had a help wrote one text."""
    names = ("path", "line", "end_line", "code", "name", "severity", "message", "fingerprint")
    kept = {name: finding[name] for name in names}
    return Found(package, cell=finding.get("cell"), help=finding.get("help", ""), **kept)


def installed(revision: str, work: Path) -> tuple[str, Path]:
    """Return the short commit of a revision, and its rocmlint in an environment of its own.

    ``.`` is the rocmlint of the Python that runs this. Raises SystemExit.
    """
    if revision == ".":
        return ".", INSTALLED
    commit = _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    if not commit:
        message = f"{revision} is no revision of this repository"
        raise SystemExit(message)
    environment = work / "versions" / commit
    program = environment / "bin" / "rocmlint"
    if not (environment / "complete").exists():
        shutil.rmtree(environment, ignore_errors=True)
        source = environment / "source"
        source.mkdir(parents=True)
        with tarfile.open(fileobj=io.BytesIO(_git("archive", commit))) as archive:
            archive.extractall(source, filter="data")
        venv.create(environment, with_pip=True)
        pip = [str(environment / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", str(source)], check=True)
        (environment / "complete").touch()
    return commit[:10], program


def _git(*arguments: str) -> bytes:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, check=False).stdout
