"""``rocmlint check`` as people use it: what it prints where, what it changes, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

import rocmlint
from rocmlint import __version__
from rocmlint.cli.main import VERBS
from rocmlint.report import FORMATS
from tests.support.project import COMMAND
from tests.support.reports import SCHEMAS
from tests.support.scripts import CLEAN, UNSAFE, WARNED

if TYPE_CHECKING:
    from tests.support.project import Project


# How it ends


def test_nothing_found_is_0(project: Project) -> None:
    project.write("a.py", CLEAN)
    ended = project.run("a.py")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr.startswith("No issues found in 1 file. ")


def test_findings_are_1_and_go_to_stdout(project: Project) -> None:
    project.write("a.py", UNSAFE)
    ended = project.run("a.py")
    assert ended.returncode == 1
    assert "a.py:6:5: error ROC602" in ended.stdout
    assert "1 can be fixed with --unsafe-fixes" in ended.stderr


def test_a_clean_file_that_was_seen_before_loads_no_rule_and_little_else(project: Project) -> None:
    project.write("a.py", CLEAN)
    assert project.code("a.py") == 0
    code = (
        "import sys; from rocmlint.cli.main import main\n"
        "main(['check', 'a.py'])\n"
        "loaded = {'dataclasses', 'libcst', 'packaging', 'rocmlint.lint.linter', 'tokenize'}\n"
        "print(*sorted(loaded & set(sys.modules)))"
    )
    source = str(Path(rocmlint.__file__).parent.parent)
    environment = {"PYTHONPATH": os.pathsep.join([source, *filter(None, sys.path)])}
    ended = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=project.root,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.split() == []
    assert ended.stderr.startswith("No issues found in 1 file. ")


@pytest.mark.parametrize(
    "arguments", [[], ["--exclude", "*.py", "src"], ["src", "--output-format", "json"], ["--diff"]]
)
def test_nothing_to_lint_is_0_with_a_warning(project: Project, arguments: list[str]) -> None:
    if "--exclude" in arguments:
        project.write("src/a.py", CLEAN)
    (project.root / "src").mkdir(exist_ok=True)
    ended = project.run(*arguments)
    assert (ended.returncode, ended.stderr) == (0, "warning: no files to check\n")


def test_after_an_error_nothing_reassures(project: Project) -> None:
    ended = project.run("./gone")
    assert (ended.returncode, ended.stderr) == (2, "./gone: no such file or directory\n")


def test_a_missing_path_is_2_and_the_rest_is_linted(project: Project) -> None:
    project.write("a.py", UNSAFE)
    ended = project.run("gone.py", "a.py")
    assert ended.returncode == 2
    assert "gone.py: no such file or directory" in ended.stderr
    assert "ROC602" in ended.stdout


def test_exit_zero_hides_findings_but_not_errors(project: Project) -> None:
    project.write("a.py", UNSAFE)
    assert project.code("--exit-zero", "a.py") == 0
    assert project.code("--exit-zero", "gone.py") == 2


@pytest.mark.parametrize(
    ("name", "flags", "code"),
    [
        ("warned.py", [], 1),
        ("warned.py", ["--fail-on", "warning"], 1),
        ("warned.py", ["--fail-on", "error"], 0),
        ("a.py", ["--fail-on", "error"], 1),
        ("a.py", ["--fail-on", "error", "--exit-zero"], 0),
        ("a.py", ["--fail-on", "never"], 0),
        ("gone.py", ["--fail-on", "never"], 2),
    ],
)
def test_fail_on_says_which_findings_change_the_exit_code(
    project: Project, name: str, flags: list[str], code: int
) -> None:
    project.write("a.py", UNSAFE)
    project.write("warned.py", WARNED)
    ended = project.run(name, *flags)
    assert ended.returncode == code
    assert name == "gone.py" or f"{name}:" in ended.stdout


def test_the_nearest_configuration_says_what_a_finding_is_worth(project: Project) -> None:
    project.write("strict/a.py", WARNED)
    project.write("lenient/a.py", WARNED)
    project.write("lenient/rocmlint.toml", "fail-on = 'error'\n")
    assert project.code("lenient") == 0
    assert project.code("strict", "lenient") == 1
    assert project.code("lenient", "--fail-on", "warning") == 1
    stdin = ("-", "--stdin-filename", "lenient/new.py")
    assert project.run(*stdin, stdin=WARNED).returncode == 0


def test_what_a_finding_is_worth_does_not_concern_the_cache(project: Project) -> None:
    project.write("a.py", WARNED)
    project.run()
    (kept,) = (project.root / ".rocmlint_cache").rglob("*.json")
    project.run("--fail-on", "never")
    assert list((project.root / ".rocmlint_cache").rglob("*.json")) == [kept]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fail-on", "errors"], "did you mean 'error'?"),
        (["--selct", "ROC1"], "unknown argument --selct; did you mean '--select'?"),
        (["--output-format", "sarf"], "did you mean 'sarif'?"),
        (["--output", "sarif"], "must be FORMAT:FILE"),
        (["--output", "junt:x.xml"], "did you mean 'junit'?"),
        (["--output", "json:-", "--output", "sarif:-"], "standard output already gets json"),
        (["--output-format", "text", "--output", "json:-"], "standard output already gets text"),
        (["--color", "allways"], "did you mean 'always'?"),
        (["--select", "ROC6O2"], "command line: unknown rule 'ROC6O2'"),
        (["--config", "preview = 3"], "preview must be true or false, not 3"),
        (["--statistics", "--output-format", "sarif"], "printed as text or json, not as sarif"),
        (["--show-excused", "--output-format", "sarif"], "as text, concise or json, not as sarif"),
        (["--jobs", "0"], "--jobs must be at least 1"),
        (["--jobs", "many"], "--jobs must be a whole number, not 'many'"),
        (["--fix", "--add-ignore", "x"], "--fix and --add-ignore cannot be used together"),
        (["--write-baseline"], "--write-baseline needs --baseline FILE"),
        (["--baseline", "gone.json"], "gone.json cannot be read"),
        (["--stdin-filename", "a.py"], "--stdin-filename requires -"),
        (["-", "a.py"], "must be the only PATH"),
    ],
)
def test_wrong_usage_is_2_with_one_line_that_helps(
    project: Project, arguments: list[str], message: str
) -> None:
    project.write("a.py", UNSAFE)
    ended = project.run(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("error: ")
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_wrong_configuration_is_2_with_its_place(project: Project) -> None:
    project.write("a.py", CLEAN)
    project.write("pyproject.toml", "[tool.rocmlint]\nprevew = true\n")
    ended = project.run()
    assert ended.returncode == 2
    expected = "error: pyproject.toml:2: unknown key 'prevew'; did you mean 'preview'?\n"
    assert ended.stderr == expected


def test_wrong_configuration_is_found_without_any_file_to_lint(project: Project) -> None:
    project.write("rocmlint.toml", "select = ['ROC777']\n")
    assert project.code() == 2


def test_a_broken_rule_of_ones_own_is_2_and_named(project: Project) -> None:
    project.write("own/broken.py", "1 / 0\n")
    project.write("rocmlint.toml", "rules = ['own']\n")
    ended = project.run()
    assert ended.returncode == 2
    assert "ZeroDivisionError" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_full_disk_behind_stdout_is_2_with_one_line(project: Project) -> None:
    project.write("a.py", UNSAFE)
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*COMMAND, "--quiet"],
            cwd=project.root,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 2
    assert ended.stderr == "error: [Errno 28] No space left on device\n"


@pytest.mark.slow
def test_a_reader_that_goes_away_leaves_no_traceback(project: Project) -> None:
    project.write("a.py", UNSAFE + UNSAFE.partition("\n\n")[2] * 1000)
    with project.start("--quiet", "--output-format", "concise") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "ROC602" in process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


# Verbs and paths


def test_check_is_the_verb_that_need_not_be_said(project: Project) -> None:
    project.write("a.py", UNSAFE)
    assert project.run("check", "a.py").stdout == project.run("a.py").stdout


def test_a_folder_called_like_a_verb_is_reached_by_its_path(project: Project) -> None:
    project.write("rule/a.py", UNSAFE)
    project.write("check/b.py", UNSAFE)
    assert project.findings("./rule", "check") == [
        ("check/b.py", "ROC602"),
        ("rule/a.py", "ROC602"),
    ]


def test_flags_may_stand_before_between_and_after_paths(project: Project) -> None:
    project.write("a.py", UNSAFE)
    project.write("b.py", UNSAFE)
    assert len(project.findings("a.py", "--preview", "b.py")) == 2
    assert len(project.findings("--", "a.py")) == 1


def test_the_version_is_told(project: Project) -> None:
    assert project.run("--version").stdout.startswith(f"rocmlint {__version__}\n")


def test_help_is_there_for_each_verb(project: Project) -> None:
    for verb in VERBS:
        ended = project.run(verb, "--help")
        assert ended.returncode == 0
        assert ended.stdout.startswith("usage: rocmlint")


# What is reported


def test_select_ignore_and_preview_come_before_the_configuration(project: Project) -> None:
    project.write("a.py", UNSAFE)
    project.write("rocmlint.toml", "ignore = ['ROC602']\n")
    assert project.findings() == []
    assert project.findings("--select", "ROC1,exif-transpose-no-effect") == [("a.py", "ROC602")]
    assert project.findings("--select", "ROC6", "--ignore", "ROC602") == []
    assert project.findings("--isolated") == [("a.py", "ROC602")]


def test_an_option_of_a_rule_reaches_it(project: Project) -> None:
    project.write(
        "a.py", "from PIL import Image, ImageOps\nprint(ImageOps.exif_transpose(Image.open('a')))\n"
    )
    always = ("--config", "exif-transpose.always = true")
    assert project.findings(*always) == [("a.py", "ROC601")]
    assert project.findings(*always, "--config", "exif-transpose.allowed-paths = ['a.py']") == []


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_go_to_stdout_and_to_a_file(project: Project, name: str) -> None:
    project.write("a.py", UNSAFE)
    ended = project.run("--output-format", name, "--output", f"{name}:out/report", "--quiet")
    assert ended.returncode == 1
    assert project.read("out/report") == ended.stdout


def test_several_outputs_are_written_in_one_run(project: Project) -> None:
    project.write("a.py", UNSAFE)
    ended = project.run("--output", "sarif:a.sarif", "--output", "junit:b.xml")
    assert "ROC602" in ended.stdout
    assert "ROC602" in project.read("a.sarif")
    assert "ROC602" in project.read("b.xml")


def test_a_document_is_written_though_nothing_was_found(project: Project) -> None:
    assert project.findings() == []


def test_an_output_to_a_hyphen_is_printed_in_place_of_text(project: Project) -> None:
    project.write("a.py", UNSAFE)
    ended = project.run("--output", "json:-", "--output", "concise:reports/new/a.txt")
    assert json.loads(ended.stdout)["summary"]["findings"] == 1
    assert "ROC602" in project.read("reports/new/a.txt")
    assert not (project.root / "-").exists()


def test_statistics_take_the_place_of_findings(project: Project) -> None:
    project.write("a.py", UNSAFE)
    project.write("b.py", UNSAFE)
    ended = project.run("--statistics")
    assert ended.returncode == 1
    assert ended.stdout.split()[:3] == ["2", "ROC602", "exif-transpose-no-effect"]


def test_statistics_are_a_document_too(project: Project) -> None:
    project.write("a.py", UNSAFE + UNSAFE.partition("\n\n")[2])
    ended = project.run("--statistics", "--output-format", "json", "a.py", "gone.py")
    document = json.loads(ended.stdout)
    Draft202012Validator(json.loads((SCHEMAS / "statistics.json").read_text())).validate(document)
    (rule,) = document["rules"]
    assert (rule["code"], rule["findings"], rule["unsafe_fixes"]) == ("ROC602", 2, 2)
    assert document["summary"]["findings"] == 2
    assert document["problems"] == ["gone.py: no such file or directory"]


def test_quiet_leaves_only_the_findings(project: Project) -> None:
    project.write("a.py", UNSAFE)
    ended = project.run("--quiet")
    assert "ROC602" in ended.stdout
    assert ended.stderr == ""


def test_verbose_tells_where_things_are(project: Project) -> None:
    project.write("rocmlint.toml", "cache-dir = 'kept'\n")
    told = project.run("--verbose").stderr
    assert f"configuration: {project.root / 'rocmlint.toml'}" in told
    assert f"cache: {project.root / 'kept'}" in told


def test_stdin_has_the_name_and_the_settings_that_it_is_given(project: Project) -> None:
    project.write("sub/rocmlint.toml", "ignore = ['ROC602']\n")
    named = project.run("-", "--stdin-filename", "new.py", stdin=UNSAFE)
    assert (named.returncode, named.stdout.split(":")[0]) == (1, "new.py")
    assert project.run("-", "--stdin-filename", "sub/new.py", stdin=UNSAFE).returncode == 0
    assert project.run("-", stdin=CLEAN).returncode == 0


def test_force_exclude_holds_for_named_files_and_for_stdin(project: Project) -> None:
    project.write("old/a.py", UNSAFE)
    project.write("rocmlint.toml", "exclude = ['old/']\n")
    assert project.code("old/a.py") == 1
    assert project.code("old/a.py", "--force-exclude") == 0
    stdin = ("-", "--stdin-filename", "old/a.py", "--force-exclude")
    assert project.run(*stdin, stdin=UNSAFE).returncode == 0


# Looking inside


def test_show_files_lists_what_would_be_linted(project: Project) -> None:
    project.write("a.py", UNSAFE)
    project.write("old/b.py", UNSAFE)
    ended = project.run("--show-files", "--exclude", "old/")
    assert (ended.returncode, ended.stdout) == (0, "a.py\n")


def test_show_settings_tells_values_their_source_and_why_a_rule_is_off(project: Project) -> None:
    project.write("rocmlint.toml", "ignore = ['ROC602']\nper-file-ignores = {'a' = ['ROC1']}\n")
    shown = project.run("--show-settings", "--preview").stdout
    assert "# from rocmlint.toml" in shown
    assert 'ignore = ["ROC602"]' in shown
    assert 'per-file-ignores = { "a" = ["ROC1"] }' in shown
    assert "preview = true" in shown
    assert "off: ignored" in shown


def test_the_cache_is_where_it_is_wanted(project: Project) -> None:
    project.write("a.py", CLEAN)
    project.run("--no-cache")
    assert [path.name for path in project.root.iterdir()] == ["a.py"]
    project.run("--cache-dir", "kept")
    assert sorted(path.name for path in project.root.iterdir()) == ["a.py", "kept"]
    project.run()
    assert (project.root / ".rocmlint_cache").is_dir()


def test_findings_on_stdin_have_no_command_since_there_is_no_file(project: Project) -> None:
    text = "import sys\n\nsys.path.append('Megatron-LM')\nfrom megatron.core import mpu\nmpu.f()\n"
    assert "confirm:" not in project.run("-", "--notes", "full", stdin=text).stdout
    project.write("job.py", text)
    assert "confirm:" in project.run("--notes", "full", "job.py").stdout
