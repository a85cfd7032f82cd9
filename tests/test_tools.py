"""What a machine may lack: without it each test passes, or is skipped and says why."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.tools import LLVM, TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
TABLE = TESTS / "support" / "tools.py"
HIDDEN = {name for tool in TOOLS.values() for name in tool.names}
LONG = "standard_library and not no_secret"
"""Tests that take long and need nothing of the table, in files with others that do."""
COMPILES = "|".join(map(re.escape, LLVM))
LOOKS = re.compile(r"shutil\.which|import which")
NOBODY = "http://127.0.0.1:9"
"""Nothing answers there."""
OFFLINE = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOBODY),
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_INDEX_URL": f"{NOBODY}/simple",
    "PIP_RETRIES": "0",
    "UV_HTTP_RETRIES": "0",
    "UV_INDEX_URL": f"{NOBODY}/simple",
    "UV_NO_CONFIG": "1",
}


def test_only_one_file_looks_for_programs() -> None:
    paths = [path for path in TESTS.rglob("*.py") if path not in {TABLE, Path(__file__)}]
    searching = [str(path.relative_to(ROOT)) for path in paths if LOOKS.search(path.read_text())]
    assert searching == []


def test_no_test_starts_a_program_of_the_table_by_its_name() -> None:
    started = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted(TESTS.rglob("*.py"))
        for line, name in commands(path)
        if name in TOOLS or name in HIDDEN
    ]
    assert started == []


def commands(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the first word of each list that a file of tests can start as a command."""
    text = path.read_text()
    if "subprocess" not in text:
        return
    tree = ast.parse(text)
    named: dict[str, ast.expr] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            named[node.targets[0].id] = node.value
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        if not ast.unparse(node.func).startswith(("subprocess.", "Popen")):
            continue
        command = node.args[0]
        if isinstance(command, ast.Name):
            command = named.get(command.id, command)
        while isinstance(command, ast.List | ast.Tuple) and command.elts:
            command = command.elts[0]
            if isinstance(command, ast.Starred):
                command = command.value
            if isinstance(command, ast.Name):
                command = named.get(command.id, command)
        if isinstance(command, ast.Constant) and isinstance(command.value, str):
            yield node.lineno, command.value


def users() -> list[str]:
    """Return the files whose tests ask for a program of the table, also through a helper."""
    support: set[str] = set()
    while True:
        others = "|".join(sorted(support)) or "(?!)"
        imports = re.compile(
            rf"from tests\.support\.(?:tools import (?!path_of$)|(?:{others}) import)", re.MULTILINE
        )
        more = {
            path.stem
            for path in (TESTS / "support").glob("*.py")
            if imports.search(path.read_text())
        }
        if more <= support:
            break
        support |= more
    files = [path for path in TESTS.rglob("test_*.py") if imports.search(path.read_text())]
    return [str(path.relative_to(ROOT)) for path in sorted(files) if path != Path(__file__)]


def test_the_guide_for_contributors_names_every_program_that_tests_use() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text()
    assert [tool.package for tool in TOOLS.values() if tool.package not in guide] == []


def run_without(tmp_path: Path, environment: Mapping[str, str], *arguments: str) -> Counter[str]:
    """Run tests in another process, and return how often each reason was given to skip one."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PIP_", "UV_", "GIT_", "PYTEST_")) and name != "CI"
    }
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", "-x", *arguments],
        cwd=ROOT,
        env={**kept, "HOME": str(home), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    skips = re.findall(r"^SKIPPED \[(\d+)\] [^:]+:\d+: (.+)$", ended.stdout, re.MULTILINE)
    reasons: Counter[str] = Counter()
    for number, reason in skips:
        reasons[reason] += int(number)
    return reasons


@pytest.fixture
def without_programs(tmp_path: Path) -> Mapping[str, str]:
    """Return the variables of a machine that has no program of the table."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for each in os.environ["PATH"].split(os.pathsep):
        for path in sorted(Path(each).glob("*")):
            if path.name not in HIDDEN and not (folder / path.name).is_symlink():
                (folder / path.name).symlink_to(path)
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "uv.py").write_text("raise ImportError\n")
    return {"PATH": str(folder), "PYTHONPATH": str(packages)}


@pytest.mark.slow
def test_without_programs_and_network_tests_are_skipped_with_a_reason(
    tmp_path: Path, without_programs: Mapping[str, str]
) -> None:
    environment = {**OFFLINE, **without_programs}
    reasons = run_without(tmp_path, environment, "-k", f"not {LONG}", *users())
    given = "\n".join(reasons)
    # Those of the other two need a package first that `[test]` does not have.
    assert {each for each in TOOLS if each not in given} <= {"chromium", "java"}
    assert "needs the network" in given
    # Who compiles without the mark is skipped for one program alone, and never selected by it.
    assert [each for each in reasons if re.match(rf"needs ({COMPILES}):", each)] == []


@pytest.mark.slow
def test_with_git_and_no_configuration_of_it_nothing_fails(tmp_path: Path) -> None:
    variables = {**OFFLINE, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    run_without(tmp_path, variables, "tests/git", "tests/packaging/test_pre_commit.py")
