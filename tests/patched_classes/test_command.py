"""``rocmlint export check``: what is read, what is printed, how it ends."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from rocmlint.cli.export import VERBS
from rocmlint.models.patches.kinds import KINDS
from tests.support.patches import patch_of

if TYPE_CHECKING:
    from tests.support.project import Project

ROOT = Path(__file__).parents[2]
GOOD = patch_of("def f(self, x, y=None): return x, y")
BAD = patch_of("def f(self, x): return x")
LIBRARY = "class A:\n    def f(self, x, y=None): ...\n"


@pytest.fixture
def prepared(project: Project) -> Project:
    """Return a repository with an environment that has the library, in version 2.0."""
    (project.root / ".git").mkdir()
    install(project, "site", "2.0", LIBRARY)
    return project


def install(project: Project, folder: str, version: str, code: str) -> None:
    project.write(f"{folder}/lib-{version}.dist-info/METADATA", f"Name: lib\nVersion: {version}\n")
    project.write(f"{folder}/lib/__init__.py", code)


def document(project: Project, *arguments: str) -> dict[str, Any]:
    given = ("export", "check", *arguments, "--output-format", "json")
    found: dict[str, Any] = json.loads(project.run(*given).stdout)
    schema = json.loads((ROOT / "docs/schema/export.json").read_text())
    jsonschema.validate(found, schema)
    return found


def test_the_verbs_are_listed(project: Project) -> None:
    assert all(verb in project.run("export", "--help").stdout for verb in VERBS)


def test_the_help_and_the_page_list_all_kinds(project: Project) -> None:
    told = project.run("export", "check", "--help").stdout
    page = (ROOT / "docs/export/check.md").read_text()
    rows = [
        f"| `{name}` | {each.gravity} | {each.rule} | {each.meaning} |"
        for name, each in KINDS.items()
    ]
    assert [name for name in KINDS if name not in told] == []
    assert [row for row in rows if row not in page] == []


def test_a_patch_that_fits_is_silent(prepared: Project) -> None:
    prepared.write("patches.py", GOOD)
    ran = prepared.run("export", "check", "--python", "site")
    assert ran.returncode == 0
    assert ran.stdout.splitlines()[0] == "lib 2.0 in site (--python)"
    assert ran.stdout.splitlines()[-1] == "1 replacement in 1 file: 0 errors, 0 warnings."


def test_a_problem_is_told_with_its_place_and_that_of_the_original(prepared: Project) -> None:
    prepared.write("patches.py", BAD)
    found = document(prepared, "patches.py", "--python", "site")
    (problem,) = found["problems"]
    assert found["exit_code"] == 1
    assert (problem["kind"], problem["code"]) == ("parameter-missing", "ROC853")
    assert (problem["path"], problem["line"], problem["column"]) == ("patches.py", 5, 5)
    assert (problem["target"], problem["about"]) == ("lib.A", "y")
    assert problem["original"]["line"] == 2


def test_notes_are_counted_and_change_no_exit_code(prepared: Project) -> None:
    prepared.write("patches.py", patch_of("def f(self, x, y=None, z=None): return z"))
    ran = prepared.run("export", "check", "--python", "site")
    assert ran.returncode == 0
    assert ran.stdout.endswith("0 errors, 0 warnings, 1 note (--notes lists them).\n")
    assert "[parameter-extra]" in prepared.run("export", "check", "--python=site", "--notes").stdout


@pytest.mark.parametrize(
    ("installed", "named"), [("wheel", "wheel"), ("clone/src", "clone"), ("wheel", "wheel/lib")]
)
def test_a_directory_is_read_instead_of_what_is_installed(
    prepared: Project, installed: str, named: str
) -> None:
    prepared.write("patches.py", GOOD)
    install(prepared, installed, "3.0", "class A:\n    def f(self, x, z=None): ...\n")
    found = document(prepared, "patches.py", "--python", "site", "--against", named)
    (library,) = found["libraries"]
    assert library["version"] == "3.0"
    kinds = {each["kind"] for each in found["problems"]}
    assert kinds == {"parameter-missing", "parameter-extra"}


def test_a_wheel_is_read(prepared: Project) -> None:
    prepared.write("patches.py", GOOD)
    with zipfile.ZipFile(prepared.root / "lib-4.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("lib/__init__.py", "class B: ...\n")
        wheel.writestr("lib-4.0.dist-info/METADATA", "Name: lib\nVersion: 4.0\n")
    found = document(prepared, "patches.py", "--against", "lib-4.0-py3-none-any.whl")
    assert [each["version"] for each in found["libraries"]] == ["4.0"]
    assert [each["kind"] for each in found["problems"]] == ["class-missing"]


@pytest.mark.parametrize("asked", ["2.0", "lib==2.0", "lib == 2.0.0"])
def test_the_installed_version_is_read_where_it_is_the_one_asked_for(
    asked: str, prepared: Project
) -> None:
    prepared.write("patches.py", GOOD)
    found = document(prepared, "patches.py", "--python", "site", "--against", asked)
    assert (found["exit_code"], found["libraries"][0]["version"]) == (0, "2.0")


def test_a_version_that_was_downloaded_before_is_not_downloaded_again(prepared: Project) -> None:
    prepared.write("patches.py", GOOD)
    install(prepared, "cache/rocmlint/wheels/lib-5.0", "5.0", LIBRARY)
    cache = str(prepared.root / "cache")
    given = ("export", "check", "patches.py", "--python", "site", "--against", "5.0")
    ran = prepared.run(*given, XDG_CACHE_HOME=cache)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith(f"lib 5.0 in {cache}/rocmlint/wheels/lib-5.0 (--against 5.0")


def test_another_pin_than_what_was_read_is_told(prepared: Project) -> None:
    prepared.write("patches.py", GOOD)
    prepared.write("requirements.txt", "lib==1.5\n")
    (note,) = document(prepared, "patches.py", "--python", "site")["notes"]
    assert "--against lib==1.5" in note


def test_two_patches_of_one_method_are_told_across_files(prepared: Project) -> None:
    prepared.write("one.py", GOOD)
    prepared.write("two.py", GOOD)
    found = document(prepared, "--python", "site")["problems"]
    assert [(each["path"], each["kind"]) for each in found] == [("two.py", "patched-twice")]


def test_rules_report_what_the_command_reports(prepared: Project) -> None:
    prepared.write("patches.py", BAD + GOOD.replace("patched_A", "patched_B"))
    lint = ("--profile", "export", "--environment", "site", "--no-cache", "--output-format", "json")
    linted = json.loads(prepared.run("patches.py", *lint).stdout)["findings"]
    found = document(prepared, "patches.py", "--python", "site")["problems"]
    assert [(each["code"], each["line"], each["message"]) for each in linted] == [
        (each["code"], each["line"], each["message"]) for each in found
    ]
    assert [each["kind"] for each in found] == ["parameter-missing", "patched-twice"]


def test_without_a_source_of_the_library_rules_are_silent(prepared: Project) -> None:
    prepared.write("patches.py", BAD)
    assert prepared.findings("patches.py", "--profile", "export", "--no-cache") == []


def test_what_is_found_is_found_again_when_the_library_changes(prepared: Project) -> None:
    prepared.write("patches.py", GOOD)
    lint = ("patches.py", "--profile", "export", "--environment", "site")
    assert prepared.findings(*lint) == []
    install(prepared, "site", "2.0", "class A:\n    def f(self, x, y=None, z=None): ...\n")
    assert prepared.findings(*lint) == [("patches.py", "ROC853")]


def test_what_was_locked_is_silent_until_it_changes(prepared: Project) -> None:
    prepared.write("patches.py", GOOD)
    check = ("export", "check", "--python", "site")
    assert "Wrote " in prepared.run(*check, "--lock").stdout
    lock = json.loads(prepared.read("rocmlint-export.lock"))
    jsonschema.validate(lock, json.loads((ROOT / "docs/schema/export-lock.json").read_text()))
    assert prepared.code(*check) == 0
    install(prepared, "site", "2.0", "class A:\n    def f(self, x, y=None): return x\n")
    assert "[body-changed]" in prepared.run(*check).stdout
    assert prepared.code(*check, "--lock") == 0
    assert prepared.code(*check) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gone.py",), "gone.py: no such file or directory"),
        (("broken.py",), "broken.py: not checked: line 1: "),
        (("patches.py", "--against", "empty"), "no package here that the patches replace (lib)"),
        (("patches.py", "--against", "newest"), "--against newest: neither a version"),
        (("patches.py", "--against", "bad.whl"), "--against bad.whl: cannot be read as a wheel"),
        (("patches.py", "--python", "empty"), "--python: empty is not an interpreter"),
        (("native.py",), "no Python source was found of lib.fast.A.f"),
        (("patches.py", "--locked"), "unknown argument --locked"),
    ],
)
def test_what_cannot_be_checked_is_one_line_and_exit_code_2(
    arguments: tuple[str, ...], said: str, prepared: Project
) -> None:
    prepared.write("patches.py", GOOD)
    prepared.write("broken.py", "_PATCHED_CLASS_ = [\n")
    prepared.write("native.py", GOOD.replace("lib", "lib.fast"))
    prepared.write("site/lib/fast.cpython-312-x86_64-linux-gnu.so", "")
    prepared.write("bad.whl", "")
    (prepared.root / "empty").mkdir()
    given = ("--python", "site") if "--python" not in arguments else ()
    ran = prepared.run("export", "check", *arguments, *given)
    assert ran.returncode == 2
    assert said in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("method", ["DEFLATED", "BZIP2", "LZMA"])
def test_a_damaged_wheel_is_one_line_wherever_the_damage_is(prepared: Project, method: str) -> None:
    prepared.write("patches.py", GOOD)
    whole = wheel(getattr(zipfile, f"ZIP_{method}"))
    ended = set()
    for position in range(0, len(whole), len(whole) // 40):
        damaged = whole[:position] + bytes([whole[position] ^ 0x55]) + whole[position + 1 :]
        (prepared.root / "lib.whl").write_bytes(damaged)
        ran = prepared.run("export", "check", "patches.py", "--against", "lib.whl")
        ended.add((ran.returncode, ran.stderr.partition(": ")[2].partition(": ")[2][:22]))
        assert ran.stderr.count("\n") <= 1, ran.stderr
    assert ended <= {(0, ""), (1, ""), (2, "cannot be read as a wh")}
    assert (2, "cannot be read as a wh") in ended


def test_an_encrypted_wheel_is_one_line(prepared: Project) -> None:
    prepared.write("patches.py", GOOD)
    data = bytearray(wheel(zipfile.ZIP_STORED))
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(signature) + flags] |= 1
    (prepared.root / "lib.whl").write_bytes(data)
    ran = prepared.run("export", "check", "patches.py", "--against", "lib.whl")
    assert ran.returncode == 2
    assert "cannot be read as a wheel: " in ran.stderr
    assert "encrypted" in ran.stderr
    assert ran.stderr.count("\n") == 1


def wheel(method: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("lib/__init__.py", LIBRARY + "".join(f"x{n} = {n}\n" for n in range(99)))
        archive.writestr("lib-4.0.dist-info/METADATA", "Name: lib\nVersion: 4.0\n")
    return packed.getvalue()


def test_files_without_patches_are_not_checked(prepared: Project) -> None:
    prepared.write("job.py", "print(1)\n")
    ran = prepared.run("export", "check")
    assert (ran.returncode, ran.stdout) == (0, "There are no patches to check.\n")


def test_code_that_is_nested_too_deeply_is_an_error(prepared: Project) -> None:
    deep = " + ".join(["1"] * 3000)
    install(prepared, "site", "2.0", f"class A:\n    def f(self, x, y={deep}): ...\n")
    prepared.write("patches.py", GOOD)
    ran = prepared.run("export", "check", "--python", "site")
    assert (ran.returncode, "Traceback" in ran.stderr) == (2, False)
