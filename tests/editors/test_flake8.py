"""The plugin in the real flake8 command: the same findings at the same places as the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.rule.page import EXPECT
from tests.support import fork_server
from tests.support.fixtures import BUILT_IN

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

pytest.importorskip("flake8")
pytestmark = pytest.mark.slow

RULES = '''
from rocmlint.rule.rule import Rule
from rocmlint.rule.triggers import calls


class CopiedPatch(Rule):
    """A call of copy_patch."""

    code = "ACM190"
    name = "copied-patch"
    since = "0.1.0"
    on = calls("copy_patch")

    def check(self, node, source):
        yield self.finding(node, source, "copied")
        yield self.finding(node.func, source, "copied")


class HalvedModel(CopiedPatch):
    """A call of half."""

    code = "ACM490"
    name = "halved-model"
    on = calls("half")
    preview = True


class Team(CopiedPatch):
    """A rule with a prefix of its own."""

    code = "ACME100"
    name = "team"
    preview = True


class Crash(CopiedPatch):
    """A rule with a mistake."""

    code = "ACM590"
    name = "crash"
    on = calls("crash")

    def check(self, node, source):
        raise RuntimeError("of my own")
'''
CONFIGURATION = (
    '[tool.rocmlint]\nrules = ["lint"]\nselect = ["ACM190", "ACM490", "ACM590", "ROC9"]\n'
)
Place = tuple[str, int, int, str]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project with rules of its own, so that no change of the built-in ones matters."""
    write(tmp_path, {"pyproject.toml": CONFIGURATION, "lint/rules.py": RULES, ".flake8": ""})
    return tmp_path


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def run(folder: Path, *command: str, stdin: bytes = b"") -> str:
    """Run ``python`` with a program that must not write to stderr."""
    if command[0] == "-m" and fork_server.is_enough_for(os.environ):
        program, arguments = command[1], command[2:]
        result = fork_server.run_program(program, arguments, folder, os.environ, stdin)
    else:
        result = subprocess.run(
            [sys.executable, *command], cwd=folder, input=stdin, capture_output=True, check=False
        )
    assert result.stderr == b""
    return result.stdout.decode()


def flake8(folder: Path, *arguments: str, stdin: bytes = b"") -> list[Place]:
    """Return what flake8 reports of ours and of syntax."""
    output = "--format=%(path)s:%(row)d:%(col)d:%(code)s"
    lines = run(folder, "-m", "flake8", output, *arguments, stdin=stdin).splitlines()
    found = (line.rsplit(":", 3) for line in lines)
    return sorted(
        (path.removeprefix("./"), int(row), int(col), code)
        for path, row, col, code in found
        if code.startswith(("ROC", "ACM", "E9"))
    )


def command(folder: Path, *arguments: str, stdin: bytes = b"") -> list[Place]:
    """Return what ``rocmlint`` reports, once for each place: flake8 cannot tell where it ends."""
    flags = ("--no-cache", "--quiet", "--output-format=json")
    document = json.loads(run(folder, "-m", "rocmlint", *flags, *arguments, stdin=stdin))
    places = ("path", "line", "column", "code")
    return sorted({tuple(each[key] for key in places) for each in document["findings"]})


def test_notes_are_off_unless_the_configuration_sets_them(project: Path) -> None:
    rules = RULES.replace('name = "halved-model"', 'name = "halved-model"\n    severity = "note"')
    write(project, {"lint/rules.py": rules, "a.py": "copy_patch()\nmodel.half()\n"})
    (project / "pyproject.toml").write_text(f"{CONFIGURATION}preview = true\n")
    assert [code for *_, code in flake8(project, "a.py")] == ["ACM190"]
    (project / "pyproject.toml").write_text(f'{CONFIGURATION}preview = true\nnotes = "short"\n')
    assert "a.py:2:1: ACM490 note: copied [halved-model]" in run(project, "-m", "flake8", "a.py")


