"""``rocmlint verify run``: what a real job proves of its modules, and what is kept of it."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import zipfile

import pytest

from rocmlint.verify.job.same_across_ranks import span
from tests.support.project import COMMAND, Project
from tests.support.verify_jobs import MODULE, PATCHED, STOCK, Job

pytestmark = pytest.mark.slow


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


@pytest.mark.parametrize(
    ("numbers", "text"), [((), ""), ((3,), "3"), ((2, 0, 1), "0-2"), ((0, 2, 3, 5), "0, 2-3, 5")]
)
def test_numbers_are_told_as_people_write_them(numbers: tuple[int, ...], text: str) -> None:
    assert span(numbers) == text


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


def test_no_secret_of_a_command_line_or_a_url_is_kept(job: Job) -> None:
    job.script("import patched, sys; assert sys.argv[1:3] == ['--token=S3CRET-1', '--hf-token']")
    words = ["--token=S3CRET-1", "--hf-token", "S3CRET-2", "HF_TOKEN=S3CRET-3", "--steps=3"]
    words += ["https://me:S3CRET-4@host/?api_key=S3CRET-5", "{'password': 'S3CRET-6'}"]
    seen = job.watch(sys.executable, "job.py", *words, HF_ENDPOINT="https://me:S3CRET-7@host")
    assert seen.ran.returncode == 0
    (witness,) = seen.witnesses
    assert witness["command"][2:] == [
        *("--token=***", "--hf-token", "***", "HF_TOKEN=***", "--steps=3"),
        *("https://***@host/?api_key=***", "{'password': '***'}"),
    ]
    assert witness["environment"]["HF_ENDPOINT"] == "https://***@host"
    files = [each for each in job.root.rglob("*") if each.is_file() and each.name != "job.py"]
    assert [each for each in files if b"S3CRET" in each.read_bytes()] == []
    assert "S3CRET" not in seen.ran.stdout + seen.ran.stderr
