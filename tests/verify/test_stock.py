"""``verify stock``: how an installed package differs from its wheel."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from rocmlint.interpreter.ask import Interpreter
from rocmlint.verify.patches.stock import check
from tests.support.environments import Environment
from tests.support.patched import seen_in

pytestmark = pytest.mark.slow  # builds an environment for each test

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.verify.result import Result
    from tests.support.project import Project

FILES = {"tiny/__init__.py": "", "tiny/mod.py": "answer = 'old'\n", "tiny/data.json": "{}\n"}


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    made = Environment(tmp_path / "environment")
    made.install("tiny", "1.0", FILES)
    return made


def of(environment: Environment, package: str = "tiny", **variables: str) -> Result:
    asked = Interpreter(str(environment.python), 60, {"PYTHONPATH": "", **variables})
    (result,) = check([package], asked)
    return result


def test_a_package_that_takes_too_long_does_not_hide_the_others(environment: Environment) -> None:
    environment.install("held", "1.0", {"held/__init__.py": ""})
    with open(environment.site / "held/__init__.py", "wb") as file:
        file.truncate(1 << 40)  # a hole; reading it takes minutes
    results = check(["tiny", "held", "tiny"], Interpreter(str(environment.python), 5))
    assert [each.verdict for each in results] == ["proven", "unproven", "proven"]
    assert (results[1].subject, results[1].seen) == ("held", "not checked")
    assert "did not answer within 5 s" in results[1].reason


def test_an_untouched_package_is_proven(environment: Environment) -> None:
    result = of(environment)
    assert (result.verdict, result.strength) == ("proven", "hashed")
    assert (result.subject, result.seen) == ("tiny 1.0", "5 files equal")


def test_what_a_record_lists_outside_the_environment_is_not_read(environment: Environment) -> None:
    record = environment.site / "tiny-1.0.dist-info" / "RECORD"
    outside = ("/etc/hostname", "tiny/../../../x", "../../../../x", "../tiny/../../x")
    lines = [f"{each},sha256=x,1" for each in outside]
    record.write_text("\n".join([record.read_text().rstrip(), *lines, ""]))
    assert of(environment).seen == "5 files equal"


def test_hexadecimal_hashes_are_as_good_as_base64(environment: Environment) -> None:
    environment.install("tiny", "1.0", FILES, in_hex=True)
    assert of(environment).verdict == "proven"


def test_a_name_is_found_however_it_is_written(environment: Environment) -> None:
    environment.install("Flash_Attn.Extra", "1.0", {"flash.py": ""})
    assert of(environment, "flash-attn-extra").verdict == "proven"


@pytest.mark.parametrize("path", ["tiny/mod.py", "tiny/data.json", "tiny-1.0.dist-info/INSTALLER"])
def test_a_changed_file_is_named(environment: Environment, path: str) -> None:
    environment.write(path, "changed\n")
    result = of(environment)
    assert (result.verdict, seen_in(result, "changed")) == ("contradicted", [path])


def test_a_missing_file_is_named(environment: Environment) -> None:
    (environment.site / "tiny" / "data.json").unlink()
    result = of(environment)
    assert (result.verdict, seen_in(result, "missing")) == ("contradicted", ["tiny/data.json"])


@pytest.mark.parametrize("path", ["tiny/check.py", "tiny/models/x.py", "tiny/x.so", "tiny/x.pyc"])
def test_an_added_file_that_can_be_imported_is_named(environment: Environment, path: str) -> None:
    environment.write(path, "")
    result = of(environment)
    assert (result.verdict, seen_in(result, "added")) == ("contradicted", [path])
    assert result.action.startswith(f"rm {environment.site / path}; if the patch")


def test_what_is_added_is_removed_before_what_is_changed_is_installed(
    environment: Environment,
) -> None:
    environment.write("tiny/mod.py", "changed\n")
    environment.write("tiny/new one.py", "")
    added = environment.site / "tiny" / "new one.py"
    assert of(environment).action.startswith(f"rm '{added}'; {environment.python} -m pip install")


def test_bytecode_and_data_that_a_package_writes_are_no_difference(
    environment: Environment,
) -> None:
    assert environment.run("-c", "import tiny.mod").returncode == 0
    assert (environment.site / "tiny" / "__pycache__").is_dir()
    environment.write("tiny/cache.json", "{}")
    assert of(environment).verdict == "proven"


def test_of_very_many_differences_the_first_are_named(environment: Environment) -> None:
    for number in range(203):
        environment.write(f"tiny/added_{number:03}.py", "")
    result = of(environment)
    assert result.seen == "203 added"
    assert seen_in(result, "added")[-2:] == ["tiny/added_199.py", "and 3 more"]


def test_what_another_distribution_has_in_a_shared_folder_is_not_added(
    environment: Environment,
) -> None:
    environment.install("other", "2.0", {"tiny/plugin.py": ""})
    assert of(environment).verdict == "proven"


def test_a_change_through_a_hard_link_is_found_in_each_environment_that_shares_the_file(
    environment: Environment, tmp_path: Path
) -> None:
    other = environment.copy(tmp_path / "other")
    for each in FILES:  # as uv installs from its cache
        (other.site / each).unlink()
        os.link(environment.site / each, other.site / each)
    with open(environment.site / "tiny" / "mod.py", "w") as file:  # as cp writes
        file.write("answer = 'new'\n")
    result = of(other)
    assert seen_in(result, "changed") == ["tiny/mod.py, 2 hard links"]
    assert result.action.startswith("uv cache clean tiny; then for each environment: ")


def test_what_uv_installed_is_put_back_with_uv(environment: Environment) -> None:
    environment.write("tiny-1.0.dist-info/INSTALLER", "uv")
    command = f"uv pip install --python {environment.python} --no-deps --reinstall tiny==1.0"
    assert of(environment).action.startswith(f"{command}; ")


def test_a_copy_that_shadows_the_package_is_named(environment: Environment, tmp_path: Path) -> None:
    (tmp_path / "shadow" / "tiny").mkdir(parents=True)
    (tmp_path / "shadow" / "tiny" / "__init__.py").touch()
    result = of(environment, PYTHONPATH=str(tmp_path / "shadow"))
    assert (result.verdict, result.seen) == ("contradicted", "another copy wins")
    assert f"takes {tmp_path}/shadow/tiny/__init__.py" in result.reason


def test_a_module_of_one_file_that_is_shadowed_is_named(
    environment: Environment, tmp_path: Path
) -> None:
    environment.install("single", "1.0", {"single.py": ""})
    (tmp_path / "single.py").touch()
    assert of(environment, "single").verdict == "proven"
    assert of(environment, "single", PYTHONPATH=str(tmp_path)).seen == "another copy wins"


@pytest.mark.parametrize(
    ("installer", "action"),
    [("conda\n", "conda install --force-reinstall tiny"), ("apt\n", "-m pip install --no-deps")],
)
def test_without_a_record_nothing_is_proven(
    environment: Environment, installer: str, action: str
) -> None:
    place = environment.site / "tiny-1.0.dist-info"
    (place / "RECORD").unlink()
    (place / "INSTALLER").write_text(installer)
    result = of(environment)
    assert (result.verdict, result.strength, result.seen) == (
        "unproven",
        "located",
        "no RECORD of its code",
    )
    assert action in result.action


def test_a_package_of_the_system_names_the_systems_command(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "environment")
    place = tmp_path / "dist-packages" / "tiny-1.0.egg-info"
    place.mkdir(parents=True)
    (place / "PKG-INFO").write_text("Name: tiny\nVersion: 1.0\n")
    result = of(environment, PYTHONPATH=str(place.parent))
    assert result.verdict == "unproven"
    assert result.action.startswith(f"dpkg --verify $(dpkg -S {place} | cut -d: -f1)")


def test_a_package_that_the_system_has_stripped_is_not_called_changed(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "environment")
    environment.site = tmp_path / "dist-packages"
    place = environment.install("tiny", "1.0", FILES)
    environment.write("tiny/mod.py", "changed\n")
    found = of(environment, PYTHONPATH=str(environment.site))
    assert found.verdict == "contradicted"  # INSTALLER says pip
    (place / "INSTALLER").write_text("debian\n")
    assert of(environment, PYTHONPATH=str(environment.site)).verdict == "unproven"


def test_an_editable_install_is_not_proven_by_the_little_that_its_record_has(
    environment: Environment, tmp_path: Path
) -> None:
    origin = {"url": f"file://{tmp_path}/project", "dir_info": {"editable": True}}
    files = {"loose.pth": f"{tmp_path}/project\n"}
    files["loose-1.0.dist-info/direct_url.json"] = json.dumps(origin)
    environment.install("loose", "1.0", files)
    result = of(environment, "loose")
    assert (result.verdict, result.seen) == ("unproven", "no RECORD of its code")
    assert f"editable install of {tmp_path}/project" in result.reason


def test_an_entry_without_a_hash_is_unproven(environment: Environment) -> None:
    record = environment.site / "tiny-1.0.dist-info" / "RECORD"
    lines = record.read_text().splitlines()
    lines = [f"{each.split(',')[0]},," if "mod.py" in each else each for each in lines]
    record.write_text("\n".join(lines))
    result = of(environment)
    assert result.verdict == "unproven"
    assert seen_in(result, "unhashed") == ["tiny/mod.py: RECORD has no hash for it"]


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b'tiny/mod.py,"sha', b"", b"\x00,,\n"])
def test_a_broken_record_proves_nothing(environment: Environment, content: bytes) -> None:
    (environment.site / "tiny-1.0.dist-info" / "RECORD").write_bytes(content)
    assert of(environment).verdict != "proven"


def test_a_pipe_in_place_of_a_file_is_not_waited_for(environment: Environment) -> None:
    path = environment.site / "tiny" / "data.json"
    path.unlink()
    os.mkfifo(path)
    assert seen_in(of(environment), "unhashed") == ["tiny/data.json: is not a regular file"]


def test_the_command_judges_each_package_and_the_worst_decides(
    environment: Environment, project: Project
) -> None:
    python = ("--python", str(environment.python))
    assert project.run("verify", "stock", "tiny", *python).returncode == 0
    done = project.run("verify", "stock", "tiny", "missing", *python)
    assert done.returncode == 3
    assert "1 proven, 0 contradicted, 1 unproven." in done.stdout
    environment.write("tiny/mod.py", "changed\n")
    assert project.run("verify", "stock", "tiny", "missing", *python).returncode == 1