SOURCE = """\
import os

import half_precision

def load(model, path, names=("a", "b")):
    copy_patch(path)
    if names: copy_patch(
        path,
    ); model.copy_patch("Größe", copy_patch(1))
\tmodel.notes = '''
copy_patch(path)
''', copy_patch(path)
    text = "Zürich" + copy_patch(path)  # noqa: E501
    return half(model) \\
        + copy_patch(path)
""".replace("\t", "    ")
SOURCES = {
    "plain.py": SOURCE.encode(),
    "bom.py": b"\xef\xbb\xbf" + SOURCE.encode(),
    "crlf.py": SOURCE.replace("\n", "\r\n").encode(),
    "bom_crlf.py": b"\xef\xbb\xbf" + SOURCE.replace("\n", "\r\n").encode(),
    "cr.py": SOURCE.replace("\n", "\r").encode(),
    "latin_1.py": b"# -*- coding: latin-1 -*-\n" + SOURCE.encode("latin-1"),
    "unended.py": SOURCE.rstrip().encode(),
    "form_feed.py": SOURCE.replace("\ndef", "\n\f\ndef").encode(),
    "tabs.py": SOURCE.replace("    ", "\t").encode(),
    "empty.py": b"",
    "clean.py": b"import os\n",
}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_files_in_any_encoding_give_what_the_command_gives(project: Path, jobs: str) -> None:
    write(project, SOURCES)
    found = flake8(project, f"--jobs={jobs}", *SOURCES)
    assert found == command(project, *SOURCES)
    assert {path for path, *_ in found} == {*SOURCES} - {"empty.py", "clean.py"}


@pytest.mark.parametrize("name", SOURCES)
def test_standard_input_gives_what_the_command_gives(project: Path, name: str) -> None:
    stdin = SOURCES[name]
    found = flake8(project, f"--stdin-display-name={name}", "-", stdin=stdin)
    assert found == command(project, f"--stdin-filename={name}", "-", stdin=stdin)


def test_standard_input_needs_no_name(project: Path) -> None:
    assert flake8(project, "-", stdin=b"copy_patch(path)\n") == [("stdin", 1, 1, "ACM190")]


def test_workers_that_start_afresh_know_the_options(project: Path) -> None:
    write(project, {"a.py": "half(model)\n", "b.py": "half(model)\n"})
    spawned = (
        "import multiprocessing\n"
        "from flake8.main.cli import main\n"
        "if __name__ == '__main__':\n"
        "    multiprocessing.set_start_method('spawn')\n"
        "    main(['--jobs=2', '--select=ACM490', '--format=%(path)s', 'a.py', 'b.py'])\n"
    )
    write(project, {"spawned.py": spawned})
    assert run(project, "spawned.py").split() == ["a.py", "b.py"]


NOQA = {
    "lines.py": "".join(
        f"copy_patch(path)  {comment}\n"
        for comment in (
            "# noqa",
            "#noqa",
            "#  noqa",
            "# NOQA:ACM190",
            "# noqa: roc190",
            "# noqa: ROC1,E501",
            "# noqa: ACM190 we look there",
            "# noqa:  ACM490",
            "# noqa : ACM490",
            "# noqa: ACM490",
            "# noqa: copied-patch",
            "# noqa: E501",
            "# noqa: E501 # noqa: ACM190",
            "# noqa: ROC9",
            "# flake8: noqa",
            "# noqa: ACM1900",
            "# noqa: ROC999",
            "# noqa: E501, ROC999",
            "# rocmlint: ignore[ACM190]",
            "# rocmlint: ignore[copied-patch] why",
            "# rocmlint: ignore[ACM490]",
            "# rocmlint: ignore[ROC999]",
            "# rocmlint: ignore",
            "# rocmlint: ignore[ACM490]  # noqa: ROC901",
            "# noqa: ACM190, ROC901",
            "# rocmlint: ignore[ACM190]  # noqa: ACM190",
        )
    ),
    "places.py": (
        "copy_patch(  # noqa: ACM190\n    path,\n)\n"
        "copy_patch(\n    path,\n)  # noqa: ACM190\n"
        "copy_patch(\n    path,\n)  # rocmlint: ignore[ACM190]\n"
        "copy_patch('''\npath\n''')  # noqa: ACM190\n"
        "copy_patch( \\\n    path)  # noqa: ACM190\n"
        "copy_patch('# noqa')\n"
        "copy_patch(f'''\n{\npath\n}\n''')  # noqa: ACM190\n"
        "load(path)  # noqa: ACM190\n"
    ),
    "file.py": "import os\n# flake8: noqa: ACM490\ncopy_patch(path)\n",
    "text.py": "'''\n  # flake8: noqa\n'''\ncopy_patch(path)\n",
    "own_file.py": "# rocmlint: ignore-file[ACM190] old code\ncopy_patch(path)\n",
    "unused.py": "# rocmlint: ignore-file[ACM190] old code\nload(path)\n",
}


