"""What holds on Windows and macOS too, as far as Linux can tell: see docs/platforms.md."""

from __future__ import annotations

import errno
import io
import ntpath
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from rocmlint.cli import main as cli
from rocmlint.config.configuration import Configuration
from rocmlint.formats import format_of
from rocmlint.interpreter import child
from rocmlint.lint import workers
from rocmlint.lint.run import Options, run
from rocmlint.paths import is_inside, relative
from rocmlint.source.file import File
from rocmlint.text.text import Text
from rocmlint.verify.job.processes import CommandError, execute

ROOT = Path(__file__).parents[1]
EXAMPLE = str(ROOT / "fixtures" / "example_project")

BAD = """\
from PIL import ImageOps


def upright(image):
    ImageOps.exif_transpose(image)
    return image
"""
POSIX_ONLY = textwrap.dedent("""\
    import os, signal, sys
    import multiprocessing.context, platform, subprocess, tempfile  # they know where they are
    for name in "fcntl grp pty pwd readline resource syslog termios tty".split():
        sys.modules[name] = None
    for name in (
        "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK WNOHANG chown confstr fchmod fchown fork "
        "forkpty getegid geteuid getgid getloadavg getpgid getpgrp getpriority getsid getuid "
        "killpg lchown mkfifo nice openpty posix_spawn register_at_fork sched_getaffinity "
        "setpgid setsid sysconf uname wait waitid"
    ).split():
        hasattr(os, name) and delattr(os, name)
    for name in (
        "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGUSR1 SIGUSR2 alarm "
        "pthread_sigmask setitimer sigpending sigtimedwait sigwait sigwaitinfo valid_signals"
    ).split():
        hasattr(signal, name) and delattr(signal, name)
    """)
"""Takes away what Windows' Python does not have."""


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--no-cache", "--output-format", "json"),
        ("--no-cache", "--preview", "--diff", "--unsafe-fixes"),
        ("--no-cache", "--output-format", "sarif", "--jobs", "1"),
    ],
)
def test_linting_uses_nothing_that_only_posix_has(arguments: tuple[str, ...]) -> None:
    code = "import sys\nfrom rocmlint.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    plain = python(code, EXAMPLE, *arguments)
    without = python(POSIX_ONLY + code, EXAMPLE, *arguments)
    assert plain.returncode == 1
    assert (without.returncode, without.stdout) == (1, plain.stdout), without.stderr


def test_fixing_writes_the_same_without_what_only_posix_has(tmp_path: Path) -> None:
    code = "import sys\nfrom rocmlint.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    file = tmp_path / "train.sh"
    file.write_bytes(b"pip install 'numpy>=2' torch==2.2.0\r\n")
    done = python(POSIX_ONLY + code, str(file), "--fix", "--cache-dir", str(tmp_path / "cache"))
    assert done.returncode in (0, 1), done.stderr
    assert [each.name for each in tmp_path.iterdir() if each.suffix == ".tmp"] == []
    assert (tmp_path / "cache" / "rocmlint-3").is_dir()


@pytest.mark.slow
def test_every_module_is_imported_without_what_only_posix_has() -> None:
    code = textwrap.dedent("""\
        import importlib, pkgutil
        import rocmlint
        # These import what not everybody has: torch, an engine, what only a job has.
        left_out = (
            "rocmlint.export.",
            "rocmlint.engines.",
            "rocmlint.interpreter.inside.",
            "rocmlint.__main__",
        )
        for each in pkgutil.walk_packages(rocmlint.__path__, "rocmlint."):
            if not each.name.startswith(left_out):
                importlib.import_module(each.name)
        """)
    before = "import pyarrow\n"  # numpy, as built for POSIX, needs more
    done = python(before + POSIX_ONLY + code)
    assert done.returncode == 0, done.stderr


# Paths


