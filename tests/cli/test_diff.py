"""``rocmlint diff``: what a branch adds is reported, what was there before is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rocmlint.report import FORMATS
from rocmlint.rule.registry import load_rules
from tests.support.git import GitProject, branched
from tests.support.project import Project
from tests.support.repositories import GONE
from tests.support.scripts import CLEAN, UNSAFE
from tests.support.tools import needs

pytestmark = needs("git")

OTHER = UNSAFE.replace("path", "name").replace("image", "picture")
LOCAL_RULE = """\
from pathlib import Path
from rocmlint.rule import PythonRule, calls

Path({marker!r}).touch()


class Marked(PythonRule):
    \"\"\"A call of `marked`.\"\"\"

    code = "ACME101"
    name = "marked"
    since = "1.0"
    on = calls("marked")

    def check(self, node, source):
        yield self.finding(node, source, "`marked` is called")
"""


@pytest.fixture
def project(tmp_path: Path) -> GitProject:
    """Return a project with one finding on ``main``, and a branch ``topic`` checked out."""
    return branched(tmp_path / "project")


# What is new


def test_a_new_note_is_reported_and_does_not_fail(project: GitProject) -> None:
    rule = LOCAL_RULE.replace("    since =", '    severity = "note"\n    since =')
    project.write("rocmlint.toml", 'rules = ["own"]\n')
    project.write("own/rule.py", rule.replace("{marker!r}", "'ran'"))
    project.commit()
    project.git("branch", "--force", "main")
    project.commit(new__py="marked()\n", old__py="marked()\n")
    ended = project.run("diff", "main")
    assert "note ACME101 new.py:1: `marked` is called" in ended.stdout
    assert (ended.returncode, "; 2 notes." in ended.stderr) == (0, True)
    assert project.run("diff", "main", "--fail-on", "note").returncode == 1
    assert project.run("diff", "HEAD", "--fail-on", "note").returncode == 0


def test_only_what_the_branch_adds_is_reported(project: GitProject) -> None:
    project.commit(new__py=OTHER)
    ended = project.run("diff", "main")
    base = project.git("rev-parse", "main")[:10]
    assert ended.returncode == 1
    assert "new.py:6:5: error ROC602" in ended.stdout
    assert "old.py" not in ended.stdout
    used = sum(not (each.preview or each.profile or each.needs) for each in load_rules())
    assert ended.stderr == (
        "Found 1 finding (1 error) in 1 file (2 checked). "
        "1 can be fixed with --unsafe-fixes. "
        f"{used} rules; torch not declared; not known to be for ROCm (set rocm = true)\n"
        f"Compared with main at {base}: 1 known finding.\n"
    )


def test_a_branch_that_adds_none_is_0(project: GitProject) -> None:
    project.commit(new__py=CLEAN)
    ended = project.run("diff", "main")
    assert (ended.returncode, ended.stdout) == (0, "")


def test_changes_that_are_not_committed_and_untracked_files_count(project: GitProject) -> None:
    project.write("old.py", UNSAFE + "\n\n" + OTHER)
    project.write("untracked.py", OTHER)
    assert project.new() == [("old.py", "ROC602"), ("untracked.py", "ROC602")]


def test_lines_that_moved_and_neighbors_that_changed_are_known(project: GitProject) -> None:
    project.commit(old__py="import os\n\n" + UNSAFE.replace("return image", "return image, os"))
    assert project.new() == []


def test_one_more_of_the_same_is_new(project: GitProject) -> None:
    project.commit(old__py=UNSAFE + "\n\n" + UNSAFE)
    assert project.new() == [("old.py", "ROC602")]


def test_a_renamed_and_edited_file_is_known_by_its_old_name(project: GitProject) -> None:
    (project.root / "package").mkdir()
    project.git("mv", "old.py", "package/renamed.py")
    project.write("package/renamed.py", "import os\n" + UNSAFE)
    assert project.new() == []
    assert project.new("main", "package") == []


def test_a_copy_is_new(project: GitProject) -> None:
    project.write("copy.py", UNSAFE)
    assert project.new() == [("copy.py", "ROC602")]


def test_a_deleted_file_is_nothing_to_report(project: GitProject) -> None:
    project.commit(old__py=None)
    ended = project.run("diff", "main")
    assert (ended.returncode, ended.stdout) == (0, "")


def test_what_the_base_added_meanwhile_is_not_of_the_branch(project: GitProject) -> None:
    project.git("checkout", "--quiet", "main")
    project.commit(old__py=CLEAN)
    project.git("checkout", "--quiet", "topic")
    assert project.new() == []


def test_a_pin_that_the_branch_moves_makes_an_old_line_a_new_finding(project: GitProject) -> None:
    project.git("checkout", "--quiet", "main")
    project.commit(requirements__txt="transformers==4.53.2\n", names__py=GONE)
    project.branch("upgrade")
    assert project.new() == []
    project.commit(requirements__txt="transformers==4.54.1\n")
    assert project.new() == [("names.py", "ROC204")]


def test_a_fault_of_the_whole_project_is_known_wherever_it_shows_next(project: GitProject) -> None:
    project.git("checkout", "--quiet", "main")
    project.commit(pyproject__toml='[project]\nname = "x"\n', train__py=GONE)
    project.branch("more")
    project.commit(another__py="import os\n" + GONE)
    assert ("train.py", "ROC212") in project.findings("train.py", "--preview")
    assert project.new("main", "--preview") == []


# Which configuration


def test_what_the_branch_turns_on_does_not_make_old_findings_new(project: GitProject) -> None:
    project.git("checkout", "--quiet", "main")
    project.commit(rocmlint__toml='ignore = ["ROC602"]\n')
    project.branch("strict")
    project.commit(rocmlint__toml="\n")
    assert project.findings("old.py") == [("old.py", "ROC602")]
    assert project.new() == []


def test_excludes_and_ignores_hold_for_both_versions(project: GitProject) -> None:
    project.write("rocmlint.toml", 'exclude = ["/made"]\nper-file-ignores = {"x.py" = ["ROC6"]}\n')
    project.write("made/a.py", OTHER)
    project.write("x.py", OTHER)
    assert project.new() == []


def test_local_rules_are_those_of_today_for_both_versions(
    project: GitProject, tmp_path: Path
) -> None:
    old, today = str(tmp_path / "old"), str(tmp_path / "today")
    project.git("checkout", "--quiet", "main")
    project.write("tools/rules/marked.py", LOCAL_RULE.format(marker=old))
    project.commit(rocmlint__toml='rules = ["tools/rules"]\n', a__py="marked(1)\n")
    project.branch("local")
    project.write("tools/rules/marked.py", LOCAL_RULE.format(marker=today))
    project.commit(a__py="marked(1)\nmarked(2)\n")
    assert project.new() == [("a.py", "ACME101")]
    assert Path(today).exists()
    assert not Path(old).exists()


# Which versions


def test_head_is_another_branch_and_the_files_here_do_not_matter(project: GitProject) -> None:
    project.commit(new__py=OTHER)
    project.git("checkout", "--quiet", "main")
    project.write("untracked.py", OTHER)
    ended = project.run("diff", "main", "--head", "topic")
    assert ended.returncode == 1
    assert "new.py:6:5: error ROC602" in ended.stdout
    assert "6 |     ImageOps.exif_transpose(picture)" in ended.stdout
    assert "untracked.py" not in ended.stdout
    assert "rocmlint-" not in ended.stdout + ended.stderr


def test_a_subdirectory_a_linked_worktree_and_a_detached_head_work(
    project: GitProject, tmp_path: Path
) -> None:
    project.write("sub/new.py", OTHER)
    project.commit()
    assert Project(project.root / "sub").findings("diff", "main") == [("new.py", "ROC602")]
    project.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    linked = Project(tmp_path / "linked")
    assert linked.findings("diff", "main") == [("sub/new.py", "ROC602")]
    assert linked.findings("diff", "main", "old.py") == []


def test_the_repository_stays_as_it_is_and_nothing_is_left_over(
    project: GitProject, tmp_path: Path
) -> None:
    project.commit(new__py=OTHER)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    before = sorted(project.root.glob(".git/**/*"))
    assert project.run("diff", "main", "--no-cache", TMPDIR=str(temporary)).returncode == 1
    assert sorted(project.root.glob(".git/**/*")) == before
    assert list(temporary.iterdir()) == []


# What is printed


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_names_the_new_finding_only(project: GitProject, name: str) -> None:
    project.write("new.py", OTHER)
    shown = project.run("diff", "main", "--output-format", name).stdout
    assert "new.py" in shown
    assert "old.py" not in shown


def test_statistics_count_what_is_new(project: GitProject) -> None:
    project.write("new.py", OTHER)
    shown = project.run("diff", "main", "--statistics").stdout
    assert shown == "1  ROC602  exif-transpose-no-effect  1 unsafe fix\n"


def test_a_baseline_hides_what_it_knows_before_versions_are_compared(project: GitProject) -> None:
    project.write("new.py", OTHER)
    project.run("new.py", "--baseline", "known.json", "--write-baseline")
    assert project.new("main", "--baseline", "known.json") == []


def test_findings_are_as_json_says_the_same_as_of_a_whole_run(project: GitProject) -> None:
    project.write("new.py", OTHER)
    flags = ("--output-format", "json")
    (new,) = json.loads(project.run("diff", "main", *flags).stdout)["findings"]
    assert new in json.loads(project.run(*flags).stdout)["findings"]
