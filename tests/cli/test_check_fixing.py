"""`rocmlint check`: fixes and diffs, baselines, and comments that ignore."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.project import COMMAND
from tests.support.scripts import CLEAN, FIXED, SAFE, UNSAFE

if TYPE_CHECKING:
    from tests.support.project import Project


# Fixing


def test_fix_applies_safe_fixes_and_leaves_the_rest(project: Project) -> None:
    project.write("a.py", SAFE)
    project.write("b.py", UNSAFE)
    ended = project.run("--fix")
    assert (project.read("a.py"), project.read("b.py")) == (CLEAN, UNSAFE)
    assert ended.returncode == 1
    assert ended.stderr.startswith("Fixed 1 finding. 1 finding remaining")


def test_unsafe_fixes_applies_both_kinds(project: Project) -> None:
    project.write("a.py", SAFE)
    project.write("b.py", UNSAFE)
    assert project.code("--unsafe-fixes", "--ignore", "ROC601") == 0
    assert (project.read("a.py"), project.read("b.py")) == (CLEAN, FIXED)


def test_fix_only_reports_nothing_and_is_0(project: Project) -> None:
    project.write("a.py", SAFE)
    project.write("b.py", UNSAFE)
    ended = project.run("--fix-only")
    assert (ended.returncode, ended.stdout, project.read("a.py")) == (0, "", CLEAN)


def test_exit_non_zero_on_fix(project: Project) -> None:
    project.write("a.py", SAFE)
    assert project.code("--fix", "--exit-non-zero-on-fix") == 1
    assert project.code("--fix", "--exit-non-zero-on-fix") == 0


def test_diff_shows_and_writes_nothing(project: Project) -> None:
    project.write("a.py", SAFE)
    ended = project.run("--fix", "--diff")
    assert ended.returncode == 1
    assert f"-{SAFE}+{CLEAN}" in ended.stdout
    assert project.read("a.py") == SAFE
    project.write("a.py", UNSAFE)
    assert (project.run("--diff").returncode, project.run("--diff").stdout) == (0, "")


def test_a_report_beside_a_diff_tells_of_the_files_as_they_are(project: Project) -> None:
    project.write("a.py", UNSAFE)
    project.run("--output", "concise:before")
    project.run("--output", "concise:beside", "--diff", "--unsafe-fixes")
    assert project.read("beside") == project.read("before")


def test_a_report_to_dev_stdout_keeps_what_is_there(project: Project) -> None:
    project.write("a.py", UNSAFE)
    command = f"{' '.join(COMMAND)} --output concise:/dev/stdout >> log"
    project.write("log", "before\n")
    subprocess.run(["sh", "-c", command], cwd=project.root, check=False)
    assert project.read("log").startswith("before\na.py:6:5: ROC602")


def test_fixed_stdin_goes_to_stdout_and_findings_to_stderr(project: Project) -> None:
    ended = project.run("--unsafe-fixes", "--ignore", "ROC601", "-", stdin=UNSAFE)
    assert (ended.returncode, ended.stdout) == (0, FIXED)
    ended = project.run("--fix", "-", stdin=f"# rocmlint: ignore[ROC501]\n{UNSAFE}")
    assert (ended.returncode, ended.stdout) == (1, UNSAFE)
    assert "stdin.py:6:5: error ROC602" in ended.stderr
    assert "6 |     ImageOps.exif_transpose(image)" in ended.stderr


def test_what_a_cache_knows_is_fixed_all_the_same(project: Project) -> None:
    project.write("a.py", SAFE)
    assert project.code() == 1
    assert project.code("--fix") == 0
    assert project.read("a.py") == CLEAN


# Known findings


def test_a_baseline_hides_what_it_knows_and_nothing_else(project: Project) -> None:
    project.write("a.py", UNSAFE)
    project.write("rocmlint.toml", "baseline = 'known.json'\n")
    ended = project.run("--write-baseline")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr == "Wrote 1 finding to known.json.\n"
    assert project.findings() == []
    project.write("b.py", UNSAFE)
    assert project.findings() == [("b.py", "ROC602")]


BOTH = UNSAFE.replace("    return", "    ImageOps.exif_transpose(image, in_place=True)\n    return")


@pytest.mark.parametrize(
    "narrowed",
    [
        ("--select", "ROC601"),
        ("--ignore", "ROC602"),
        ("--exclude", "b.py"),
        ("--config", "per-file-ignores = {'*.py' = ['ROC602']}"),
        ("a.py",),
    ],
    ids=" ".join,
)
def test_a_run_that_looks_for_less_leaves_the_rest_of_the_baseline_alone(
    project: Project, narrowed: tuple[str, ...]
) -> None:
    project.write("a.py", BOTH)
    project.write("b.py", BOTH)
    project.run("--write-baseline", "--baseline", "known.json")
    known = project.read("known.json")
    assert known.count("ROC602") == 2
    assert "nothing any more" not in project.run("--baseline", "known.json", *narrowed).stderr
    project.run("--write-baseline", "--baseline", "known.json", *narrowed)
    assert project.read("known.json") == known


def test_entries_of_what_was_mended_are_named_and_tidied_up(project: Project) -> None:
    project.write("a.py", UNSAFE)
    project.write("b.py", UNSAFE)
    project.run("--write-baseline", "--baseline", "known.json")
    project.write("a.py", CLEAN)
    (project.root / "b.py").unlink()
    ended = project.run("--baseline", "known.json", "--select", "ROC602")
    assert "known.json: 2 stale entries" in ended.stderr
    project.run("--baseline", "known.json", "--write-baseline")
    assert "ROC602" not in project.read("known.json")


def test_what_a_baseline_knows_is_not_fixed(project: Project) -> None:
    project.write("a.py", UNSAFE)
    project.run("--write-baseline", "--baseline", "known.json")
    assert project.code("--unsafe-fixes", "--baseline", "known.json") == 0
    assert project.read("a.py") == UNSAFE


def test_add_ignore_hides_every_finding_with_the_reason(project: Project) -> None:
    project.write("a.py", UNSAFE)
    ended = project.run("--add-ignore", "the labels are turned too")
    assert ended.returncode == 0
    assert "# rocmlint: ignore[ROC602] the labels are turned too" in project.read("a.py")
    assert ended.stderr.startswith("Suppressed 1 finding in 1 file.")
    assert project.code() == 0
