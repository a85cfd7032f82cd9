"""``rocmlint verify run``: a witness in each Python process of a real job, and what it proves."""

from __future__ import annotations

import hashlib
import os
import pty
import shutil
import signal
import stat
import subprocess
import sys
import time
import zipfile
from contextlib import suppress
from glob import glob
from pathlib import Path

import pytest

from rocmlint.verify.job.processes import isolation
from rocmlint.verify.job.testimony import span
from tests.support.project import COMMAND, Project
from tests.support.verify_jobs import MODULE, PATCHED, STOCK, Job, Watched

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("run")]


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


@pytest.fixture(scope="session")
def every_start(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """Run a job with every way to start a Python process."""
    job = Job(tmp_path_factory.mktemp("job"))
    job.script("""
        import multiprocessing, os, subprocess, sys

        def work(_):
            import patched
            return os.getpid()

        if __name__ == "__main__":
            for how in ("fork", "spawn", "forkserver"):
                pool = multiprocessing.get_context(how).Pool(1)
                pool.map(work, [0])
                pool.close()
                pool.join()
            python = [sys.executable, "-c"]
            subprocess.run([*python, "import patched"])
            subprocess.run([*python, "import patched, os; os._exit(0)"])
            subprocess.run([*python, "import patched, os; os.kill(os.getpid(), 9)"])
            import patched
            child = os.fork()
            if not child:
                os._exit(0)
            os.wait()
        """)
    return job.watch()


@pytest.mark.parametrize(("how", "count"), [("program", 4), ("spawn", 1), ("forkserver", 1)])
def test_each_started_process_has_a_witness_of_the_module(
    every_start: Watched, how: str, count: int
) -> None:
    found = every_start.started(how)
    assert len(found) == count
    assert all("patched" in each["modules"] for each in found)


def test_forks_have_a_witness_of_their_own(every_start: Watched) -> None:
    found = every_start.started("fork")
    pids = {each["pid"] for each in every_start.witnesses}
    assert len(found) == 2
    assert all("patched" in each["modules"] and each["parent"] in pids for each in found)


def test_helpers_of_multiprocessing_are_seen_too(every_start: Watched) -> None:
    assert every_start.started("forkserver server")
    assert every_start.started("resource tracker")


def test_children_that_leave_by_os_exit_are_seen_again_at_their_end(every_start: Watched) -> None:
    found = [*every_start.started("spawn"), *every_start.started("forkserver")]
    moments = [each["moment"] for each in found]
    assert moments == ["exit", "exit"]


def test_a_killed_process_has_the_witness_of_its_import(every_start: Watched) -> None:
    (killed,) = [each for each in every_start.witnesses if "9)" in str(each["command"])]
    assert killed["moment"] == "import"
    result = next(each for each in every_start.named(str(killed["pid"])))
    assert result["verdict"] == "proven"
    assert result["seen"].endswith("(after the import)")


def test_all_processes_of_a_right_job_are_proven(every_start: Watched) -> None:
    assert every_start.ran.returncode == 0
    assert every_start.verdicts(MODULE) == ["proven"] * 8


def test_a_replacement_is_seen_although_it_came_after_the_import(job: Job) -> None:
    job.script("""
        import patched
        def g():
            return 3
        patched.f = g
        """)
    result = job.watch().one(MODULE)
    assert result["verdict"] == "contradicted"
    assert "right after its import" in result["reason"]
    assert f"{job.root}/job.py:3" in result["reason"]


def test_a_replacement_in_a_child_of_multiprocessing_is_seen(job: Job) -> None:
    job.script("""
        import multiprocessing, patched

        def work():
            patched.f = work

        if __name__ == "__main__":
            child = multiprocessing.get_context("fork").Process(target=work)
            child.start()
            child.join()
        """)
    watched = job.watch()
    (child,) = watched.started("fork")
    assert [each["verdict"] for each in watched.named(str(child["pid"]))] == ["contradicted"]


def test_a_copy_that_shadows_the_patch_is_named(job: Job) -> None:
    job.script("import sys; sys.path.insert(0, 'stock'); import patched")
    result = job.watch().one(MODULE)
    assert (result["verdict"], result["strength"]) == ("contradicted", "hashed")
    assert "stock/patched.py" in result["reason"]


def test_without_a_manifest_a_module_must_be_its_source(job: Job) -> None:
    job.script("import sys; sys.path.insert(0, 'stock'); import patched")
    assert job.watch(flags=("--module", "patched")).verdicts(MODULE) == ["proven"]


def test_a_module_that_was_never_imported_contradicts_the_claim(job: Job) -> None:
    job.script("pass")
    watched = job.watch()
    assert watched.ran.returncode == 1
    assert watched.one("patched is loaded")["verdict"] == "contradicted"


def test_nothing_to_compare_with_is_not_proven(job: Job) -> None:
    job.script("pass")
    watched = job.watch(flags=("--color", "never"))
    assert watched.ran.returncode == 3
    assert "nothing was compared" in watched.one("watched Python processes")["reason"]


def test_a_command_without_python_proves_nothing(job: Job) -> None:
    watched = job.watch("true")
    assert watched.verdicts("patched is loaded") == ["unproven"]
    assert watched.verdicts("exit code 0") == ["proven"]


def test_a_failing_command_is_never_exit_0(job: Job) -> None:
    job.script("import patched, sys; sys.exit(7)")
    watched = job.watch()
    assert watched.ran.returncode == 1
    assert watched.one("exit code 0")["seen"] == "exit code 7"


def test_a_command_ended_by_a_signal_is_told(job: Job) -> None:
    job.script("import os, patched; os.kill(os.getpid(), 9)")
    assert job.watch().one("exit code 0")["seen"] == "ended by SIGKILL"


UNSEEN = {
    "-I": "[sys.executable, '-I', *wait]",
    "-E": "[sys.executable, '-E', *wait]",
    "-S": "[sys.executable, '-S', *wait]",
    "combined": "[sys.executable, '-Bsu', '-X', 'dev', '-bE', *wait]",
}


@pytest.fixture(scope="session")
def unseen(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """Run a job with the processes that no witness gets into."""
    job = Job(tmp_path_factory.mktemp("job"))
    commands = ", ".join(UNSEEN.values())
    job.script(f"""
        import os, subprocess, sys
        wait = ["-c", "import time; time.sleep(0.5)"]
        children = [subprocess.Popen(each) for each in ({commands})]
        children.append(subprocess.Popen([sys.executable, *wait, "cleared"], env={{}}))
        changed = {{**os.environ, "PYTHONPATH": "elsewhere"}}
        children.append(subprocess.Popen([sys.executable, *wait, "changed"], env=changed))
        no_user_site = {{**os.environ, "PYTHONNOUSERSITE": "1"}}
        children.append(subprocess.Popen([sys.executable, "-s", *wait], env=no_user_site))
        children.append(subprocess.Popen(["sleep", "0.5"]))
        for child in children:
            child.wait()
        """)
    return job.watch()


@pytest.mark.parametrize(
    ("mark", "reason"),
    [
        (" -I ", "-I makes Python ignore"),
        (" -E ", "-E makes Python ignore"),
        (" -S ", "-S makes Python ignore"),
        (" -bE ", "-E makes Python ignore"),
        ("cleared", "its own environment"),
        ("changed", "PYTHONPATH was changed"),
    ],
)
def test_a_process_that_no_witness_gets_into_is_named(
    unseen: Watched, mark: str, reason: str
) -> None:
    (result,) = [
        each
        for each in unseen.results
        if any(it["name"] == "command" and mark in it["value"] for it in each["evidence"])
    ]
    assert result["verdict"] == "unproven"
    assert reason in result["reason"]


def test_no_other_process_is_said_to_be_unseen(unseen: Watched) -> None:
    assert len(unseen.verdicts("is watched")) == 6


def test_what_an_unseen_process_loaded_is_open(unseen: Watched) -> None:
    assert unseen.verdicts("patched is loaded") == ["unproven"]


@pytest.mark.parametrize(
    ("command", "flag"),
    [
        ("python -I x.py", "-I"),
        ("python -uS x.py", "-S"),
        ("python -W error -E x.py", "-E"),
        ("python -Xdev -I", "-I"),
        ("python --check-hash-based-pycs always -I x.py", "-I"),
        ("python x.py -I", None),
        ("python -m job -I", None),
        ("python -c pass -I", None),
        ("python -WI x.py", None),
        ("python -s x.py", None),
        ("python - -I", None),
        ("python", None),
    ],
)
def test_flags_that_keep_a_witness_out(command: str, flag: str | None) -> None:
    assert isolation(command.split()) == flag


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
    ran = subprocess.run(["bash", "-c", command], cwd=job.root, capture_output=True, check=False)
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


def test_a_job_in_a_job_has_two_verdicts(job: Job) -> None:
    job.script("import patched; print(patched.f())")
    inner = ("verify", "run", "--module", "patched", "--output", "inner.txt")
    watched = job.watch(*COMMAND, *inner, "--", sys.executable, "job.py")
    assert watched.ran.stdout == "2\n"
    assert "1 proven" not in job.read("inner.txt")
    assert "0 contradicted, 0 unproven" in job.read("inner.txt")


def test_modules_of_a_zip_are_seen_at_their_import(job: Job) -> None:
    with zipfile.ZipFile(job.root / "lib.zip", "w") as archive:
        archive.writestr("zipped.py", PATCHED)
        archive.writestr("other.py", STOCK)
    job.script("import sys; sys.path.insert(0, 'lib.zip'); import other, zipped, os; os._exit(0)")
    watched = job.watch(flags=("--module", "zipped", "--module", "other"))
    assert watched.verdicts("runs the code of its source") == ["proven", "proven"]


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


def test_a_file_that_is_no_module_is_compared_too(job: Job) -> None:
    job.write("site/package/__init__.py", "")
    job.write("site/package/tuned.csv", "right")
    right = hashlib.sha256(b"right").hexdigest()
    empty = hashlib.sha256(b"").hexdigest()
    files = "".join(
        f'[[file]]\npath = "package/{name}"\nsha256 = "{sha256}"\n'
        for name, sha256 in (("__init__.py", empty), ("tuned.csv", right), ("gone.csv", right))
    )
    job.write("m.toml", f'version = 1\n[package]\nname = "package"\n{files}')
    job.script("import package")
    watched = job.watch(flags=("--manifest", "m.toml"))
    assert watched.one("package/tuned.csv")["verdict"] == "proven"
    assert watched.one("package/gone.csv")["verdict"] == "unproven"


def test_another_version_under_the_patch_is_told(job: Job) -> None:
    job.write("site/patched-2.0.dist-info/METADATA", "Name: patched\nVersion: 2.0\n")
    job.script("import patched")
    assert job.watch().one("patched is ==1.0")["seen"] == "2.0"


def test_many_forks_of_which_the_same_is_proven_are_one_line(job: Job) -> None:
    job.script("""
        import os, patched
        for _ in range(20):
            if not os.fork():
                os._exit(0)
            os.wait()
        """)
    watched = job.watch()
    assert len(watched.started("fork")) == 20
    assert [each["subject"] for each in watched.named("fork")] == ["(20 processes, fork)"]


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
    command = (_python("3.12"), "-W", "always", "job.py")
    watched = job.watch(*command, flags=flags, RANK="0", WORLD_SIZE="1")
    assert (watched.ran.stdout, watched.ran.stderr) == ("forked\n", "")
    assert "running" in [each["moment"] for each in watched.started("program")]


def test_of_a_killed_process_nothing_is_said_but_of_its_import(job: Job) -> None:
    job.script("import patched, os; patched.f = print; os.kill(os.getpid(), 9)")
    result = job.watch().one(MODULE)
    assert result["claim"].startswith("patched, once imported, runs the code")


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--", "no-such-command"), "no-such-command: cannot be started"),
        ((), "the command is missing"),
        (("--manifest", "missing.toml", "--", "true"), "missing.toml: cannot be read"),
        (("--module", "no/module", "--", "true"), "must be the name of a module"),
        (("--keep", "a:b", "--", "true"), "PYTHONPATH cannot hold"),
        (("--keep", "patched.toml/x", "--", "true"), "cannot be written"),
    ],
)
def test_wrong_usage_is_one_line(job: Job, arguments: tuple[str, ...], message: str) -> None:
    ran = job.run("verify", "run", *arguments)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def _python(version: str) -> str:
    """Find another interpreter, or skip."""
    found = glob(os.path.expanduser(f"~/.pyenv/versions/{version}.*/bin/python"))
    for each in [*found, shutil.which(f"python{version}")]:
        if each and not subprocess.run([each, "-V"], capture_output=True, check=False).returncode:
            return each
    pytest.skip(f"there is no Python {version} here")


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13"])
def test_other_interpreters_have_witnesses_too(job: Job, version: str) -> None:
    job.script("""
        import multiprocessing

        def work():
            import patched

        if __name__ == "__main__":
            child = multiprocessing.get_context("forkserver").Process(target=work)
            child.start()
            child.join()
        """)
    watched = job.watch(_python(version), "job.py")
    (result,) = watched.named("forkserver")
    assert result["verdict"] == "proven"
    assert result["seen"].endswith("(at its end)")


