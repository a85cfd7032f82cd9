"""``rocmlint verify run``: the command runs as it does alone, and its programs notice nothing."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.tools import program
from tests.support.verify_jobs import MODULE, Job, python_of

pytestmark = pytest.mark.slow


def test_streams_are_those_of_the_command(job: Job) -> None:
    job.script("import sys, patched; print(input()); print('told', file=sys.stderr)")
    command = ["verify", "run", "--manifest", "patched.toml", "--", sys.executable, "job.py"]
    ran = job.run(*command, stdin="heard\n", PYTHONPATH=str(job.root / "site"))
    assert ran.stdout.startswith("heard\n")
    assert "proven" in ran.stdout
    assert ran.stderr == "told\n"


def test_inherited_descriptors_reach_the_command(job: Job) -> None:
    job.write("text", "through\n")
    command = f"{sys.executable} -m rocmlint verify run -- cat /dev/fd/7 7<text"
    bash = [program("bash"), "-c", command]
    ran = subprocess.run(bash, cwd=job.root, capture_output=True, check=False)
    assert ran.stdout.startswith(b"through\n")


STATE = """
import importlib.util, json, sys
import patched
spec = importlib.util.find_spec("patched")
print(json.dumps({
    "path": sys.path,
    "customized": getattr(sys, "customized", None),
    "sitecustomize": getattr(sys.modules.get("sitecustomize"), "__file__", None),
    "loader": [type(patched.__loader__).__name__, *sorted(vars(patched.__spec__.loader))],
    "found": type(spec.loader).__name__,
}))
"""


@pytest.mark.parametrize("customized", [False, True])
def test_the_program_finds_its_world_as_it_was(job: Job, customized: bool) -> None:
    job.script(STATE)
    if customized:
        job.write("site/sitecustomize.py", "import sys\nsys.customized = ['site']\n")
        job.write("site/usercustomize.py", "import sys\nsys.customized.append('user')\n")
    environment = {**os.environ, "PYTHONPATH": str(job.root / "site")}
    command = [sys.executable, "job.py"]
    alone = subprocess.run(
        command, cwd=job.root, env=environment, capture_output=True, text=True, check=True
    )
    assert job.watch().ran.stdout == alone.stdout
    assert ("customized.py" in alone.stdout or "customize.py" in alone.stdout) == customized


def test_a_broken_sitecustomize_of_the_user_is_told_as_before(job: Job) -> None:
    job.script("import patched")
    job.write("site/sitecustomize.py", "1 / 0\n")
    watched = job.watch()
    assert "Error in sitecustomize" in watched.ran.stderr
    assert watched.verdicts(MODULE) == ["proven"]


def test_an_import_that_fails_fails_as_before(job: Job) -> None:
    job.write("site/broken.py", "raise KeyError('as before')\n")
    job.script("""
        for _ in range(2):
            try:
                import broken
            except KeyError as error:
                print(error)
        """)
    watched = job.watch(flags=("--module", "broken"))
    assert watched.ran.stdout == "'as before'\n'as before'\n"
    assert watched.verdicts("broken is loaded") == ["contradicted"]


def test_other_finders_may_ask_all_finders_too(job: Job) -> None:
    job.script("""
        import sys

        class Asking:
            def find_spec(self, *arguments):
                others = [each for each in sys.meta_path if each is not self]
                found = [each.find_spec(*arguments) for each in others]
                return next((each for each in found if each is not None), None)

        sys.meta_path.insert(1, Asking())
        import patched
        print(patched.f())
        """)
    watched = job.watch()
    assert watched.ran.stdout == "2\n"
    assert watched.verdicts(MODULE) == ["proven"]


def test_the_program_does_not_notice_that_nothing_can_be_written(job: Job) -> None:
    job.script("""
        import os, shutil
        shutil.rmtree(os.environ["ROCMLINT_WITNESS"])
        import patched
        print(patched.f())
        """)
    watched = job.watch()
    assert watched.ran.stdout == "2\n"
    assert not watched.ran.stderr
    assert watched.ran.returncode == 3


def test_a_rank_that_forks_beside_no_threads_is_not_warned(job: Job) -> None:
    job.script("""
        import os, patched, time
        for _ in range(20):
            if not os.fork():
                os._exit(0)
            os.wait()
        print("forked")
        time.sleep(600)
        """)
    flags = ("--manifest", "patched.toml", "--timeout", "3")
    command = (python_of("3.12"), "-W", "always", "job.py")
    watched = job.watch(*command, flags=flags, RANK="0", WORLD_SIZE="1")
    assert (watched.ran.stdout, watched.ran.stderr) == ("forked\n", "")
    assert "running" in [each["moment"] for each in watched.started("program")]


def test_a_signal_that_a_rank_waits_for_reaches_it(job: Job) -> None:
    job.script("""
        import os, patched, signal
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        for _ in range(20):
            os.kill(os.getpid(), signal.SIGTERM)
            assert signal.sigwait({signal.SIGTERM}) == signal.SIGTERM
        """)
    watched = job.watch(RANK="0", WORLD_SIZE="1")
    assert watched.verdicts("exit code 0") == ["proven"]
    assert watched.verdicts(MODULE) == ["proven"]
