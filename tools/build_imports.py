"""Builds published/data/imports.json: which names each release asks of others when it is imported.

python -m tools.build_imports --work FOLDER [PACKAGE ...] downloads the wheels of releases with pip,
reads them without installing anything and without running their code, and writes the data. What was
read of a wheel is kept in FOLDER, so that a run that was stopped goes on where it was; the wheel is
not.

Only names that some version in the index of names has and another one has not are written.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from pip._internal.cli.main import main as pip

from rocmlint.published import requirements
from rocmlint.published.imports import NAME
from rocmlint.published.names import names_of, packages
from rocmlint.stack.installed.imported_names import imported_names
from rocmlint.stack.installed.module_files import PackageModules

if TYPE_CHECKING:
    from collections.abc import Iterable

    from packaging.version import Version

DATA = Path(__file__).parents[1] / "src" / "rocmlint" / "published" / "data" / NAME
_PACKAGES = """
peft trl accelerate diffusers sentence-transformers datasets optimum setfit adapters evaluate
compel colpali-engine gliner compressed-tensors liger-kernel auto-gptq langchain-huggingface
unsloth unsloth-zoo lm-eval simpletransformers timm torchmetrics pytorch-lightning kernels
huggingface-hub optimum-quanto optimum-onnx spandrel outlines open-clip-torch transformers
"""
PACKAGES = tuple(_PACKAGES.split())
"""What is installed beside transformers, torch or huggingface_hub and imports names of them."""
NEWEST = 60
"""Releases of a package that are read."""
SINCE = "2023-01-01"


class Wheel:
    """The files of a wheel."""

    def __init__(self, path: Path) -> None:
        """Read the directory of the wheel."""
        self._wheel = zipfile.ZipFile(path)
        self._folders: dict[str, set[str]] = {}
        for name in self._wheel.namelist():
            parts = name.split("/")
            for end in range(len(parts)):
                self._folders.setdefault("/".join(parts[:end]), set()).add(parts[end])

    def entries(self, folder: str) -> frozenset[str]:
        """Return the names in a folder."""
        return frozenset(self._folders.get(folder, ()))

    def text(self, path: str) -> str:
        """Return the text of a file."""
        return self._wheel.read(path).decode("utf-8-sig", "replace")

    def tops(self) -> list[str]:
        """Return the packages in it, by their import names."""
        folders = self.entries("")
        return sorted(each for each in folders if "__init__.py" in self.entries(each))


def main() -> None:
    """Read what is not known yet, and write the data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--work", type=Path, required=True, help="where answers are kept")
    parser.add_argument("--output", type=Path, default=DATA)
    parser.add_argument("--offline", action="store_true", help="write what is in --work")
    flags = parser.parse_args()
    flags.work.mkdir(parents=True, exist_ok=True)
    if not flags.offline:
        for name in flags.packages:
            for each in wanted(name):
                read(name, each, flags.work)
    flags.output.write_text(json.dumps(packed(flags.work), indent=1, sort_keys=True) + "\n")


def wanted(package: str) -> list[Version]:
    """Return the releases to read."""
    found = [
        each
        for each in requirements.releases(package)
        if not requirements.is_yanked(package, each)
        and str(requirements.published_on(package, each) or "") >= SINCE
    ]
    return found[: -NEWEST - 1 : -1]  # the newest first: a run may be stopped


def read(package: str, version: Version, work: Path) -> None:
    """Keep what a release asks; nothing where it has no wheel that pip can download."""
    kept = work / f"{package}-{version}.json"
    if kept.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "download",
            "--quiet",
            "--quiet",
            "--quiet",
            "--no-deps",
            "--only-binary",
            ":all:",
        ]
        code = pip([*command, "--dest", folder, f"{package}=={version}"])
        wheels = list(Path(folder).glob("*.whl"))
        found = asked_by(wheels[0]) if wheels else None
    if found is None:
        print(f"{package} {version}: pip ends with {code}", file=sys.stderr, flush=True)
    kept.write_text(json.dumps(found))


def asked_by(path: Path) -> list[str]:
    """Return what the packages in a wheel ask of those in the index of names."""
    wheel, known = Wheel(path), set(packages())
    asked = {
        (each.module, each.name)
        for top in wheel.tops()
        for each in imported_names(PackageModules(wheel, top), whole=True)
        if each.top in known
    }
    return sorted(f"{module}:{name}" for module, name in asked)


def packed(work: Path) -> dict[str, object]:
    """Return the data: for each package its releases, and which of them ask for a name."""
    tables: dict[str, object] = {}
    for package in PACKAGES:
        answers = {
            version: json.loads(path.read_text())
            for version in requirements.releases(package)
            if (path := work / f"{package}-{version}.json").exists()
        }
        releases = [version for version, asked in answers.items() if asked is not None]
        names = {name for version in releases for name in answers[version]}
        asks = {
            name: runs(name in answers[version] for version in releases)
            for name in sorted(filter(comes_or_goes, names))
        }
        if asks:
            tables[package] = {"releases": " ".join(map(str, releases)), "asks": asks}
    return {"as_of": requirements.AS_OF, "packages": tables}


def comes_or_goes(asked: str) -> bool:
    """Return whether some version of the package that it is asked of does not have a name."""
    known = names_of(asked.partition(".")[0].partition(":")[0])
    history = known.history(asked.replace(":", ".").rstrip(".")) if known else None
    return history is not None and any(history.at(each) is False for each in history.versions)


def runs(has: Iterable[bool]) -> list[int]:
    """Return where each run of True begins and where it has ended."""
    before, found = False, []
    place = -1
    for place, each in enumerate(has):
        if each != before:
            found.append(place)
            before = each
    return [*found, place + 1] if before else found


if __name__ == "__main__":
    main()
