"""Whole real packages: no shortcut may change what is found, and nothing may crash."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from rocmlint.config.settings import Settings
from rocmlint.findings import Finding
from rocmlint.lint.check import check
from rocmlint.lint.scan import Scanner
from rocmlint.lint.selection import enabled_rules
from rocmlint.source.python import Source
from rocmlint.syntax.unparsable import UnparsableError
from rocmlint.text.text import decode

WHEELS = ("transformers==5.23.0", "diffusers==0.42.1", "accelerate==1.15.0")
STANDARD_LIBRARY = Path(os.__file__).parent


@pytest.fixture(scope="session", params=WHEELS)
def package(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the unpacked wheel of a package."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary", ":all:", "--dest", str(folder), request.param]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{request.param} cannot be downloaded: {done.stderr.strip()[-200:]}")
    for wheel in folder.glob("*.whl"):
        zipfile.ZipFile(wheel).extractall(folder)
    return folder


def test_findings_with_and_without_shortcuts_are_equal(package: Path) -> None:
    with ProcessPoolExecutor() as pool:
        different = list(pool.map(differences, sorted(package.rglob("*.py")), chunksize=16))
    assert [each for each in different if each] == []


def test_no_file_of_the_standard_library_makes_a_rule_crash() -> None:
    with ProcessPoolExecutor() as pool:
        paths = sorted(STANDARD_LIBRARY.rglob("*.py"))[::5]
        different = list(pool.map(differences, paths, chunksize=16))
    assert [each for each in different if each] == []


def differences(path: Path) -> str:
    """Say how the findings in a file differ without shortcuts; empty where they do not."""
    data = path.read_bytes()
    rules = enabled_rules(Settings(preview=True))
    try:
        text = decode(data)
        cut = check(Source(str(path), text), Scanner(rules).scan(data))
        whole = check(Source(str(path), text, whole=True), rules, shortcuts=False)
    except (UnparsableError, SyntaxError, ValueError):
        return ""  # bad syntax on purpose, as in some tests
    return f"{shown(cut)} != {shown(whole)}" if cut != whole else ""


def shown(findings: list[Finding]) -> list[str]:
    return [f"{each.path}:{each.line}:{each.column} {each.code}" for each in findings]