@pytest.fixture
def windows_paths(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Have paths read as on Windows, for functions that only compute with them."""
    monkeypatch.setattr(os, "path", ntpath)
    monkeypatch.setattr(os, "sep", "\\")
    return monkeypatch


@pytest.mark.usefixtures("windows_paths")
def test_a_path_on_another_drive_stays_absolute() -> None:
    assert relative("D:\\data\\train.py", "C:\\work") == "D:\\data\\train.py"
    assert relative("C:\\work\\src\\train.py", "C:\\work") == "src\\train.py"


@pytest.mark.usefixtures("windows_paths")
def test_what_is_inside_does_not_depend_on_upper_case_or_the_drive() -> None:
    assert is_inside("C:\\Work\\src\\train.py", "c:\\work")
    assert not is_inside("C:\\workshop\\train.py", "C:\\work")
    assert not is_inside("D:\\work\\train.py", "C:\\work")


@pytest.mark.usefixtures("windows_paths")
def test_the_project_of_a_file_is_found_from_its_place() -> None:
    file = File("C:\\work\\src\\train.py", Text(""), place="src/train.py")
    assert file.root == "C:\\work"


@pytest.mark.usefixtures("windows_paths")
@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("C:\\work\\.github\\workflows\\ci.yml", "workflow"),
        ("requirements\\base.txt", "requirements"),
        ("docker\\Dockerfile.rocm", "dockerfile"),
    ],
)
def test_the_format_of_a_file_is_known_by_a_path_of_windows(path: str, name: str) -> None:
    found = format_of(path)
    assert found is not None
    assert found.name == name


def test_a_configuration_may_lie_on_another_drive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for drive in "cd":
        (tmp_path / drive).mkdir()
    (tmp_path / "c" / "rocmlint.toml").write_text('exclude = ["old_*.py"]\n')
    for name in ("train.py", "old_train.py"):
        (tmp_path / "d" / name).write_text(BAD)
    real = os.path.relpath

    def relpath(path: str, start: str = os.curdir) -> str:
        absolute = (Path(os.path.abspath(each)) for each in (path, start))
        drives = {each.relative_to(tmp_path).parts[:1] for each in absolute}
        if len(drives) > 1:
            message = "path is on mount 'D:', start on mount 'C:'"
            raise ValueError(message)
        return real(path, start)

    monkeypatch.chdir(tmp_path / "c")
    monkeypatch.setattr(os.path, "relpath", relpath)
    configuration = Configuration(config=[str(tmp_path / "c" / "rocmlint.toml")])
    outcome = run([str(tmp_path / "d")], configuration.settings_for, Options(jobs=1))
    assert [(each.path, each.code) for each in outcome.findings] == [
        (str(tmp_path / "d" / "train.py"), "ROC602")
    ]
    assert outcome.problems == []


# Text


def test_a_configuration_may_begin_with_the_mark_of_windows_editors(tmp_path: Path) -> None:
    (tmp_path / "rocmlint.toml").write_bytes(
        b'\xef\xbb\xbfselect = ["ROC1"]\r\nignore = ["ROC102"]\r\n'
    )
    settings = Configuration().settings_for(str(tmp_path))
    assert (settings.select, settings.ignore) == (("ROC1",), ("ROC102",))


@pytest.mark.parametrize(
    ("platform", "variable", "printed"),
    [
        ("win32", None, "é → ✓".encode()),
        ("win32", "cp1252", "é \\u2192 \\u2713".encode("cp1252")),
        ("linux", None, "é \\u2192 \\u2713".encode("cp1252")),
    ],
)
def test_what_windows_sends_to_a_file_is_utf_8(
    platform: str, variable: str | None, printed: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    if variable:
        monkeypatch.setenv("PYTHONIOENCODING", variable)
    cli._prepare_streams()
    stream.write("é → ✓")
    stream.flush()
    assert stream.buffer.getvalue() == printed


def test_a_closed_pipe_is_known_by_the_error_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = OSError(errno.EINVAL, "Invalid argument")
    assert not cli._is_broken_pipe(closed)
    monkeypatch.setattr(sys, "platform", "win32")
    assert cli._is_broken_pipe(closed)
    assert not cli._is_broken_pipe(OSError(errno.EINVAL, "Invalid argument", "a?b.py"))


# Processes


def test_a_pool_without_fork_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    settings_for = Configuration(isolated=True).settings_for
    alone = run([EXAMPLE], settings_for, Options(jobs=1))
    monkeypatch.setattr(workers, "START_METHOD", "spawn")
    monkeypatch.setattr(workers, "POOL_FROM", 1)
    pooled = run([EXAMPLE], settings_for, Options(jobs=2))
    assert alone.findings
    assert pooled.findings == alone.findings


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_a_job_is_watched_on_linux_only_and_elsewhere_that_is_said(
    platform: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(CommandError, match="verify run requires Linux"):
        execute(["train"], {}, "MARK", None)


def test_without_process_groups_the_whole_tree_is_ended_by_taskkill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "taskkill"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\nkill -9 "$4"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delattr(os, "killpg")
    began = time.monotonic()
    started = child.start_group([sys.executable, "-c", "import time; time.sleep(60)"], os.environ)
    child.end_group(started)
    assert (tmp_path / "asked").read_text() == f"/T /F /PID {started.pid}\n"
    assert time.monotonic() - began < 30
