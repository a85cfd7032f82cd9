"""The command where things go wrong around it: always a clear line, an exit code, and no damage."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocmlint.config.configuration import Configuration
from rocmlint.config.settings import Settings
from rocmlint.errors import ConfigError
from rocmlint.lint import run as module
from rocmlint.lint.discovery.discover import discover
from rocmlint.lint.run import Options, run
from rocmlint.report import FORMATS
from tests.support.project import COMMAND

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rocmlint.lint.discovery.discover import Discovery
    from rocmlint.lint.run import Outcome
    from tests.support.project import Project

DROPPED = """\
from PIL import ImageOps


def load(image):
    ImageOps.exif_transpose(image)
    return image
"""
UNUSED = "import os  # rocmlint: ignore[ROC501]\n"
MENDED = "import os\n"
BUSY = "".join(DROPPED.replace("load", f"load_{number}") for number in range(150))
ROOT = 0
NOBODY = 65534

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")


# Files


@contextmanager
def unprivileged() -> Iterator[None]:
    """Be somebody to whom the system refuses something."""
    if os.geteuid() != ROOT:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(ROOT)


def lint_here(**options: str) -> Outcome:
    settings = Settings(root=os.getcwd(), select=("ROC602", "ROC900"))
    return run(["."], lambda _: settings, Options(jobs=1, **options))  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b/c.py", "d.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(DROPPED)
    lint_here()  # what is imported when it is needed may lie where only its owner can read
    return tmp_path


def shown(outcome: Outcome) -> list[str]:
    return [f"{each.path} {each.code}" for each in outcome.findings]


def test_a_folder_and_a_file_that_may_not_be_read_are_problems_and_hide_nothing(
    folder: Path,
) -> None:
    (folder / "b").chmod(0)
    (folder / "d.py").chmod(0)
    with unprivileged():
        outcome = lint_here()
    (folder / "b").chmod(0o755)
    assert shown(outcome) == ["a.py ROC602", "d.py ROC900"]
    assert outcome.problems == [
        "./b: cannot be read: Permission denied",
        "d.py: cannot be read: Permission denied",
    ]


def test_a_file_that_goes_between_listing_and_reading_is_a_problem_and_hides_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def then_delete(*paths: object, **more: object) -> Discovery:
        found = discover(*paths, **more)  # type: ignore[arg-type]
        (folder / "a.py").unlink()
        (folder / "b" / "c.py").unlink()
        (folder / "b").rmdir()
        return found

    monkeypatch.setattr(module, "discover", then_delete)
    outcome = lint_here()
    assert shown(outcome) == ["a.py ROC900", "b/c.py ROC900", "d.py ROC602"]
    assert len(outcome.problems) == 2


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("place", ["/proc/cache", "d.py", "d.py/cache"])
def test_a_cache_in_an_impossible_place_costs_the_cache_and_nothing_else(place: str) -> None:
    outcome = lint_here(cache_dir=place)
    assert len(outcome.findings) == 3
    assert outcome.problems == []
    assert outcome.remarks[0].startswith(f"{place}: cannot write the cache: ")


def test_a_configuration_that_may_not_be_read_does_not_go_unnoticed(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.rocmlint]\npreview = true\n")
    (folder / "pyproject.toml").chmod(0)
    with unprivileged(), pytest.raises(ConfigError, match=r"toml: cannot be read: Permission"):
        Configuration().settings_for(".")


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are Unicode")
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_tell_of_a_path_that_is_no_text(project: Project, name: str) -> None:
    Path(os.fsdecode(os.fsencode(project.root) + b"/\xff.py")).write_text(DROPPED)
    project.write("new\nline.py", DROPPED)
    ended = project.run("--output-format", name)
    assert (ended.returncode, ended.stdout.count("ROC602") > 1) == (1, True)
    assert "Found 2 findings" in ended.stderr


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("path", ["::stop-commands::x.py", " ::error::x.py", "::d/a.py"])
def test_no_file_name_makes_a_command_for_githubs_runner(
    project: Project, name: str, path: str
) -> None:
    project.write(path, DROPPED)
    project.write(path.replace(".py", ".ipynb"), "no notebook")
    ended = project.run("--output-format", name)
    lines = [line.lstrip() for line in (ended.stdout + ended.stderr).splitlines()]
    commands = [line for line in lines if line.startswith("::")]
    assert len(commands) == (2 if name == "github" else 0)
    assert all(line.startswith("::error file=") for line in commands)
    assert name not in {"text", "concise"} or f"./{path}:5:5:" in ended.stdout


def test_a_problem_takes_one_line_whatever_the_path(project: Project) -> None:
    ended = project.run("no\nsuch\x1b[2J.py")
    assert ended.stderr.startswith("no\\nsuch\\x1b[2J.py: no such file or directory\n")


def test_folders_in_three_hundred_folders_are_linted(project: Project) -> None:
    project.write("d/" * 300 + "a.py", DROPPED)
    assert len(project.findings()) == 1


def test_a_working_folder_that_is_gone_is_2_with_one_line(project: Project) -> None:
    (project.root / "gone").mkdir()
    command = f"cd gone && rmdir ../gone && exec {' '.join(COMMAND)}"
    ended = subprocess.run(
        ["sh", "-c", command], cwd=project.root, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert (
        ended.stderr == "error: the working directory no longer exists: No such file or directory\n"
    )


# Standard streams


def in_shell(project: Project, command: str) -> subprocess.CompletedProcess[str]:
    line = f"{' '.join(COMMAND)} --no-cache --output-format concise {command}"
    return subprocess.run(
        ["sh", "-c", line], cwd=project.root, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_do_not_change_the_exit_code(project: Project, closed: str) -> None:
    project.write("a.py", DROPPED)
    ended = in_shell(project, f"a.py {closed}")
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr


def test_standard_input_that_is_closed_is_2_with_one_line(project: Project) -> None:
    ended = in_shell(project, "- <&-")
    assert (ended.returncode, ended.stderr) == (2, "error: -: standard input is closed\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_stderr_keeps_the_findings_and_the_exit_code(project: Project) -> None:
    project.write("a.py", DROPPED)
    assert "ROC602" in in_shell(project, "a.py 2>/dev/full").stdout
    assert in_shell(project, "--wrong 2>/dev/full").returncode == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [
        *("--help", "--version", "rule", "rule ROC101", "config", "version", "completion bash"),
        *(
            "help",
            "help verify",
            f"stack --python {sys.executable}",
            "verify live --help",
            "stack plan --help",
        ),
        *("export", "export check --help", "check --help", "server --help", "clean --help"),
    ],
)
def test_what_a_full_disk_cuts_off_is_2_with_one_line(project: Project, arguments: str) -> None:
    command = [*COMMAND, *arguments.split()]
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            command, cwd=project.root, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (ended.returncode, ended.stderr) == (2, "error: [Errno 28] No space left on device\n")


def test_a_report_that_cannot_be_written_hides_no_finding(project: Project) -> None:
    project.write("a.py", DROPPED)
    ended = in_shell(project, "--output sarif:a.py/report --output json:report.json a.py")
    assert ended.returncode == 2
    assert "ROC602" in ended.stdout
    assert "ROC602" in project.read("report.json")
    assert "cannot write the sarif report to a.py/report" in ended.stderr


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"exif_transpose(\xff", b"\x00" * 1000])
def test_what_is_no_source_comes_back_from_a_fix_unchanged(project: Project, data: bytes) -> None:
    command = [*COMMAND, "--unsafe-fixes", "-"]
    ended = subprocess.run(command, cwd=project.root, input=data, capture_output=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, data)
    assert b"ROC900" in ended.stderr


# Signals


def until(condition: Callable[[], object]) -> None:
    """Wait for something that takes a moment."""
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("waited for half a minute in vain")


def children(process: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[1]) == process and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def start_busy(project: Project) -> tuple[subprocess.Popen[str], list[int]]:
    """Start a run that takes a while, and wait for its workers."""
    for number in range(40):
        project.write(f"busy_{number}.py", BUSY)
    process = project.start("--no-cache", "--jobs", "2")
    until(lambda: len(children(process.pid)) == 2)
    return process, children(process.pid)


@on_linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_the_command(project: Project, number: int) -> None:
    process, workers = start_busy(project)
    process.send_signal(number)
    assert process.wait() == -number
    until(lambda: not any(map(is_alive, workers)))
    process.communicate()


@on_linux
def test_ctrl_c_among_workers_is_130_with_one_line(project: Project) -> None:
    process, workers = start_busy(project)
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate()
    assert (process.returncode, stderr) == (130, "interrupted\n")
    until(lambda: not any(map(is_alive, workers)))


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_whoever_ends_a_fix_finds_each_file_old_or_new(
    project: Project, number: int, code: int
) -> None:
    for index in range(1000):
        project.write(f"a{index:03}.py", UNUSED)
    process = project.start("--no-cache", "--fix", "--quiet")
    until(lambda: project.read("a000.py") == MENDED)
    process.send_signal(number)
    process.communicate()
    names = sorted(os.listdir(project.root))
    texts = {project.read(name) for name in names}
    assert names == [f"a{index:03}.py" for index in range(1000)]
    assert texts <= {UNUSED, MENDED}
    # On a busy machine it may have ended before the signal.
    assert process.returncode == code or texts == {MENDED}
