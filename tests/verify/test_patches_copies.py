"""``verify patches``: which copy of a file an import takes, and what is odd about it."""

from __future__ import annotations

import json
import os
import py_compile
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.interpreter.inside.imports.files import locate
from rocmlint.verify.manifest.read import write
from tests.support.environments import Environment
from tests.support.failure_cases import without_power_over_modes
from tests.support.patched import (
    FINDER,
    INSTALLED,
    NEW,
    OLD,
    checked,
    manifest_of,
    of_file,
    seen_in,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

pytestmark = pytest.mark.slow  # builds an environment for each test


# Copies


def test_every_copy_is_listed_and_the_first_on_the_path_wins(
    environment: Environment, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "tiny").mkdir(parents=True)
        (tmp_path / name / "tiny" / "__init__.py").touch()
        (tmp_path / name / "tiny" / "mod.py").write_text(OLD)
    result = of_file(environment, PYTHONPATH=f"{tmp_path / 'one'}:{tmp_path / 'two'}")
    assert seen_in(result, "taken") == [f"{tmp_path}/one/tiny/mod.py (source)"]
    assert seen_in(result, "shadowed copy") == [
        f"{tmp_path}/two/tiny/mod.py (does not have the manifest's content)",
        f"{environment.site}/tiny/mod.py (has the manifest's content)",
    ]


@pytest.mark.parametrize(
    ("data", "verdict", "said"),
    [
        (NEW.replace("\n", "\r\n").encode(), "proven", "only line ends differ"),
        (NEW.encode("utf-8-sig"), "proven", "only a byte order mark differs"),
        (NEW.replace("\n", "\r\n").encode("utf-8-sig"), "proven", "only line ends and a byte"),
        (OLD.replace("\n", "\r\n").encode(), "contradicted", "edited, or another patch"),
        (NEW.replace("\n", " \n").encode(), "contradicted", "edited, or another patch"),
    ],
    ids=["line ends", "mark", "both", "other code", "a blank"],
)
def test_line_ends_and_a_mark_change_no_code(
    environment: Environment, data: bytes, verdict: str, said: str
) -> None:
    (environment.site / "tiny" / "mod.py").write_bytes(data)
    result = of_file(environment)
    assert (result.verdict, said in result.seen + result.reason) == (verdict, True), result


def test_a_copy_that_only_an_unreachable_package_has_is_named(
    environment: Environment, tmp_path: Path
) -> None:
    (tmp_path / "one" / "tiny").mkdir(parents=True)
    (tmp_path / "one" / "tiny" / "__init__.py").touch()
    result = of_file(environment, PYTHONPATH=str(tmp_path / "one"))
    assert (result.verdict, result.seen) == ("contradicted", "not found")
    assert f"it is in {environment.site}/tiny/mod.py, but another copy" in result.reason


def test_bytecode_beside_a_source_is_a_shadowed_copy(environment: Environment) -> None:
    source = environment.site / "tiny" / "mod.py"
    py_compile.compile(str(source), cfile=f"{source}c")
    result = of_file(environment)
    assert result.verdict == "proven"
    assert seen_in(result, "shadowed copy") == [f"{source}c (does not have the manifest's content)"]


def test_a_package_wins_over_a_module_of_its_name(environment: Environment) -> None:
    environment.write("tiny/mod/__init__.py", "")
    result = of_file(environment)
    assert result.verdict == "contradicted"
    assert seen_in(result, "taken") == [f"{environment.site}/tiny/mod/__init__.py (source)"]


def test_nothing_of_the_package_is_imported(environment: Environment, tmp_path: Path) -> None:
    environment.write("tiny/__init__.py", f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    assert of_file(environment).verdict == "proven"
    assert not (tmp_path / "ran").exists()


def test_a_module_below_nested_namespaces_is_found_without_importing_them(tmp_path: Path) -> None:
    (tmp_path / "outer" / "inner").mkdir(parents=True)
    (tmp_path / "outer" / "inner" / "mod.py").touch()
    (copy,) = locate("outer.inner.mod", [str(tmp_path)])
    assert (copy.kind, copy.origin) == ("source", str(tmp_path / "outer/inner/mod.py"))
    assert "outer" not in sys.modules


def test_a_data_file_is_looked_for_in_the_package_that_wins(environment: Environment) -> None:
    environment.write("tiny/kernel.hip", NEW)
    results = checked(environment, manifest_of({"tiny/kernel.hip": NEW}))
    assert results["tiny/kernel.hip"].verdict == "proven"
    environment.write("tiny/kernel.hip", OLD)
    results = checked(environment, manifest_of({"tiny/kernel.hip": NEW}))
    assert results["tiny/kernel.hip"].verdict == "contradicted"


def test_a_package_of_one_file_is_checked_too(environment: Environment) -> None:
    environment.write("single.py", NEW)
    assert checked(environment, manifest_of({"single.py": NEW}))["single.py"].verdict == "proven"


def test_a_package_that_is_not_installed_is_told_with_the_command_to_install_it(
    environment: Environment,
) -> None:
    results = checked(environment, manifest_of({"other/mod.py": NEW}))
    assert results["other/mod.py"].verdict == "contradicted"
    assert results["tiny"].action.startswith(f"{environment.python} -m pip install")


def test_a_package_that_looks_for_its_modules_elsewhere_is_not_proven(
    environment: Environment, tmp_path: Path
) -> None:
    (tmp_path / "mod.py").write_text(OLD)
    environment.write("tiny/__init__.py", f"\n__path__ = [{str(tmp_path)!r}, *__path__]\n")
    result = of_file(environment)
    assert (result.verdict, result.strength) == ("unproven", "hashed")
    place = f"{environment.site}/tiny/__init__.py:2"
    assert result.reason == (
        f"{place} changes __path__ of tiny, so only running it shows what is executed"
    )
    (tmp_path / "mod.py").unlink()
    assert of_file(environment).verdict == "proven"  # the path is one that can be followed


def test_a_package_that_extends_its_path_at_the_end_is_proven(environment: Environment) -> None:
    text = "import pkgutil\n__path__ = pkgutil.extend_path(__path__, __name__)\n"
    environment.write("tiny/__init__.py", text)
    assert of_file(environment).verdict == "proven"


def test_a_loader_that_may_change_the_code_is_not_proven(environment: Environment) -> None:
    body = (
        "spec = PathFinder.find_spec(name, path); "
        "spec.loader = Loader(name, spec.origin); return spec"
    )
    environment.write("hook.py", FINDER.format(body=body))
    environment.write("hook.pth", "import hook\n")
    result = of_file(environment)
    assert result.verdict == "unproven"
    assert "it is loaded by hook.Loader" in result.reason


def test_a_finder_that_fails_hides_no_other_file(environment: Environment) -> None:
    environment.write("hook.py", FINDER.format(body="raise RuntimeError('broken hook')"))
    environment.write("hook.pth", "import hook\n")
    results = checked(environment, manifest_of({"tiny/mod.py": NEW, "tiny/__init__.py": ""}))
    assert results["tiny/mod.py"].verdict == "unproven"
    assert "RuntimeError: broken hook" in results["tiny/mod.py"].reason
    assert results["tiny/__init__.py"].verdict == "proven"


# What is odd about a file


def test_hard_links_are_told(environment: Environment) -> None:
    source = environment.site / "tiny" / "mod.py"
    os.link(source, environment.root / "the_same_in_another_environment.py")
    result = of_file(environment)
    assert (result.verdict, result.seen) == ("proven", "right bytes, 2 hard links")


def test_a_symbolic_link_is_told(environment: Environment, tmp_path: Path) -> None:
    source = environment.site / "tiny" / "mod.py"
    source.rename(tmp_path / "elsewhere.py")
    source.symlink_to(tmp_path / "elsewhere.py")
    assert seen_in(of_file(environment), "symbolic link") == [f"to {tmp_path}/elsewhere.py"]


def test_hexadecimal_hashes_in_a_record_are_understood(environment: Environment) -> None:
    environment.install("tiny", "1.0", INSTALLED, in_hex=True)
    assert of_file(environment).seen == "stock"


def test_a_pipe_in_place_of_a_file_is_not_waited_for(environment: Environment) -> None:
    source = environment.site / "tiny" / "mod.py"
    source.unlink()
    os.mkfifo(source)
    result = of_file(environment)
    assert result.verdict == "contradicted"  # FileFinder passes over what is not a regular file


def test_an_unreadable_file_is_unproven(environment: Environment, project: Project) -> None:
    (environment.site / "tiny" / "mod.py").chmod(0)
    write(str(project.root / "manifest.toml"), manifest_of({"tiny/mod.py": NEW}))
    command = [sys.executable, "-m", "rocmlint", "verify", "patches", "--manifest", "manifest.toml"]
    command += ["--python", str(environment.python), "--output-format", "json"]
    done = subprocess.run(
        command,
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=without_power_over_modes,
    )
    (result,) = [each for each in json.loads(done.stdout)["results"] if "/" in each["subject"]]
    assert (done.returncode, result["verdict"], result["seen"]) == (3, "unproven", "unreadable")