def test_an_interpreter_that_is_too_old_is_told(job: Job) -> None:
    watched = job.watch(_python("3.8"), "-c", "print('runs')")
    assert watched.ran.stdout == "runs\n"
    assert "needs Python 3.9" in watched.one("is watched")["seen"]


@pytest.mark.parametrize(
    ("numbers", "text"), [((), ""), ((3,), "3"), ((2, 0, 1), "0-2"), ((0, 2, 3, 5), "0, 2-3, 5")]
)
def test_numbers_are_told_as_people_write_them(numbers: tuple[int, ...], text: str) -> None:
    assert span(numbers) == text


@pytest.fixture(scope="session")
def torch_job(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    """Run two ranks, in each a DataLoader with a spawned worker and a forkserver pool."""
    pytest.importorskip("torch")
    job = Job(tmp_path_factory.mktemp("job"))
    job.script("""
        import multiprocessing

        class Numbers:
            def __len__(self):
                return 2

            def __getitem__(self, index):
                import patched
                return patched.f()

        def work(_):
            import patched
            return patched.f()

        if __name__ == "__main__":
            import patched
            from torch.utils.data import DataLoader

            loader = DataLoader(Numbers(), num_workers=1, multiprocessing_context="spawn")
            assert [int(each) for each in loader] == [2, 2]
            with multiprocessing.get_context("forkserver").Pool(1) as pool:
                assert pool.map(work, [0]) == [2]
        """)
    launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    return job.watch(sys.executable, *launcher, "job.py")


@pytest.mark.parametrize("how", ["program", "spawn", "forkserver"])
def test_both_ranks_of_torchrun_and_their_children_have_a_witness(
    torch_job: Watched, how: str
) -> None:
    found = [each for each in torch_job.started(how) if "patched" in each["modules"]]
    told = sorted((each["rank"], each["local_rank"], each["world_size"]) for each in found)
    assert told == [(0, 0, 2), (1, 1, 2)]


def test_the_agent_of_torchrun_has_a_witness_without_a_rank(torch_job: Watched) -> None:
    agents = [each for each in torch_job.started("program") if each["rank"] is None]
    assert [each["modules"] for each in agents] == [{}]


def test_every_process_of_torchrun_is_proven(torch_job: Watched) -> None:
    assert torch_job.ran.returncode == 0, torch_job.results
    assert torch_job.verdicts(MODULE) == ["proven"] * 6


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_what_is_kept_is_for_this_user_alone(project: Project, umask: int) -> None:
    job = "import json, os\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\n"
    project.write("job.py", job)
    before = os.umask(umask)
    try:
        ended = project.run(
            *("verify", "run", "--module", "json", "--keep", "a/kept"),
            *("--", sys.executable, "job.py"),
        )
    finally:
        os.umask(before)
    assert "proven" in ended.stdout
    kept = project.root / "a"
    found = {path: stat.S_IMODE(path.stat().st_mode) for path in (kept, *kept.rglob("*"))}
    assert any(path.match("witness.*.json") for path in found)
    assert {mode for path, mode in found.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in found.items() if path.is_file()} == {0o600}


def test_a_folder_that_was_there_keeps_its_mode(project: Project) -> None:
    (project.root / "shared").mkdir()
    (project.root / "shared").chmod(0o1777)
    project.run("verify", "run", "--keep", "shared", "--", sys.executable, "-c", "pass")
    assert stat.S_IMODE((project.root / "shared").stat().st_mode) == 0o1777
