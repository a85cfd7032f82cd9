"""A checkout with every trick in it: all of its findings are told, and nothing else happens."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.lint.cache.folder import NAME
from tests.support.project import COMMAND

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="limits memory, reads /dev/zero"),
]

DROPPED = """\
from PIL import ImageOps


def load(image):
    ImageOps.exif_transpose(image)
    return image
"""
LONG_AGO = 1_600_000_000
PATIENCE = 120
MEMORY = 4_000_000_000


def write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Make a folder outside the checkout that every trick is after."""
    folder = tmp_path / "victim"
    for name in ("precious.json", "state.tmp", f"{'0' * 32}.json", ".bashrc"):
        write(folder, name, "{}")
        os.utime(folder / name, (LONG_AGO, LONG_AGO))
    return folder


@pytest.fixture
def checkout(tmp_path: Path, victim: Path) -> Path:
    root = tmp_path / "checkout"
    root.mkdir()
    (root / ".git").mkdir()
    evil = f"open({str(victim / 'was_run')!r}, 'w')\n"

    # Code of its own
    write(root, "evil/rule.py", evil)
    write(root, "conftest.py", evil + DROPPED)
    write(root, "setup.py", evil + DROPPED)
    write(root, "sitecustomize.py", evil)
    write(root, "rocmlint.toml", "rules = ['evil']\nextend-select = ['EVIL']\n[evil]\na = 1\n")

    # Paths that lead elsewhere, or never end
    (root / ".rocmlint_cache").symlink_to(victim)
    write(root, "cached/rocmlint.toml", f"cache-dir = '{victim}'\n")
    write(root, "cached/a.py", DROPPED)
    (root / ".gitignore").symlink_to("/dev/zero")
    (root / "again").symlink_to(root)
    (root / "self.py").symlink_to("self.py")
    (root / "zero.py").symlink_to("/dev/zero")
    os.mkfifo(root / "pipe.py")
    os.mkfifo(root / "constraints.txt")

    # Configurations of folders
    (root / "zero").mkdir()
    (root / "zero" / "pyproject.toml").symlink_to("/dev/zero")
    write(root, "zero/a.py", DROPPED)
    (root / "pipe").mkdir()
    os.mkfifo(root / "pipe" / "rocmlint.toml")
    write(root, "pipe/a.py", DROPPED)
    write(root, "deep/rocmlint.toml", f"select = {'[' * 5000}{']' * 5000}\n")
    write(root, "deep/a.py", DROPPED)
    write(root, "dotted/rocmlint.toml", f"{'.'.join('a' * 5_000)} = 1\n")
    write(root, "dotted/a.py", DROPPED)
    write(root, "extends/rocmlint.toml", "extend = '/dev/zero'\n")
    write(root, "extends/a.py", DROPPED)
    write(root, "patterns/rocmlint.toml", "exclude = ['!']\n")
    write(root, "patterns/a.py", DROPPED)

    # Files
    for name in ("huge.py", "huge.ipynb", "requirements-huge.txt"):
        with (root / name).open("wb") as file:
            file.truncate(6_000_000_000)
    write(root, "requirements.txt", "-r \0\n-r /dev/zero\n-r requirements.txt\n-r pipe.py\n")
    write(root, "long.py", f"from transformers import {'a' * 300}\nimport {'b' * 300}\n")
    write(root, "nested.py", "x = " + "(" * 5000 + ")" * 5000 + "\n")
    write(root, "nul.py", "x = '\0'\n" + DROPPED)
    write(root, "binary.py", "\x7fELF\0\0")
    write(root, "nested.ipynb", "[" * 100_000)
    write(root, "::stop-commands::x.py", DROPPED)
    write(root, " ::error::x.py", DROPPED)
    write(root, "\x1b[2J.py", DROPPED)
    write(root, "new\nline.py", DROPPED)
    write(root, "z.py", DROPPED)
    return root


FOUND = {
    "conftest.py",
    "setup.py",
    "cached/a.py",
    "::stop-commands::x.py",
    " ::error::x.py",
    "\x1b[2J.py",
    "new\nline.py",
    "z.py",
}
"""The files whose finding must be told, whatever lies beside them."""
REFUSED = {"zero", "pipe", "deep", "dotted", "extends", "patterns"}
"""The folders whose configuration cannot be used."""


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def lint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Lint without the rules of the checkout, in bounded memory and time."""
    return subprocess.run(
        [*COMMAND, "--no-local-rules", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        preexec_fn=limit,
    )


def content(folder: Path) -> dict[str, tuple[str, float]]:
    return {each.name: (each.read_text(), each.stat().st_mtime) for each in folder.iterdir()}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_every_finding_is_told_and_what_cannot_be_linted_is_one_line_each(
    checkout: Path, jobs: str
) -> None:
    ended = lint(checkout, "--output-format", "json", "--jobs", jobs)
    assert ended.returncode == 2
    findings = json.loads(ended.stdout)["findings"]
    assert {each["path"] for each in findings if each["code"] == "ROC602"} == FOUND
    assert {"huge.py", "huge.ipynb", "nested.ipynb", "nul.py"} <= {
        each["path"] for each in findings if each["code"] == "ROC900"
    }
    lines = ended.stderr.decode().splitlines()
    told = [line for line in lines if line.endswith(" was linted")]
    assert {line.split("; nothing in ")[-1].split()[0] for line in told} == REFUSED
    assert not any("Traceback" in line or "internal error" in line for line in lines)


def test_nothing_outside_is_touched_and_no_code_of_it_is_run(checkout: Path, victim: Path) -> None:
    before = content(victim)
    assert lint(checkout).returncode == 2
    assert lint(checkout, "--unsafe-fixes", "--diff").returncode == 2
    assert lint(checkout, "--show-files").returncode == 2
    assert lint(checkout, "--show-settings").returncode == 0
    assert content(victim) == before


def test_nothing_outside_is_touched_by_fixes(checkout: Path, victim: Path) -> None:
    before = content(victim)
    for name in ("linked.py", "setup.cfg"):
        (checkout / name).unlink(missing_ok=True)
    lint(checkout, "--unsafe-fixes")
    lint(checkout, "--add-ignore", "why")
    assert content(victim) == before


def test_a_cache_in_the_checkout_is_told_to_be_refused(checkout: Path, victim: Path) -> None:
    ended = lint(checkout)
    assert (
        f"{checkout}/.rocmlint_cache: is a symbolic link or outside the project".encode()
        in ended.stderr
    )
    assert not (victim / NAME).exists()


@pytest.mark.parametrize("name", ["text", "concise"])
def test_no_line_is_a_command_for_githubs_runner_nor_for_a_terminal(
    checkout: Path, name: str
) -> None:
    ended = lint(checkout, "--output-format", name)
    lines = [*ended.stdout.splitlines(), *ended.stderr.splitlines()]
    assert not [line for line in lines if line.lstrip().startswith(b"::")]
    assert b"./::stop-commands::x.py:5:5:" in ended.stdout
    assert b"\x1b" not in ended.stdout + ended.stderr


def test_without_configuration_the_folders_with_a_broken_one_are_linted_too(
    checkout: Path,
) -> None:
    ended = lint(checkout, "--isolated", "--no-cache", "--output-format", "json")
    findings = json.loads(ended.stdout)["findings"]
    found = {each["path"] for each in findings if each["code"] == "ROC602"}
    assert found == FOUND | {f"{folder}/a.py" for folder in REFUSED}
