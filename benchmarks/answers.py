"""Ask ``rocmlint why`` about reported errors, each with its environment and files rebuilt.

python -m benchmarks.answers [--only ID] REPORTS.toml... > answers.tsv

A file holds ``[[report]]`` tables: ``id``, ``kind``, ``text`` (the message or log; ``{site}`` and
``{project}`` stand for the folders that are made), and what the reporter had: ``python``
("3.11"), ``packages`` (["torch==2.4.1+cu121"]), ``site`` and ``files`` (path -> text below
site-packages and the project), ``variables``, ``gpus`` (["gfx1151"]), ``machine`` (path -> text).
``expected`` says what the thread found, for whoever judges.
Prints a line for each report: id, kind, verdict, entry, cause, actions, what was not read.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocmlint.gpus.machine import Machine
from rocmlint.text.toml import loads
from rocmlint.why.diagnose import diagnose
from rocmlint.why.facts.context import Context
from rocmlint.why.log.log_reader import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.why.answer import Answer

NODES = "/sys/class/kfd/kfd/topology/nodes"


def answer_of(report: Mapping[str, Any], folder: Path) -> Answer:
    """Rebuild what the reporter had below a folder, and ask."""
    site = folder / "env" / "lib" / f"python{report.get('python', '3.11')}" / "site-packages"
    project, root = folder / "project", folder / "machine"
    for each in (site, project, root):
        each.mkdir(parents=True)
    python = folder / "env" / "bin" / "python"
    python.parent.mkdir()
    python.touch()
    for each in report.get("packages", ()):
        _install(site, each)
    for base, files in ((site, "site"), (project, "files"), (root, "machine")):
        for path, text in report.get(files, {}).items():
            file = base / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    for number, gpu in enumerate(report.get("gpus", ()), 1):
        file = root / f"{NODES}/{number}".lstrip("/") / "properties"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"gfx_target_version {_decimal(gpu)}\n")
    text = report["text"].replace("{site}", str(site)).replace("{project}", str(project))
    variables = {"PATH": "/nonexistent", **report.get("variables", {})}
    context = Context(
        read_text(text),
        str(project),
        str(python) if report.get("packages") else "",
        is_given=bool(report.get("packages")),
        machine=Machine(str(root), variables),
    )
    return diagnose(context)


def _install(site: Path, requirement: str) -> None:
    name, _, version = requirement.partition("==")
    record = site / f"{name.replace('-', '_')}-{version}.dist-info"
    record.mkdir()
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (record / "RECORD").write_text("")
    if name == "torch":
        kind = version.partition("+")[2]
        hip = repr(kind.removeprefix("rocm")) if "rocm" in kind else "None"
        cuda = repr(f"{kind[2:4]}.{kind[4:]}") if kind.startswith("cu") else "None"
        (site / "torch").mkdir(exist_ok=True)
        (site / "torch" / "__init__.py").touch()
        lines = f"__version__ = {version!r}\ncuda = {cuda}\nhip = {hip}\n"
        (site / "torch" / "version.py").write_text(lines)


def _decimal(gpu: str) -> int:
    """Return how the kernel writes a processor: gfx90a is 90010."""
    digits = gpu.removeprefix("gfx")
    return int(digits[:-2]) * 10_000 + int(digits[-2], 16) * 100 + int(digits[-1], 16)


def rows(reports: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield the answer to each report, as columns."""
    for report in reports:
        with tempfile.TemporaryDirectory() as folder:
            answer = answer_of(report, Path(folder))
        said = answer.explanation
        actions = " | ".join(each.text for each in said.actions) if said else ""
        missing = ", ".join(each.fact for each in said.missing) if said else ""
        entry, cause = (said.entry, said.cause) if said else ("", "")
        columns = (report["id"], report.get("kind", ""), answer.verdict, entry, cause, actions)
        yield tuple(" ".join(each.split()) for each in (*columns, missing))


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", metavar="REPORTS.toml")
    parser.add_argument("--only", metavar="ID")
    flags = parser.parse_args(arguments)
    reports = [each for file in flags.files for each in loads(Path(file).read_text())["report"]]
    chosen = [each for each in reports if flags.only in {None, each["id"]}]
    for row in rows(chosen):
        print("\t".join(row))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
