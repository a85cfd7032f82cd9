"""What ``stack plan`` prints, for the files of a project."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from jsonschema import validate  # type: ignore[import-untyped]

from tests.support.environments import Environment
from tests.support.stacks import INDEX, ROCMINFO, add, stack_for_rocm_6_4

if TYPE_CHECKING:
    from tests.support.project import Project


SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "stack.json"


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return stack_for_rocm_6_4(tmp_path / "environment")


PINS = {
    "requirements.txt": f"--extra-index-url {INDEX}/rocm6.4\ntorch==2.9.1\nnumpy\n",
    "pyproject.toml": '[project]\nname = "x"\nversion = "1"\ndependencies = ["torch<2.10"]\n',
    "Dockerfile": f"FROM python:3.11\nRUN pip install torch==2.9.1 --index-url {INDEX}/rocm6.4\n",
}


def run(project: Project, environment: Environment, *flags: str) -> tuple[int, str, str]:
    to = ("stack", "plan", "--to", "7.1", "--torch", "2.10", "--python", str(environment.python))
    done = project.run(*to, *flags, str(project.root / "src"))
    return done.returncode, done.stdout, done.stderr


def test_the_command_names_file_and_line(project: Project, environment: Environment) -> None:
    for name, text in PINS.items():
        project.write(f"src/{name}", text)
    code, stdout, _ = run(project, environment)
    assert code == 1
    for place in (
        "src/requirements.txt:1: https",
        "src/requirements.txt:2: torch==2.9.1",
        "src/pyproject.toml:4: torch<2.10",
        "src/Dockerfile:2: torch==2.9.1",
        "src/Dockerfile:2: https",
    ):
        assert f"\n  {place}" in stdout


def test_without_obstacles_the_plan_is_good(project: Project, environment: Environment) -> None:
    project.write("src/requirements.txt", "torch>=2.9\n")
    code, stdout, _ = run(project, environment)
    assert code == 0
    assert "the installed packages are recorded in stack-before-rocm7.1.txt" in stdout
    assert "against it stands" not in stdout
    assert "rocmlint stack freeze --force" in stdout


def test_nothing_changes_but_the_file(project: Project, environment: Environment) -> None:
    project.write("src/requirements.txt", "torch==2.9.1\n")

    def state() -> dict[str, float]:
        return {str(each): each.lstat().st_mtime for each in project.root.rglob("*")}

    before = state()
    run(project, environment)
    new = project.root / "stack-before-rocm7.1.txt"
    after = state()
    assert set(after) - set(before) == {str(new)}
    changed = {each for each, changed in before.items() if after[each] != changed}
    assert changed <= {str(project.root)}


def test_no_file_is_written_where_none_is_wanted(
    project: Project, environment: Environment
) -> None:
    project.write("src/requirements.txt", "torch\n")
    code, stdout, _ = run(project, environment, "--no-freeze")
    assert code == 0
    assert "the way back" not in stdout
    assert not list(project.root.glob("stack-before*"))


def test_a_file_that_cannot_be_written_ends_it(project: Project, environment: Environment) -> None:
    project.write("src/requirements.txt", "torch\n")
    code, stdout, stderr = run(project, environment, "--freeze", "/proc/before.txt")
    assert (code, stdout) == (2, "")
    assert "/proc/before.txt: cannot be written" in stderr
    assert "--no-freeze" in stderr


def test_a_file_that_cannot_be_read_stands_against_it_and_hides_no_other(
    project: Project, environment: Environment
) -> None:
    project.write("src/pyproject.toml", "[project\n")
    project.write("src/requirements.txt", "torch==2.9.1\n")
    code, stdout, _ = run(project, environment)
    assert code == 1
    assert "src/pyproject.toml:1" in stdout
    assert "its pins were not checked" in stdout
    assert "src/requirements.txt:1: torch==2.9.1" in stdout


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (
            ("--to", "10.1", "--gpu", "gfx1151"),
            "torch[device-gfx1151]==2.14.0+rocm10.1.0 torchvision[device-gfx1151]",
        ),
        (
            ("--to", "99.1", "--torch", "2.10.0", "--index-url", "https://host/rocm99.1"),
            "torch==2.10.0+rocm99.1 torchvision==0.25.0+rocm99.1 --index-url https://host/rocm99.1",
        ),
    ],
    ids=["AMD's wheels", "an index that is named"],
)
def test_a_plan_can_take_other_wheels_than_pytorchs(
    project: Project, environment: Environment, flags: tuple[str, ...], words: str
) -> None:
    python = ("--python", str(environment.python), "--output-format", "json")
    done = project.run("stack", "plan", *flags, *python, "--no-freeze")
    commands = [shlex.split(each) for each in json.loads(done.stdout)["plan"]["commands"]]
    assert any(words in " ".join(each) for each in commands)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--to", "seven"), "'seven' is not a released ROCm version"),
        (("--to", ""), "'' is not a released ROCm version"),
        (("--to", "6.5"), "the nearest version with wheels is 6.4: --to 6.4"),
        (("--to", "7.1", "--torch", "2.4"), "torch 2.4 has no wheels for ROCm 7.1"),
        (("--to", "7.1", "--torch", "newest"), "'newest' is not a valid torch version"),
        (("--to", "7.1", "--python", "/nowhere/python"), "cannot be started"),
        (("--to", "7.1", "nowhere"), "nowhere: no such file or directory"),
        (("--to", "99.1"), "AMD has no torch for ROCm 99.1"),
        (("--to", "6.4", "--gpu", "gfx1151"), "(--to 7.0 --torch 2.10)"),
        (("--to", "99.1", "--index-url", "https://host/whl/"), "name one, as in --torch"),
        ((), "--to"),
    ],
)
def test_a_refusal_is_one_line_and_writes_nothing(
    project: Project, flags: tuple[str, ...], said: str
) -> None:
    done = project.run("stack", "plan", "--python", sys.executable, *flags)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(project.root.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("uv.lock", 'version = 1\n\n[[package]]\nname = "torch"\nversion = "2.9.1+rocm6.4"\n'),
        ("Pipfile.lock", '{"default": {\n  "torch": {\n    "version": "==2.9.1"\n}}}\n'),
    ],
)
def test_a_lock_file_with_torch_stands_against_it(
    project: Project, environment: Environment, name: str, text: str
) -> None:
    project.write(f"src/{name}", text)
    code, stdout, _ = run(project, environment)
    assert code == 1
    assert f"  src/{name}\n    why: it locks torch" in stdout


def test_a_lock_file_without_torch_does_not(project: Project, environment: Environment) -> None:
    project.write("src/uv.lock", 'version = 1\n\n[[package]]\nname = "torchmetrics"\n')
    assert run(project, environment)[0] == 0


@pytest.mark.parametrize(
    ("command", "pin"),
    [
        ("uv add torch==2.4.1", "torch==2.4.1"),
        ("uv sync --index-url https://download.pytorch.org/whl/cu128", "https"),
        ("poetry add torch==2.4.1", "torch==2.4.1"),
        ("poetry add torch@2.4.1", "torch==2.4.1"),
        ("pdm add torch==2.4.1", "torch==2.4.1"),
        ("conda install torch==2.3.0", "torch==2.3.0"),
        ("conda install pytorch=2.3", "torch==2.3.*"),
        ("$PIP install torch==2.5.0", "torch==2.5.0"),
        ("python -m pip install -U torch==2.5.0", "torch==2.5.0"),
    ],
)
def test_every_tool_that_installs_is_read(
    project: Project, environment: Environment, command: str, pin: str
) -> None:
    project.write("src/setup.sh", f"{command}\n")
    code, stdout, _ = run(project, environment)
    assert code == 1
    assert f"\n  src/setup.sh:1: {pin}" in stdout


@pytest.mark.parametrize("command", ["pip install torch==$TORCH", "conda install torch==$TORCH"])
def test_a_version_that_only_the_run_knows_does_not_stand_against_it(
    project: Project, environment: Environment, command: str
) -> None:
    project.write("src/setup.sh", f"{command}\n")
    assert run(project, environment)[0] == 0


def test_a_list_that_powershell_wrote_is_read(project: Project, environment: Environment) -> None:
    (project.root / "src").mkdir()
    text = "numpy\r\ntorch==2.9.1\r\n"
    (project.root / "src" / "requirements.txt").write_bytes(text.encode("utf-16"))
    stdout = run(project, environment)[1]
    assert "\n  src/requirements.txt:2: torch==2.9.1\n" in stdout
    assert "cannot be read" not in stdout


def test_an_included_file_counts_wherever_it_lies(
    project: Project, environment: Environment
) -> None:
    project.write("deps/base", "-r more.txt\n")
    project.write("deps/more.txt", "numpy\ntorch==2.9.1\n")
    project.write("src/requirements.txt", "-r ../deps/base\n")
    code, stdout, _ = run(project, environment)
    assert code == 1
    assert stdout.count("torch==2.9.1\n") == 1
    assert "\n  deps/more.txt:2: torch==2.9.1\n" in stdout


@pytest.mark.parametrize(
    ("included", "said"),
    [
        ("gone.txt", "which was not found\n    do: create that file"),
        ("https://x.org/base.txt", "which was not checked\n    do: check its pins by hand"),
    ],
)
def test_an_included_file_that_was_not_looked_at_stands_against_it(
    project: Project, environment: Environment, included: str, said: str
) -> None:
    project.write("src/requirements.txt", f"numpy\n-c {included}\n")
    code, stdout, _ = run(project, environment)
    assert code == 1
    assert f"src/requirements.txt:2\n    why: it includes {included}, {said}" in stdout


def test_an_included_file_that_cannot_be_read_stands_against_it(
    project: Project, environment: Environment
) -> None:
    (project.root / "src" / "base.txt").mkdir(parents=True)
    project.write("src/requirements.txt", "-r base.txt\n")
    code, stdout, _ = run(project, environment)
    assert code == 1
    assert "\n  src/base.txt\n    why: it cannot be read" in stdout


def test_json_has_the_whole_plan(project: Project, environment: Environment) -> None:
    project.write("src/requirements.txt", "torch==2.9.1\n")
    code, stdout, _ = run(project, environment, "--output-format", "json")
    document = json.loads(stdout)
    validate(document, json.loads(SCHEMA.read_text()))
    assert (code, document["exit_code"]) == (1, 1)
    assert document["plan"]["torch"] == "2.10.0"
    (obstacle,) = document["plan"]["obstacles"]
    assert obstacle["where"] == "src/requirements.txt:1"


@pytest.mark.parametrize(
    ("installed", "flags"),
    [
        (("torch==2.9.1+rocm6.4",), ("7.14", "--torch", "2.10")),
        (("torch==2.9.1+rocm6.4", "torchaudio==2.9.1+rocm6.4"), ("7.14", "--torchaudio")),
        (("torch==2.9.1+rocm6.4",), ("7.1", "--gpu", "gfx1151")),
        (("torch==2.9.1+rocm6.4",), ("7.13", "--torch", "2.9.1", "--gpu", "gfx942")),
        (("torch==2.9.1+rocm6.4",), ("6.2.3",)),
    ],
    ids=["an older torch", "a companion", "a gpu", "a preview", "a patch release"],
)
def test_a_plan_installs_what_install_command_names(
    project: Project, tmp_path: Path, installed: tuple[str, ...], flags: tuple[str, ...]
) -> None:
    environment = Environment(tmp_path / "environment")
    for each in installed:
        add(environment, *each.split("=="))
    rocm, *others = flags
    asked = ("stack", "install-command", "--rocm", rocm, *others)
    of_plan = [each for each in others if each != "--torchaudio"]
    python = ("--python", str(environment.python))
    alone = project.run(*asked, *python, "--output-format", "json")
    planned = project.run(
        *("stack", "plan", "--to", rocm, "--no-freeze", *of_plan, *python),
        *("--output-format", "json"),
    )
    commands = [shlex.split(each) for each in json.loads(planned.stdout)["plan"]["commands"]]
    wanted = set(json.loads(alone.stdout)["words"]) - {"-m", "pip", "install"}
    assert any(wanted <= set(each) for each in commands), commands


def test_the_release_that_is_installed_stays_in_amds_index(
    project: Project, environment: Environment
) -> None:
    done = project.run(
        *("stack", "plan", "--to", "7.13", "--gpu", "gfx942", "--no-freeze"),
        *("--python", str(environment.python), str(project.root)),
    )
    assert "to torch 2.9.1 for ROCm 7.13.0" in done.stdout


def test_the_gpus_that_are_found_choose_the_wheels(
    project: Project, environment: Environment
) -> None:
    program = project.write("bin/rocminfo", f"#!/bin/sh\ncat <<'END'\n{ROCMINFO}END\n")
    program.write_text(program.read_text().replace("gfx942:sramecc+:xnack-", "gfx1153"))
    program.chmod(0o755)
    done = project.run(
        *("stack", "plan", "--to", "7.14", "--no-freeze", str(project.root)),
        *("--python", str(environment.python)),
        PATH=f"{program.parent}:/usr/bin:/bin",
    )
    assert "torch[device-gfx1153]==2.12.0+rocm7.14.1" in done.stdout
