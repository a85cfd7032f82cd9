"""A log is written by somebody else: nothing in it runs, steers a terminal or has files read."""

from __future__ import annotations

import json
import os
import shlex
import time
from typing import TYPE_CHECKING

import pytest

from rocmlint.why.entries.explain import explain
from rocmlint.why.entries.symptom import symptom_of
from rocmlint.why.facts.context import Context
from rocmlint.why.facts.packages.patched import is_patched
from rocmlint.why.log.log_data import LogFrame
from rocmlint.why.log.log_reader import read_text
from tests.support.environments import Environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

SECRET = "S3CRET-of-the-environment"  # noqa: S105 - of nobody


def traceback(*files: str, message: str = "x") -> str:
    frames = "".join(f'  File "{each}", line 3, in f\n' for each in files)
    return f"Traceback (most recent call last):\n{frames}ImportError: {message}\n"


@pytest.mark.parametrize("flags", [(), ("--output-format", "json")], ids=["text", "json"])
@pytest.mark.parametrize(
    "file",
    [
        "/dev/zero",
        "/dev/stdin",
        "/proc/self/environ",
        "../../../../../../proc/self/environ",
        "{fifo}",
        "{site}/torch/../../../../../../../../proc/self/environ",
        "{site}/torch/pipe.py",
        "{site}/torch/link.py",
        "{site}/torch/" + "a" * 5000,
        "\0",
        "~/x.py",
        "",
    ],
)
def test_only_files_of_packages_are_read(
    file: str, flags: tuple[str, ...], project: Project
) -> None:
    site = project.root / "lib/python3.12/site-packages"
    fifo = project.root / "fifo.py"
    (site / "torch").mkdir(parents=True)
    os.mkfifo(fifo)
    os.mkfifo(site / "torch/pipe.py")
    (site / "torch/link.py").symlink_to("/dev/zero")
    (site / "torch-2.9.0.dist-info").mkdir()
    rows = [f"torch/{each}.py,sha256=0,1" for each in ("pipe", "link")]
    (site / "torch-2.9.0.dist-info/RECORD").write_text("\n".join(rows))
    log = traceback(file.format(site=site, fifo=fifo))
    began = time.monotonic()
    ran = project.run("why", "-", *flags, stdin=log, PLANTED=SECRET)
    assert ran.returncode in {0, 3}
    assert SECRET not in ran.stdout + ran.stderr
    assert time.monotonic() - began < 30


def test_a_command_in_a_message_is_not_run(project: Project) -> None:
    for command in ("$(touch pwned)", "`touch pwned`", "'; touch pwned; '", "\n!touch pwned\n"):
        project.run("why", f"ImportError: cannot import name 'a{command}' from 'b'")
        project.run("why", "-", stdin=traceback(f"/v/site-packages/{command}/a.py"))
        project.run("why", "-", stdin=f"failed of binary: {command}\n")
    assert list(project.root.iterdir()) == []


@pytest.mark.parametrize("flags", [(), ("--output-format", "json")], ids=["text", "json"])
@pytest.mark.parametrize(
    "text",
    [
        "ImportError: \x1b]0;title\x07\x1b[2Jgone",
        "ImportError: \x9b2J \x1bP\x1b\\ \x07 \x00 \x7f",
        "ImportError: left \u202e right \u2066 \u200b \ufeff",
        traceback("/w/\x1b[31m\u202ea.py", message="\x1b[31mred"),
        traceback("/w/a.py", message="cut \ud800".encode("utf-8", "replace").decode()),
        "::error::of a runner\nImportError: ::warning::x",
    ],
)
def test_nothing_is_printed_raw(text: str, flags: tuple[str, ...], project: Project) -> None:
    ran = project.run("why", "-", *flags, stdin=text)
    assert all(line.isprintable() for line in ran.stdout.splitlines())
    assert not any(line.startswith("::") for line in ran.stdout.splitlines())


@pytest.mark.parametrize("text", ["{0.__class__}", "{x!r}", "%s%n", "{{}}", "\\1", "${HOME}"])
def test_a_message_is_no_template(text: str, project: Project) -> None:
    ran = project.run("why", f"ImportError: about {text} here")
    assert f"ImportError: about {text} here" in ran.stdout


NAMES = [
    "a; touch pwned",
    "$(touch pwned)",
    "`id`",
    "a' || true '",
    "a\nrm -rf ~",
    "-rf /",
    "*",
    "{a}",
]


@pytest.mark.parametrize("name", NAMES)
def test_an_advice_quotes_what_the_log_says(name: str) -> None:
    table = {
        "id": "a",
        "match": ["no module {name:gap} here"],
        "cause": "{name} is missing",
        "do": ["run pip install {name}"],
        "run": ["pip install -- {name}"],
        "confirm": "python -c {name}",
    }
    log = read_text(f"ImportError: no module {name} here")
    (made,) = explain(symptom_of(table, "a.toml", ()), log.chains[0].raised[0].text, Context(log))
    edit, command = made.actions
    for written in (edit.text.removeprefix("run "), command.text.replace("-- ", ""), made.confirm):
        assert shlex.split(written)[-1] == name
        assert len(shlex.split(written)) == 3


def test_only_what_a_record_lists_is_hashed(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "venv")
    environment.install("tiny", "1.0", {"tiny/a.py": "x = 1\n", "tiny/b.py": "y = 1\n"})
    site = environment.site
    (site / "tiny/b.py").write_text("y = 2\n")
    (site / "tiny/new.py").write_text("")
    packages = Context(read_text(traceback(f"{site}/tiny/a.py"))).packages

    def patched(name: str) -> bool | None:
        return is_patched(LogFrame(f"{site}/{name}", 3), packages)

    assert [patched("tiny/a.py"), patched("tiny/b.py")] == [False, True]
    assert [patched("tiny/new.py"), patched("tiny/../tiny/b.py"), patched("other/a.py")] == [
        None
    ] * 3


def test_the_json_says_which_frames_are_patched(tmp_path: Path, project: Project) -> None:
    environment = Environment(tmp_path / "venv")
    environment.install("tiny", "1.0", {f"tiny/{each}.py": "x = 1\n" for each in "abcd"})
    site = environment.site
    (site / "tiny/d.py").write_text("x = 2\n")
    log = traceback("/w/train.py", *(f"{site}/tiny/{each}.py" for each in "abcd"))
    document = json.loads(project.run("why", "-", "--output-format", "json", stdin=log).stdout)
    frames = document["input"]["exceptions"][0]["frames"]
    assert [each["patched"] for each in frames] == [None, None, False, False, True]
    assert [(each["owner"], each["version"]) for each in frames[1:]] == [("tiny", "1.0")] * 4
