"""The first words of a command: verbs, paths, mistakes in them, and flags of one letter."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import validate  # type: ignore[import-untyped]

from rocmlint import __version__
from rocmlint.cli.help import USUAL
from rocmlint.cli.main import VERBS
from rocmlint.published.ages import ages
from tests.support.scripts import CLEAN, SAFE, UNSAFE
from tests.support.tools import program

if TYPE_CHECKING:
    from tests.support.project import Project

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"


# Verbs and paths


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rul", "ROC101"], "no such verb or path 'rul'; did you mean 'rule'?"),
        (["chek", "."], "no such verb or path 'chek'; did you mean 'check'?"),
        (["scr"], "no such verb or path 'scr'; did you mean 'src'?"),
        (["nosuch"], "no such verb or path 'nosuch'"),
        (
            ["explain", "ROC101"],
            "no such verb or path 'explain'; did you mean `rocmlint rule CODE`?",
        ),
        (["lint", "."], "no such verb or path 'lint'; did you mean `rocmlint check`?"),
        (["fix", "."], "no such verb or path 'fix'; did you mean `rocmlint check --fix`?"),
        (["ROC101"], "no such verb or path 'ROC101'; did you mean `rocmlint rule ROC101`?"),
        (["roc101"], "no such verb or path 'roc101'; did you mean `rocmlint rule ROC101`?"),
        (
            ["faked-check"],
            "no such verb or path 'faked-check'; did you mean `rocmlint rule faked-check`?",
        ),
        (["--jobs", "many"], "--jobs must be a whole number, not 'many'"),
        (["--zzzz"], "unknown argument --zzzz; see rocmlint check --help"),
        (["rule", "--zzzz"], "unknown argument --zzzz; see rocmlint rule --help"),
        (["help", "nosuch"], "help: no such verb: 'nosuch'"),
        (["--quiet", "rule", "ROC101"], "the verb must come first: rocmlint rule ..."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_word_that_is_neither_verb_nor_path_is_refused_and_nothing_is_linted(
    project: Project, arguments: list[str], message: str
) -> None:
    project.write("src/a.py", UNSAFE)
    ended = project.run(*arguments)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"error: {message}\n")


def test_a_path_that_exists_is_no_misspelled_verb(project: Project) -> None:
    project.write("rul/a.py", UNSAFE)
    assert project.findings("rul") == [("rul/a.py", "ROC602")]


def test_what_looks_like_a_path_is_one_that_is_missing(project: Project) -> None:
    ended = project.run("nosuch.py")
    assert (ended.returncode, ended.stderr) == (2, "nosuch.py: no such file or directory\n")
    ended = project.run("check", "nosuch")
    assert (ended.returncode, ended.stderr) == (2, "nosuch: no such file or directory\n")
    project.write("a.py", UNSAFE)
    ended = project.run("Dockerfile", "a.py")
    assert "Dockerfile: no such file or directory" in ended.stderr
    assert "ROC602" in ended.stdout


def test_check_may_follow_flags(project: Project) -> None:
    project.write("a.py", UNSAFE)
    assert project.run("--quiet", "check", ".").stdout == project.run("check", "-q", ".").stdout


# help and version


def test_help_prints_what_the_flag_prints(project: Project) -> None:
    for words in (
        [],
        ["check"],
        ["rule"],
        ["stack"],
        ["stack", "show"],
        ["verify", "live"],
        ["help"],
    ):
        ended = project.run("help", *words)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout == project.run(*words, "--help").stdout


def test_help_shows_all_verbs_and_the_usual_flags_on_one_screen(project: Project) -> None:
    shown = project.run("help").stdout
    assert len(shown.splitlines()) <= 40
    assert max(map(len, shown.splitlines())) <= 80
    first_words = {line.split()[0] for line in shown.splitlines() if line.startswith("  ")}
    assert first_words == {*VERBS, *(f"--{name}" for name in USUAL)}
    reference = project.run("check", "--help").stdout
    assert all(f"--{name} " in reference or f"--{name}," in reference for name in USUAL)


def test_a_table_of_ruff_is_refused_with_the_place_of_the_keys(project: Project) -> None:
    project.write("pyproject.toml", '[tool.rocmlint.lint]\nselect = ["ROC1"]\n')
    ended = project.run()
    message = "unknown key or rule 'lint'; keys are directly in [tool.rocmlint]"
    assert (ended.returncode, ended.stderr) == (2, f"error: pyproject.toml:1: {message}\n")


def test_stack_alone_shows_the_stack(project: Project) -> None:
    flags = ("--python", sys.executable, "--output-format", "json")
    shown = json.loads(project.run("stack", *flags).stdout)
    assert shown["verb"] == "show"
    assert "without a verb: show" in project.run("stack", "--help").stdout


def test_the_version_can_be_read_by_programs(project: Project) -> None:
    assert project.run("version").stdout == project.run("-V").stdout
    document = json.loads(project.run("version", "--output-format", "json").stdout)
    validate(document, json.loads((SCHEMAS / "version.json").read_text()))
    assert document["rocmlint"] == __version__
    assert document["tables"] == [each._asdict() for each in ages()]


def test_the_version_tells_the_newest_row_of_each_table(project: Project) -> None:
    told = project.run("--version").stdout
    assert all(f"{each.date}  ({each.row})\n" in told for each in ages())


# Flags of one letter


def test_short_flags_can_be_joined(project: Project) -> None:
    project.write("a.py", UNSAFE)
    ended = project.run("-qen")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "ROC602" in ended.stdout
    assert [path.name for path in project.root.iterdir()] == ["a.py"]


def test_silent_prints_only_errors(project: Project) -> None:
    project.write("a.py", UNSAFE)
    project.write("notes.txt", "")
    ended = project.run("-s", "a.py", "notes.txt")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "")
    assert "gone.py" in project.run("-s", "gone.py").stderr
    ended = project.run("-s", "--unsafe-fixes", "--diff", "a.py")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", "")


def test_an_output_file_takes_what_stdout_would_get(project: Project) -> None:
    project.write("a.py", UNSAFE)
    for flags in (["--output-format", "json"], ["--statistics"], []):
        expected = project.run(*flags).stdout
        ended = project.run("-o", "out/report", *flags)
        assert (ended.returncode, ended.stdout) == (1, "")
        assert project.read("out/report") == expected


def test_an_output_file_that_cannot_be_written_is_2(project: Project) -> None:
    project.write("a.py", UNSAFE)
    ended = project.run("-o", "a.py/report")
    assert ended.returncode == 2
    assert "cannot write the findings to a.py/report: " in ended.stderr


def test_an_output_file_is_refused_where_no_findings_are_printed(project: Project) -> None:
    ended = project.run("-o", "report", "--diff")
    assert ended.stderr == "error: --output-file is for findings, which --diff does not print\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ve"], {"verify", "version"}),
        (["-"], {"-q", "-s", "-v", "-o", "-w", "-n", "-e", "-h", "-V"}),
        (["help", "sta"], {"stack"}),
        (["clean", "sr"], {"src"}),
        (["config", "--schema", ""], {"rocmlint.toml", "pyproject.toml"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_shell_completes_verbs_flags_and_paths(
    project: Project, words: list[str], expected: set[str]
) -> None:
    project.write("src/a.py", CLEAN)
    project.write("completion", project.run("completion", "bash").stdout)
    script = (
        f"source completion; COMP_WORDS=(rocmlint {shlex.join(words)}); COMP_CWORD={len(words)}; "
        '_shtab_rocmlint; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    ended = subprocess.run(
        [program("bash"), "-c", script],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert expected <= set(ended.stdout.split())


# What is fixed and suppressed


def test_show_fixes_lists_what_was_fixed_in_each_file(project: Project) -> None:
    project.write("a.py", SAFE)
    told = "a.py:\n  1 x ROC901 unused-suppression\n"
    assert project.run("--diff", "--show-fixes").stderr.startswith(f"{told}Would fix 1 finding")
    assert project.run("--fix", "--show-fixes").stderr.startswith(f"{told}Fixed 1 finding.")
    assert project.run("--fix", "--show-fixes").stderr.startswith("No issues found in 1 file. ")


def test_ignore_noqa_reports_what_comments_hide(project: Project) -> None:
    hidden = UNSAFE.replace("(image)\n", "(image)  # noqa: ROC602\n")
    project.write("a.py", f"# rocmlint: ignore-file[ROC601] why\n{hidden}")
    project.write("b.py", UNSAFE.replace("(image)\n", "(image)  # rocmlint: ignore[ROC602] x\n"))
    project.write("c.py", f"# flake8: noqa\n{UNSAFE}")
    assert project.findings("--ignore", "ROC901") == []
    shown = project.findings("--ignore-noqa")
    assert shown == [("a.py", "ROC602"), ("b.py", "ROC602"), ("c.py", "ROC602")]
    ended = project.run("--ignore-noqa", "--add-ignore", "why")
    assert "--add_ignore" not in ended.stderr
    assert "cannot be used together" in ended.stderr


def test_a_reason_is_not_mistaken_for_a_path(project: Project) -> None:
    project.write("a.py", UNSAFE)
    project.write("b.py", UNSAFE)
    for reason in ("a.py", ".", "typo.py"):
        ended = project.run("--add-ignore", reason)
        assert ended.returncode == 2
        assert "is a path: rocmlint --add-ignore=REASON PATH" in ended.stderr
    assert project.run("--add-ignore=labels are rotated too", "a.py").returncode == 0
    assert "ignore[ROC602] labels are rotated too" in project.read("a.py")
    assert project.read("b.py") == UNSAFE


def test_files_that_match_a_pattern_are_spared_some_rules_for_one_run(project: Project) -> None:
    project.write("old/a.py", UNSAFE)
    project.write("new/a.py", UNSAFE)
    spared = "--extend-per-file-ignores"
    assert project.findings(spared, "old/:ROC6,b.py:ROC1") == [("new/a.py", "ROC602")]
    assert project.findings(spared, "!new/:exif-transpose-no-effect") == [("new/a.py", "ROC602")]
    assert "must be PATTERN:RULE" in project.run(spared, "old/").stderr


# Looking inside


def test_settings_say_for_which_file_they_are_and_where_each_was_set(project: Project) -> None:
    project.write("base.toml", "ignore = ['ROC602']\n[exif-transpose]\nalways = true\n")
    project.write("rocmlint.toml", "extend = 'base.toml'\n\nignore = ['ROC101']\n")
    project.write("a.py", CLEAN)
    shown = project.run("--show-settings", "--preview", "a.py").stdout.splitlines()
    assert shown[:2] == ["# for a.py", f"# root: {project.root}"]
    assert 'ignore = ["ROC602", "ROC101"]  # base.toml:1, rocmlint.toml:3' in shown
    assert "always = true  # base.toml:3" in shown
    assert "preview = true  # command line" in shown
    assert "exclude = []" in shown


def test_settings_say_which_rules_a_pattern_turns_off_for_the_file(project: Project) -> None:
    project.write("rocmlint.toml", "per-file-ignores = {'a.py' = ['ROC602']}\n")
    project.write("a.py", CLEAN)
    off = "off: per-file-ignores"
    assert off in project.run("--show-settings", "a.py").stdout
    assert off not in project.run("--show-settings", "b.py").stdout
