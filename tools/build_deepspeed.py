"""Builds the data of rocmlint.published.deepspeed from published releases of DeepSpeed.

pip fetches the sources, of which only those files are read that say what a configuration may
hold (rocmlint.published.deepspeed_sources); nothing is installed and no code of it is run.

    python -m tools.build_deepspeed --work ~/.cache/rocmlint-deepspeed

goes on where it was. Some releases are enough: a setting counts as known
if either neighbour of a version has it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
from pathlib import Path

from rocmlint.published.deepspeed import PATH
from rocmlint.published.deepspeed_sources import FILES, Model, read_model

RELEASES = ("0.9.5", "0.12.6", "0.14.5", "0.15.4", "0.16.9", "0.17.6", "0.18.9", "0.19.8")


def fetch(release: str, work: Path) -> Path:
    """Download the sources of a release, unless they are there."""
    archive = work / f"deepspeed-{release}.tar.gz"
    if not archive.exists():
        arguments = ["download", "--no-deps", "--no-binary", ":all:", "--dest", str(work)]
        command = [sys.executable, "-m", "pip", *arguments, f"deepspeed=={release}"]
        subprocess.run(command, check=True)
    return archive


def read(archive: Path) -> Model:
    """Read the model of the release in an archive."""
    with tarfile.open(archive) as sources:
        top = sources.getnames()[0].partition("/")[0]
        found = [f"{top}/deepspeed/{name}" for name in FILES]
        names = frozenset(sources.getnames())
        members = [sources.extractfile(name) for name in found if name in names]
        return read_model(each.read().decode() for each in members if each is not None)


def main() -> None:
    """Read the command line, and write the data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="the folder for the sources")
    work: Path = parser.parse_args().work
    work.mkdir(parents=True, exist_ok=True)
    releases = {release: read(fetch(release, work)) for release in RELEASES}
    words = sorted({word for model in releases.values() for word in model.pop("words")})
    lines = (f'  "{name}": {json.dumps(model)}' for name, model in releases.items())
    text = '{"releases": {\n' + ",\n".join(lines) + f'\n}},\n"words": {json.dumps(words)}}}\n'
    Path(PATH).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