@pytest.mark.parametrize("name", NOQA)
def test_noqa_means_the_same_to_both(project: Path, name: str) -> None:
    write(project, NOQA)
    assert flake8(project, name) == command(project, name)


def test_fixtures_give_what_the_command_gives(tmp_path: Path) -> None:
    for path in BUILT_IN.fixtures.rglob("*.py"):
        if path.parent.name != "unreadable_file":  # flake8 has E999 for it, and runs no plugin
            text = EXPECT.sub("", path.read_text())
            write(tmp_path, {path.relative_to(BUILT_IN.fixtures).as_posix(): text})
    write(
        tmp_path,
        {"pyproject.toml": '[tool.rocmlint]\npreview = true\nnotes = "full"\n', ".flake8": ""},
    )
    found, once = set(flake8(tmp_path, ".")), set(command(tmp_path, "."))
    assert once
    assert once <= found
    # What holds for a whole project is reported once a run, and flake8 runs for each file.
    for name in {place[0] for place in found - once}:
        assert {place for place in found if place[0] == name} == set(command(tmp_path, name))


def test_message_ends_with_the_name_of_the_rule(project: Path) -> None:
    write(project, {"patch.py": "copy_patch(path)\n"})
    assert run(project, "-m", "flake8", "--select=ACM", "patch.py") == (
        "patch.py:1:1: ACM190 copied [copied-patch]\n"
    )


def test_nearest_configuration_of_each_file_decides(project: Path) -> None:
    write(
        project,
        {
            "patch.py": "copy_patch(path)\n",
            "strict/rocmlint.toml": 'rules = ["../lint"]\nselect = ["ACM490"]\npreview = true\n',
            "strict/patch.py": "copy_patch(path)\nhalf(model)\n",
        },
    )
    found = flake8(project, "patch.py", "strict/patch.py")
    assert found == [("patch.py", 1, 1, "ACM190"), ("strict/patch.py", 2, 1, "ACM490")]


def test_excluded_files_and_per_file_ignores_are_honoured(project: Path) -> None:
    configuration = (
        f'{CONFIGURATION}exclude = ["vendored/"]\nper-file-ignores = {{ "old*.py" = ["ACM190"] }}\n'
    )
    files = ("vendored/patch.py", "old_patch.py", "patch.py")
    write(project, {"pyproject.toml": configuration})
    write(project, dict.fromkeys(files, "copy_patch(path)\n"))
    assert flake8(project, *files) == [("patch.py", 1, 1, "ACM190")]


def test_known_findings_of_the_baseline_are_left_out(project: Path) -> None:
    write(project, {"pyproject.toml": f'{CONFIGURATION}baseline = "known.json"\n'})
    write(project, {"patch.py": "copy_patch(path)\n"})
    run(project, "-m", "rocmlint", "--no-cache", "--quiet", "--write-baseline", "patch.py")
    write(project, {"patch.py": "import os\n\ncopy_patch(path)\ncopy_patch(os)\n"})
    assert flake8(project, "patch.py") == [("patch.py", 4, 1, "ACM190")]


