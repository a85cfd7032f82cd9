"""Environment variables of ``check``: what they set, what is stronger, what they leave alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import rocmlint
from rocmlint.cli.environment import VARIABLES, variable
from tests.support.scripts import CLEAN, UNSAFE

if TYPE_CHECKING:
    from tests.support.project import Project


@pytest.fixture
def unsafe(project: Project) -> Project:
    """Return a project with one finding."""
    project.write("a.py", UNSAFE)
    return project


def test_the_format_of_what_is_printed(unsafe: Project) -> None:
    ended = unsafe.run(ROCMLINT_OUTPUT_FORMAT="concise")
    assert ended.stdout.startswith("a.py:6:5: ROC602 ")


@pytest.mark.parametrize("arguments", [["--output-format", "text"], ["--output", "text:-"]])
def test_the_command_line_comes_before_the_environment(
    unsafe: Project, arguments: list[str]
) -> None:
    ended = unsafe.run(*arguments, ROCMLINT_OUTPUT_FORMAT="json")
    assert ended.stdout.startswith("a.py:6:5: error ROC602 ")


def test_an_output_to_a_file_unless_the_command_names_others(unsafe: Project) -> None:
    unsafe.run(ROCMLINT_OUTPUT="json:out/a.json")
    assert json.loads(unsafe.read("out/a.json"))["summary"]["findings"] == 1
    unsafe.run("--output", "json:b.json", ROCMLINT_OUTPUT="json:c.json")
    assert (unsafe.root / "b.json").exists()
    assert not (unsafe.root / "c.json").exists()


def test_the_cache_comes_before_the_configuration_and_after_the_command(project: Project) -> None:
    project.write("src/a.py", CLEAN)
    project.write("src/rocmlint.toml", "cache-dir = 'configured'\n")
    project.run("src", ROCMLINT_CACHE_DIR="named")
    assert (project.root / "named").is_dir()
    assert not (project.root / "src" / "configured").exists()
    project.run("src", "--cache-dir", "given", ROCMLINT_CACHE_DIR="other")
    assert (project.root / "given").is_dir()
    assert not (project.root / "other").exists()


@pytest.mark.parametrize(("value", "cached"), [("1", False), ("true", False), ("0", True)])
def test_no_cache_may_be_true_or_false(project: Project, value: str, *, cached: bool) -> None:
    project.write("a.py", CLEAN)
    project.run(ROCMLINT_NO_CACHE=value)
    assert (project.root / ".rocmlint_cache").exists() is cached


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("ROCMLINT_OUTPUT_FORMAT", "sarf", "'sarf' for ROCMLINT_OUTPUT_FORMAT (choose from text"),
        ("ROCMLINT_OUTPUT", "sarif", "ROCMLINT_OUTPUT=sarif: must be FORMAT:FILE"),
        ("ROCMLINT_OUTPUT", "json:-", "ROCMLINT_OUTPUT_FORMAT is what is printed"),
        ("ROCMLINT_NO_CACHE", "maybe", "ROCMLINT_NO_CACHE must be true or false, not 'maybe'"),
    ],
)
def test_a_value_that_is_not_valid_is_an_error_that_names_the_variable(
    unsafe: Project, name: str, value: str, message: str
) -> None:
    ended = unsafe.run(**{name: value})
    assert (ended.returncode, ended.stdout) == (2, "")
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_statistics_say_that_a_variable_asks_for_another_format(unsafe: Project) -> None:
    ended = unsafe.run("--statistics", ROCMLINT_OUTPUT_FORMAT="sarif")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "not as sarif (ROCMLINT_OUTPUT_FORMAT)" in ended.stderr


@pytest.mark.parametrize("name", [variable(flag) for flag in VARIABLES])
def test_an_empty_variable_is_not_set(unsafe: Project, name: str) -> None:
    ended = unsafe.run(**{name: ""})
    assert ended.stdout.startswith("a.py:6:5: error ROC602 ")


def test_a_program_gets_the_same_whatever_the_variables(
    unsafe: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCMLINT_OUTPUT", "json:out.json")
    monkeypatch.setenv("ROCMLINT_CACHE_DIR", str(unsafe.root / "named"))
    monkeypatch.setenv("ROCMLINT_OUTPUT_FORMAT", "not a format")
    assert [each.code for each in rocmlint.lint_paths([unsafe.root])] == ["ROC602"]
    assert [path.name for path in unsafe.root.iterdir()] == ["a.py"]
