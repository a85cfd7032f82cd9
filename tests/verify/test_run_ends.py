"""``rocmlint verify run``: signals, time limits and what is left running when a job ends."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.project import COMMAND
from tests.support.verify_jobs import MODULE, Job

pytestmark = pytest.mark.slow


def _gone(pid: int) -> bool:
    """Wait for a process to be gone, but not for ever."""
    for _ in range(200):
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return True
        if stat.rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


TREE = """
    import signal, subprocess, sys, time
    import patched
    signal.signal(signal.SIGTERM, {handler})
    signal.signal(signal.SIGINT, {handler})
    code = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.setsid();"
    code += "print(os.getpid(), flush=True); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", code])
    time.sleep(600)
    """


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_goes_to_the_command_and_leaves_no_process(
    job: Job, number: signal.Signals
) -> None:
    job.script(TREE.format(handler="lambda *_: sys.exit(5)"))
    flags = ("verify", "run", "--manifest", "patched.toml")
    child = subprocess.Popen(
        [*COMMAND, *flags, "--", sys.executable, "job.py"],
        cwd=job.root,
        env={**os.environ, "PYTHONPATH": str(job.root / "site")},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert child.stdout is not None
    grandchild = int(child.stdout.readline())
    child.send_signal(number)
    told, _ = child.communicate(timeout=60)
    assert f"interrupted by {number.name} (exit code 5)" in told
    assert child.returncode == 1
    assert _gone(grandchild)


def test_ctrl_c_on_a_terminal_reaches_the_command_once(job: Job) -> None:
    job.script("""
        import signal, time
        caught = []
        signal.signal(signal.SIGINT, lambda *_: caught.append(1))
        print("ready", flush=True)
        while not caught:
            time.sleep(0.05)
        time.sleep(0.5)
        print("caught", len(caught), flush=True)
        raise SystemExit(3)
        """)
    child, terminal = pty.fork()
    if not child:
        os.chdir(job.root)
        command = [*COMMAND, "verify", "run", "--", sys.executable, "job.py"]
        os.execv(command[0], command)  # noqa: S606 - in the child, on the terminal
    printed = b""
    with suppress(OSError):  # how a terminal ends
        while part := os.read(terminal, 4096):
            if b"ready" in part:
                os.write(terminal, b"\x03")
            printed += part
    _, status = os.waitpid(child, 0)
    assert b"caught 1" in printed
    assert b"interrupted by SIGINT (exit code 3)" in printed
    assert os.waitstatus_to_exitcode(status) == 1


def test_a_time_limit_ends_the_command_and_its_processes(job: Job) -> None:
    job.script(TREE.format(handler="signal.SIG_DFL"))
    watched = job.watch(flags=("--manifest", "patched.toml", "--timeout", "3"))
    assert "did not finish within the time limit" in watched.one("exit code 0")["reason"]
    assert _gone(int(watched.ran.stdout))


def test_a_rank_that_hangs_is_asked_before_it_is_ended(job: Job) -> None:
    job.script("import patched, time; patched.f = print; time.sleep(600)")
    flags = ("--manifest", "patched.toml", "--timeout", "2")
    result = job.watch(flags=flags, RANK="0", WORLD_SIZE="1").one(MODULE)
    assert result["verdict"] == "contradicted"
    assert result["seen"].endswith("(while it ran)")


def test_of_a_process_whose_end_nobody_saw_nothing_is_proven(job: Job) -> None:
    job.script("import patched, signal; signal.raise_signal(signal.SIGKILL)")
    result = job.watch().one(MODULE)
    assert result["verdict"] == "unproven"
    assert result["seen"] == "1 function matches (after the import); its end was not seen"


def test_a_process_that_is_left_running_on_purpose_is_left_alone(job: Job) -> None:
    job.script("""
        import patched, subprocess, sys
        nowhere = subprocess.DEVNULL
        print(subprocess.Popen(["sleep", "60"], stdout=nowhere, stderr=nowhere).pid)
        """)
    watched = job.watch()
    pid = int(watched.ran.stdout)
    try:
        assert Path(f"/proc/{pid}").exists()
        evidence = watched.one("watched Python processes")["evidence"]
        assert f"pid {pid}" in [each["name"] for each in evidence]
    finally:
        os.kill(pid, signal.SIGKILL)
