"""``rocmlint why``: what it reads, what it refuses, and its JSON."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from tests.support.environments import Environment
from tests.support.project import COMMAND
from tests.support.tools import needs, program

if TYPE_CHECKING:
    from tests.support.project import Project

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "why.json").read_text())
NOTHING_FITS = "ImportError: cannot import name 'a' from 'b' (/w/b.py)"
FILTERED = "RuntimeError: HIP error: invalid device ordinal"
TRACEBACK = f"""\
Traceback (most recent call last):
  File "/w/train.py", line 3, in <module>
    from b import a
{NOTHING_FITS}
"""


def document_of(printed: str) -> Any:
    """Read an answer in JSON, and check it against the published schema."""
    document = json.loads(printed)
    Draft202012Validator(SCHEMA).validate(document)
    return document


# What it reads


def test_a_file_standard_input_and_a_text_are_the_same(project: Project) -> None:
    project.write("train.log", TRACEBACK)
    answers = [
        project.run("why", "train.log"),
        project.run("why", "-", stdin=TRACEBACK),
        project.run("why", stdin=TRACEBACK),
        project.run("why", TRACEBACK),
    ]
    assert {each.returncode for each in answers} == {3}
    assert {each.stdout for each in answers} == {answers[0].stdout}
    assert NOTHING_FITS in answers[0].stdout


def test_the_exit_code_is_0_for_an_answer(project: Project) -> None:
    both = {"ROCR_VISIBLE_DEVICES": "0", "HIP_VISIBLE_DEVICES": "1"}
    ran = project.run("why", FILTERED, **both)
    assert ran.returncode == 0
    assert "known (devices-filtered-twice)" in ran.stdout


def test_an_error_that_is_no_exception_is_shown(project: Project) -> None:
    log = "collecting torch\nERROR: No matching distribution found for torch\nbye\n"
    first = project.run("why", "-", stdin=log).stdout.splitlines()[0]
    assert first == "why: ERROR: No matching distribution found for torch  unknown"
    assert "no error was found" in project.run("why", "all is well").stdout


def test_the_first_failure_of_a_launcher_is_a_fact(project: Project) -> None:
    log = "Root Cause (first observed failure):\n[0]:\n  rank : 3\n  exitcode : 5 (pid: 7)"
    assert "failed first: rank 3, exit code 5" in project.run("why", "-", stdin=log).stdout


def test_an_answer_has_at_most_twelve_lines(project: Project) -> None:
    log = "\n".join(f"ValueError: {each}\n" for each in range(99))
    assert len(project.run("why", "-", stdin=log).stdout.splitlines()) <= 12


def test_a_named_pipe_is_read_as_a_stream(project: Project) -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, TRACEBACK.encode())
    os.close(write_end)
    ran = subprocess.run(
        [*COMMAND, "why", f"/dev/fd/{read_end}"],
        pass_fds=[read_end],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert NOTHING_FITS in ran.stdout


def test_a_large_log_is_searched_for_what_entries_say(project: Project) -> None:
    noise = "step 17 loss 2.31 and nothing else happened here\n" * 40_000
    project.write("train.log", f"{noise}HIP: invalid device ordinal\n{noise}")
    both = {"ROCR_VISIBLE_DEVICES": "0", "HIP_VISIBLE_DEVICES": "1"}
    assert "devices-filtered-twice" in project.run("why", "train.log", **both).stdout


def test_the_project_is_a_directory(project: Project) -> None:
    project.write("a/train.py", "")
    ran = project.run("why", TRACEBACK, "a")
    assert ran.returncode == 3
    ran = project.run("why", TRACEBACK, "a/train.py")
    assert (ran.returncode, ran.stderr) == (
        2,
        "error: a/train.py: not a directory; name the directory of the project\n",
    )


def test_python_chooses_the_packages(project: Project, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "venv")
    environment.install("torch", "2.10.0+rocm7.1", {"torch/__init__.py": ""})
    for each in (environment.python, environment.root):
        ran = project.run("why", NOTHING_FITS, "--python", str(each))
        assert "torch: 2.10.0+rocm7.1" in ran.stdout
    path = os.pathsep.join([str(environment.python.parent), os.environ["PATH"]])
    ran = project.run("why", NOTHING_FITS, "--python", "python", PATH=path)
    assert "torch: 2.10.0+rocm7.1" in ran.stdout


def test_an_interpreter_that_torchrun_names_is_the_jobs(project: Project, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "env")
    environment.install("torch", "2.10.0+rocm7.1", {"torch/__init__.py": ""})
    log = f"{NOTHING_FITS}\nfailed (exitcode: 1) local_rank: 0 of binary: {environment.python}\n"
    cleared = dict.fromkeys(("VIRTUAL_ENV", "CONDA_PREFIX"), "")
    assert "torch: 2.10.0+rocm7.1" in project.run("why", "-", stdin=log, **cleared).stdout


# What it refuses


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.log"], "missing.log: cannot be read: No such file or directory"),
        (["."], ".: is a directory; name a log, or put the message in quotes"),
        (["empty.log"], "empty.log: the log is empty"),
        (["blank.log"], "blank.log: the log is empty"),
        (["core"], "core: is not a text; name a log, or - for standard input"),
        (["train.log.gz"], "train.log.gz: is compressed; unpack it: gunzip -c FILE"),
        (["/dev/zero"], "/dev/zero: is not a text"),
        (["loop.log"], "loop.log: cannot be read: Too many levels of symbolic links"),
        ([" "], "why: the message is empty"),
        (["-"], "standard input: the log is empty"),
        ([NOTHING_FITS, "missing"], "missing: not a directory; name the directory"),
        ([NOTHING_FITS, "--python", "missing/python"], "--python missing/python: no such"),
        ([NOTHING_FITS, "-o", "missing/a.txt"], "--output missing/a.txt: cannot be written"),
        ([NOTHING_FITS, ".", "more"], "unknown argument more"),
        (["a", "b", "--", "true"], "only the directory of the project can come before --"),
        (["missing", "--", "true"], "missing: not a directory"),
        (["--", "./missing"], "./missing: cannot be started: No such file or directory"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(
    arguments: list[str], message: str, project: Project
) -> None:
    project.write("empty.log", "")
    project.write("blank.log", "\n \n")
    (project.root / "core").write_bytes(b"\x7fELF" + bytes(range(256)) * 9)
    (project.root / "train.log.gz").write_bytes(b"\x1f\x8b\x08\x00 and more")
    (project.root / "loop.log").symlink_to("loop.log")
    ran = project.run("why", *arguments)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
    assert "internal error" not in ran.stderr


def test_an_unreadable_file_is_refused(project: Project) -> None:
    project.write("a.log", TRACEBACK).chmod(0)
    if os.access(project.root / "a.log", os.R_OK):
        pytest.skip("root reads every file")
    assert "a.log: cannot be read: Permission denied" in project.run("why", "a.log").stderr


def test_without_input_on_a_terminal_it_says_what_to_give(project: Project) -> None:
    terminal, given = pty.openpty()
    ran = subprocess.run(
        [*COMMAND, "why"],
        cwd=project.root,
        stdin=given,
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(terminal)
    os.close(given)
    assert ran.returncode == 2
    assert ran.stderr == "error: why: pipe a log into it, or name a file or a message\n"


@needs("bash")
def test_a_full_disk_is_reported(project: Project) -> None:
    shell = f"{COMMAND[0]} -m rocmlint why '{FILTERED}' > /dev/full"
    ran = subprocess.run(
        [program("bash"), "-c", shell],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "No space left on device" in ran.stderr


# Its JSON


@pytest.mark.parametrize(
    "text",
    [TRACEBACK, FILTERED, "nothing", f"[rank1]: {NOTHING_FITS}", "ERROR: No matching distribution"],
)
@pytest.mark.parametrize(
    "variables", [{}, {"ROCR_VISIBLE_DEVICES": "0", "HIP_VISIBLE_DEVICES": "1"}]
)
def test_the_json_is_as_its_schema_says(
    text: str, variables: dict[str, str], project: Project
) -> None:
    ran = project.run("why", text, "--output-format", "json", **variables)
    document = document_of(ran.stdout)
    assert document["exit_code"] == ran.returncode
    assert (document["explanation"] is None) is (document["verdict"] == "unknown")


def test_the_json_of_an_answer_can_be_acted_on(project: Project) -> None:
    both = {"ROCR_VISIBLE_DEVICES": "0", "HIP_VISIBLE_DEVICES": "1"}
    document = document_of(project.run("why", FILTERED, "--output-format", "json", **both).stdout)
    explained = document["explanation"]
    assert explained["entry"] == "devices-filtered-twice"
    assert {"command": "unset ROCR_VISIBLE_DEVICES", "safe": False} in explained["actions"]
    assert explained["confirm"] == {"command": "rocmlint verify variables"}
    assert explained["missing_facts"] == []


def test_the_answer_can_be_written_to_a_file(project: Project) -> None:
    ran = project.run("why", TRACEBACK, "--output-format", "json", "-o", "answer.json")
    assert (ran.stdout, ran.returncode) == ("", 3)
    document = document_of(project.read("answer.json"))
    assert document["input"]["exceptions"][0]["frames"][0]["file"] == "/w/train.py"


# Secrets


@pytest.mark.parametrize("flags", [(), ("--output-format", "json")], ids=["text", "json"])
@pytest.mark.parametrize(
    "text",
    [
        "cannot reach https://me:{}@host.example/simple",
        "HF_TOKEN={}",
        "api_key='{}'",
        "Authorization: Bearer {}",
        "WANDB_API_KEY: {}",
        "the token hf_{}",
    ],
)
def test_no_token_of_a_log_is_printed(text: str, flags: tuple[str, ...], project: Project) -> None:
    secret = "aB3dE5gH7jK9mN1pQ3"  # noqa: S105 - of nobody
    ran = project.run("why", f"ValueError: {text.format(secret)}", *flags)
    assert secret not in ran.stdout
    assert "***" in ran.stdout


@pytest.mark.parametrize(
    "text",
    ["tokens: 300, features 298", "got 'eos_token=</s>'", "max_new_tokens=4096", "token: None"],
)
def test_numbers_of_tokens_are_printed(text: str, project: Project) -> None:
    assert f"ValueError: {text}" in project.run("why", f"ValueError: {text}").stdout
