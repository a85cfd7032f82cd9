"""``rocmlint rule --new``: what it writes, and what it refuses before it writes anything."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

NEW = ("rule", "--new", "no-old-name", "--code", "ACME101")


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def test_it_writes_the_rule_its_fixtures_and_the_configuration_and_says_so(
    project: Project,
) -> None:
    ended = project.run(*NEW)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == [
        "Wrote tools/rules/no_old_name.py",
        "Wrote tools/rules/fixtures/no_old_name/bad.py",
        "Wrote tools/rules/fixtures/no_old_name/fixed.py",
        "Wrote tools/rules/fixtures/no_old_name/good.py",
        "Wrote rocmlint.toml",
        "Test it with: rocmlint rule --test tools/rules",
    ]
    assert project.read("rocmlint.toml") == (
        'rules = ["tools/rules"]\nexclude = ["/tools/rules/fixtures/"]\n'
    )


def test_a_pyproject_above_is_extended_and_paths_are_from_there(project: Project) -> None:
    project.write("pyproject.toml", "[project]  # ours\nname = 'x'\r\n")
    (project.root / "sub").mkdir()
    project.root /= "sub"
    assert project.code(*NEW) == 0
    text = (project.root.parent / "pyproject.toml").read_bytes().decode()
    assert text.startswith("[project]  # ours\nname = 'x'\r\n")
    assert 'rules = ["tools/rules"]' in text
    assert (project.root.parent / "tools" / "rules" / "no_old_name.py").is_file()


def test_the_next_rule_goes_to_the_same_folder_with_the_next_code(project: Project) -> None:
    project.write("rocmlint.toml", "rules = ['lint']\nexclude = ['fixtures/']\n")
    (project.root / "lint").mkdir()
    assert project.code("rule", "--new", "first", "--code", "ACME099") == 0
    assert project.code("rule", "--new", "second") == 0
    assert 'code = "ACME100"' in project.read("lint/second.py")
    assert project.read("rocmlint.toml") == "rules = ['lint']\nexclude = ['fixtures/']\n"


def test_folders_of_an_extended_configuration_stay(project: Project) -> None:
    project.write("base/base.toml", "rules = ['shared']\n")
    (project.root / "base" / "shared").mkdir()
    project.write("rocmlint.toml", "extend = 'base/base.toml'\n")
    assert project.code(*NEW, "--folder", "own") == 0
    assert 'rules = ["base/shared", "own"]' in project.read("rocmlint.toml")


def test_the_code_of_rules_that_are_there_is_not_run(project: Project) -> None:
    project.write("tools/rules/own.py", 'open("was_run", "w")\nclass A:\n    code = "ACME007"\n')
    assert project.code("rule", "--new", "no-old-name", "--folder", "tools/rules") == 0
    assert not (project.root / "was_run").exists()
    assert 'code = "ACME008"' in project.read("tools/rules/no_old_name.py")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("no-old-name",), "choose the code of your first rule, such as --code ACME101"),
        (("No Old", "--code", "ACME1"), "name must be kebab-case, such as "),
        (
            ("no-old", "--code", "acme"),
            "code must be capital letters and a number, such as ",
        ),
        (("no-old", "--code", "ROC950"), "code: ROC950 is reserved"),
        (("exif-transpose", "--code", "ACME1"), "exif-transpose is taken by a built-in rule"),
        (("claim-x", "--code", "ACME1"), "name must not begin with claim-"),
        (("taken", "--code", "ACME1"), "taken is taken by tools/rules/other.py"),
        (("no-old", "--code", "ACME9"), "ACME9 is taken by tools/rules/other.py"),
        (("there", "--code", "ACME1"), "tools/rules/there.py exists already"),
        (("no-old", "--code", "ACME1", "--kind", "cal"), "did you mean 'call'?"),
        (("no-old", "--code", "ACME1", "--test", "x"), "--new and --test cannot be used together"),
        (("no-old", "--code", "ACME1", "ROC101"), "takes no 'ROC101'"),
        (("no-old", "--code", "ACME1", "--folder", "."), "--folder . has the whole project"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line_and_nothing_is_written(
    project: Project, arguments: tuple[str, ...], told: str
) -> None:
    if "first" not in told:
        project.write("rocmlint.toml", "rules = ['tools/rules']\n")
        labels = '    code = "ACME9"\n    name = "taken"\n'
        project.write("tools/rules/other.py", f"class Other:\n{labels}")
        project.write("tools/rules/there.py", "HELP = 3\n")
    before = files(project.root)
    ended = project.run("rule", "--new", *arguments)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert told in ended.stderr
    assert files(project.root) == before


def test_a_folder_with_an_odd_name_is_excluded_as_it_is_called(project: Project) -> None:
    assert project.code(*NEW, "--folder", "ru[l]es *") == 0
    project.write("ru[l]es */fixtures/no_old_name/more.py", "old_name()\n")
    project.write("use.py", "old_name()\n")
    assert project.findings() == [("use.py", "ACME101")]


def test_a_configuration_that_cannot_be_edited_is_refused_with_the_line_to_add(
    project: Project,
) -> None:
    project.write("pyproject.toml", "[tool]\nrocmlint = { preview = true }\n")
    before = files(project.root)
    ended = project.run(*NEW)
    assert ended.returncode == 2
    assert ended.stderr.startswith("error: --new: pyproject.toml: cannot be edited ")
    assert 'add `rules = ["tools/rules"]` to [tool.rocmlint]' in ended.stderr
    assert files(project.root) == before


def test_local_rules_that_are_off_are_told(project: Project) -> None:
    project.write("rocmlint.toml", "local-rules = false\n")
    assert "rocmlint.toml turns local rules off" in project.run(*NEW).stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_what_cannot_be_written_leaves_nothing_behind(project: Project) -> None:
    project.write("rocmlint.toml", "preview = true\n").chmod(0o400)
    ended = project.run(*NEW)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert list(files(project.root)) == ["rocmlint.toml"]


def test_a_file_in_the_place_of_a_folder_leaves_nothing_behind(project: Project) -> None:
    project.write("tools/rules/fixtures", "a file\n")
    before = files(project.root)
    ended = project.run(*NEW)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)
    assert files(project.root) == before


@pytest.mark.parametrize("flag", ["--code=ACME1", "--folder=x", "--kind=comment"])
def test_flags_of_new_need_it(project: Project, flag: str) -> None:
    assert f"{flag.partition('=')[0]} requires --new" in project.run("rule", flag).stderr