@pytest.mark.parametrize(
    ("flags", "codes"),
    [
        (("--select=ACM",), ["ACM190"]),
        (("--select=ACM1,ACM490",), ["ACM190", "ACM490"]),
        (("--extend-select=ACM490",), ["ACM190", "ACM490"]),
        (("--select=ROC7,ROC999,ACM190",), ["ACM190"]),
        (("--extend-select=ACME100",), ["ACM190", "ACME100"]),
        (("--extend-ignore=ACM190",), []),
        (("--ignore=E501",), ["ACM190"]),
        (("--ignore=E501", "--extend-select=ACM490"), ["ACM190", "ACM490"]),
    ],
)
def test_flake8_switches_on_only_what_it_names(
    project: Path, flags: tuple[str, ...], codes: list[str]
) -> None:
    write(project, {"patch.py": "copy_patch(path)\nhalf(model)\n"})
    write(project, {"pyproject.toml": '[tool.rocmlint]\nrules = ["lint"]\nselect = ["ACM190"]\n'})
    lines = run(project, "-m", "flake8", "--format=%(code)s", *flags, "patch.py").split()
    assert sorted(line for line in lines if line.startswith(("ROC", "ACM"))) == codes


def test_what_flake8_names_is_on_even_if_our_settings_ignore_it(project: Path) -> None:
    write(project, {"patch.py": "copy_patch(path)\n"})
    write(project, {"pyproject.toml": f'{CONFIGURATION}ignore = ["ACM190"]\n'})
    assert flake8(project, "patch.py") == []
    assert flake8(project, "--extend-select=ACM190", "patch.py") == [("patch.py", 1, 1, "ACM190")]


def test_mistake_in_the_configuration_is_one_finding_and_others_go_on(project: Path) -> None:
    write(
        project, {"broken/rocmlint.toml": "selekt = []\n", "broken/patch.py": "copy_patch(path)\n"}
    )
    write(project, {"patch.py": "copy_patch(path)\n"})
    found = flake8(project, "broken/patch.py", "patch.py")
    assert found == [("broken/patch.py", 1, 1, "ROC900"), ("patch.py", 1, 1, "ACM190")]


def test_mistake_in_a_rule_is_one_finding_and_others_go_on(project: Path) -> None:
    write(project, {"patch.py": "x = [crash()]\ncopy_patch(path)\n"})
    assert flake8(project, "patch.py") == [
        ("patch.py", 1, 1, "ROC900"),
        ("patch.py", 2, 1, "ACM190"),
    ]


def test_file_with_a_syntax_error_is_left_to_flake8(project: Path) -> None:
    write(project, {"patch.py": "copy_patch(path\n"})
    assert [code for *_, code in flake8(project, "patch.py")] == ["E999"]


def test_file_without_work_loads_no_parser(project: Path) -> None:
    program = (
        "import sys\n"
        "from rocmlint.editors.flake8 import Plugin\n"
        "assert list(Plugin(None, ['import os\\n'], 'patch.py').run()) == []\n"
        "print('libcst._nodes' in sys.modules)\n"
    )
    assert run(project, "-c", program) == "False\n"


@pytest.mark.skipif(sys.platform != "linux", reason="flake8 starts its processes afresh")
@pytest.mark.parametrize(
    ("files", "expected"), [(["patch.py"], "False"), (["a.py", "b.py"], "True")]
)
def test_what_several_processes_need_is_loaded_before_they_start(
    project: Path, files: list[str], expected: str
) -> None:
    program = (
        "import sys\n"
        "from argparse import Namespace\n"
        "from rocmlint.editors.flake8 import Plugin\n"
        f"Plugin.parse_options(None, Namespace(select=None, extend_select=None), {files})\n"
        "print('libcst._nodes' in sys.modules)\n"
    )
    assert run(project, "-c", program) == f"{expected}\n"
