"""``verify patches``: what it says of places, versions, bytecode and odd files; all is real."""

from __future__ import annotations

import json
import os
import py_compile
import shlex
import shutil
import subprocess
import sys
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.interpreter.ask import Interpreter, InterpreterError
from rocmlint.interpreter.inside.bytecode import compiled, execution_of
from rocmlint.interpreter.inside.files import locate
from rocmlint.verify.files.patches import check
from rocmlint.verify.manifest import Manifest, ManifestFile, write
from tests.support.environments import Environment
from tests.support.failure_cases import without_power_over_modes

pytestmark = pytest.mark.slow  # builds an environment for each test

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocmlint.verify.result import Result
    from tests.support.project import Project

OLD, NEW = "answer = 'old'\n", "answer = 'new'\n"
INSTALLED = {"tiny/__init__.py": "", "tiny/mod.py": OLD}


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    made = Environment(tmp_path / "environment")
    made.install("tiny", "1.0", INSTALLED)
    made.write("tiny/mod.py", NEW)
    return made


def manifest_of(files: Mapping[str, str], requires: str = "==1.0") -> Manifest:
    hashed = (ManifestFile(path, sha256(text.encode()).hexdigest()) for path, text in files.items())
    return Manifest("tiny", requires, tuple(hashed))


def checked(
    environment: Environment, manifest: Manifest | None = None, **variables: str
) -> dict[str, Result]:
    given = manifest or manifest_of({"tiny/mod.py": NEW})
    plain = {"PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "", **variables}
    asked = Interpreter(str(environment.python), 60, plain)
    return {each.subject: each for each in check(given, asked)}


def of_file(environment: Environment, **variables: str) -> Result:
    return checked(environment, None, **variables)["tiny/mod.py"]


def seen_in(result: Result, name: str) -> list[str]:
    return [each.value for each in result.evidence if each.name == name]


# ---- copies


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


def test_a_package_that_sets_its_own_path_is_not_proven(environment: Environment) -> None:
    environment.write("tiny/__init__.py", "__path__ = ['/elsewhere', *__path__]\n")
    result = of_file(environment)
    assert (result.verdict, result.strength) == ("unproven", "hashed")
    assert "sets __path__" in result.reason


def test_a_package_that_extends_its_path_at_the_end_is_proven(environment: Environment) -> None:
    text = "import pkgutil\n__path__ = pkgutil.extend_path(__path__, __name__)\n"
    environment.write("tiny/__init__.py", text)
    assert of_file(environment).verdict == "proven"


FINDER = """\
import sys
from importlib.machinery import PathFinder, SourceFileLoader
class Loader(SourceFileLoader): pass
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "tiny.mod":
            {body}
sys.meta_path.insert(0, Finder)
"""


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


# ---- versions


def test_the_version_is_that_of_the_copy_that_wins(environment: Environment) -> None:
    result = checked(environment)["tiny"]
    assert (result.verdict, result.strength, result.seen) == ("proven", "hashed", "1.0")


def test_another_version_is_contradicted(environment: Environment) -> None:
    result = checked(environment, manifest_of({"tiny/mod.py": NEW}, ">=2"))["tiny"]
    assert (result.verdict, result.seen) == ("contradicted", "1.0")
    assert "made for >=2, and imports take 1.0" in result.reason


def test_a_local_version_of_a_rocm_build_fits(environment: Environment) -> None:
    place = environment.site / "tiny-1.0.dist-info"
    (place / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny\nVersion: 1.0+rocm7.2\n")
    assert checked(environment)["tiny"].verdict == "proven"


def test_the_dist_info_whose_files_are_there_tells_the_version(environment: Environment) -> None:
    environment.install("tiny", "0.9", {"tiny/__init__.py": "old = True\n", "tiny/mod.py": OLD})
    environment.install("tiny", "1.0", INSTALLED)
    environment.write("tiny/mod.py", NEW)
    result = checked(environment)["tiny"]
    assert (result.verdict, result.seen) == ("proven", "1.0")
    assert len(seen_in(result, "distribution")) == 2


def test_a_dist_info_without_any_of_its_files_is_no_proof(environment: Environment) -> None:
    environment.write("tiny/__init__.py", "# of another version\n")
    result = checked(environment)["tiny"]
    assert (result.verdict, result.strength) == ("contradicted", "hashed")
    assert "differ from that version's wheel" in result.reason


def test_a_dist_info_of_other_folders_does_not_tell_the_version(environment: Environment) -> None:
    environment.install("tiny", "1.0", {"other/__init__.py": ""})
    result = checked(environment)["tiny"]
    assert (result.verdict, result.seen) == ("unproven", "version unknown")


def test_a_manifest_for_any_version_asks_for_none(environment: Environment) -> None:
    assert [*checked(environment, manifest_of({"tiny/mod.py": NEW}, ""))] == ["tiny/mod.py"]


def test_a_dist_info_without_a_version_is_unproven(environment: Environment) -> None:
    (environment.site / "tiny-1.0.dist-info" / "METADATA").write_text("Name: tiny\n")
    assert checked(environment)["tiny"].verdict == "unproven"


@pytest.mark.parametrize("name", ["RECORD", "METADATA", "INSTALLER", "direct_url.json"])
def test_a_broken_dist_info_does_not_hide_the_files(environment: Environment, name: str) -> None:
    (environment.site / "tiny-1.0.dist-info" / name).write_bytes(b"\xff\xfe\x00")
    assert of_file(environment).verdict == "proven"


def test_a_finder_that_fails_for_the_package_is_told_for_its_version_too(
    environment: Environment,
) -> None:
    hook = FINDER.replace('"tiny.mod"', '"tiny"').format(body="raise RuntimeError('broken hook')")
    environment.write("hook.py", hook)
    environment.write("hook.pth", "import hook\n")
    verdicts = {each.verdict for each in checked(environment).values()}
    assert verdicts == {"unproven"}


# ---- what is odd about a file


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


# ---- bytecode


def test_a_source_that_this_python_cannot_compile_is_contradicted(
    environment: Environment,
) -> None:
    text = "answer = = 1\n"
    environment.write("tiny/mod.py", text)
    result = checked(environment, manifest_of({"tiny/mod.py": text}))["tiny/mod.py"]
    assert (result.verdict, result.seen) == ("contradicted", "right bytes, import fails")
    assert "does not compile" in result.reason


def cached(environment: Environment) -> Path:
    """Return the fresh bytecode of the patch."""
    folder = environment.site / "tiny" / "__pycache__"
    assert environment.run("-c", "import tiny.mod").returncode == 0
    (path,) = folder.glob("mod.*.pyc")
    return path


def test_fresh_bytecode_is_proven(environment: Environment) -> None:
    path = cached(environment)
    result = of_file(environment)
    assert result.verdict == "proven"
    assert seen_in(result, "bytecode") == [f"{path} (timestamp) runs, with the source's code"]


@pytest.mark.parametrize("keep", [0, 10, 15])
def test_bytecode_that_is_cut_off_in_its_header_is_passed_over(
    environment: Environment, keep: int
) -> None:
    path = cached(environment)
    path.write_bytes(path.read_bytes()[:keep])
    result = of_file(environment)
    assert result.verdict == "proven"
    assert "is ignored" in seen_in(result, "bytecode")[0]


def test_bytecode_of_another_python_is_passed_over(environment: Environment) -> None:
    path = cached(environment)
    path.write_bytes(b"\0\0\r\n" + path.read_bytes()[4:])
    assert of_file(environment).verdict == "proven"


@pytest.mark.parametrize("body", [b"", b"\x00", b"i\x01\x00\x00\x00", b"\xe3" + b"\xff" * 40])
def test_bytecode_with_a_broken_body_makes_the_import_fail(
    environment: Environment, body: bytes
) -> None:
    path = cached(environment)
    path.write_bytes(path.read_bytes()[:16] + body)
    assert environment.run("-c", "import tiny.mod").returncode == 1
    assert of_file(environment).verdict == "contradicted"


def test_older_bytecode_is_passed_over(environment: Environment) -> None:
    path = cached(environment)
    os.utime(environment.site / "tiny" / "mod.py", (0, 0))
    result = of_file(environment)
    assert result.verdict == "proven"
    assert seen_in(result, "bytecode") == [
        f"{path} (timestamp) is ignored: an import compiles the source"
    ]


def stale(environment: Environment, **variables: str) -> None:
    """Leave bytecode of the old file where these variables make Python look for it."""
    path = environment.write("tiny/mod.py", OLD)
    os.utime(path, (1, 1))
    assert environment.run("-c", "import tiny.mod", variables=variables).returncode == 0
    path.write_text(NEW)
    os.utime(path, (1, 1))


def test_stale_bytecode_below_pycache_prefix_is_found(
    environment: Environment, tmp_path: Path
) -> None:
    variables = {"PYTHONPYCACHEPREFIX": str(tmp_path / "cache")}
    stale(environment, **variables)
    assert of_file(environment, **variables).seen == "right bytes, stale bytecode"
    assert of_file(environment).verdict == "proven"


def test_stale_bytecode_of_an_optimisation_level_is_found_at_that_level(
    environment: Environment,
) -> None:
    stale(environment, PYTHONOPTIMIZE="1")
    assert of_file(environment, PYTHONOPTIMIZE="1").seen == "right bytes, stale bytecode"
    assert of_file(environment).verdict == "proven"


@given(data=st.data())
def test_what_is_said_of_bytecode_is_what_an_import_does(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    source = tmp_path_factory.getbasetemp() / "guessed.py"
    source.write_text(OLD)
    os.utime(source, (1, 1))
    mode = data.draw(st.sampled_from(py_compile.PycInvalidationMode))
    path = Path(str(py_compile.compile(str(source), invalidation_mode=mode)))
    source.write_text(data.draw(st.sampled_from([OLD, NEW, "answer = 'longer'\n"])))
    os.utime(source, (data.draw(st.sampled_from([1, 1.9, 2])),) * 2)
    header = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(0, 2))):
        header[data.draw(st.integers(0, 15))] = data.draw(st.sampled_from([0, 1, 2, 3, 255]))
    path.write_bytes(header[: data.draw(st.sampled_from([0, 8, 16, len(header)]))])
    execution = execution_of(str(source))
    try:
        runs: object = SourceFileLoader("guessed", str(source)).get_code("guessed")
    except EOFError:
        runs = "nothing"
    assert execution.same == (runs == compiled(source.read_bytes(), str(source)))
    assert (execution.error is not None) == (runs == "nothing")


def test_a_constant_that_is_not_equal_to_itself_makes_no_difference(tmp_path: Path) -> None:
    source = tmp_path / "mod.py"
    source.write_text("nan = 1e999 - 1e999\n")
    py_compile.compile(str(source))
    execution = execution_of(str(source))
    assert (execution.used, execution.same) == (True, True)


# ---- the command


def test_an_interpreter_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InterpreterError, match="cannot be started"):
        check(manifest_of({"tiny/mod.py": NEW}), Interpreter(str(tmp_path / "python")))


def test_the_exit_code_is_that_of_the_worst_result(
    environment: Environment, project: Project
) -> None:
    write(str(project.root / "manifest.toml"), manifest_of({"tiny/mod.py": NEW}))
    python = str(environment.python)
    command = ("verify", "patches", "--manifest", "manifest.toml", "--python", python)
    assert project.run(*command).returncode == 0
    environment.write("tiny/mod.py", OLD)
    done = project.run(*command)
    assert done.returncode == 1
    assert f"cp --remove-destination PATCH/mod.py {environment.site}/tiny/mod.py" in done.stdout


def starts(python: str) -> bool:
    return subprocess.run([python, "-V"], capture_output=True, check=False).returncode == 0


def test_a_command_to_type_is_quoted(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "it's here")
    environment.install("tiny", "1.0", INSTALLED)
    command = of_file(environment).action.partition(";")[0]
    assert shlex.split(command)[-1] == f"{environment.site}/tiny/mod.py"


def test_a_copy_that_went_astray_is_what_the_command_takes(environment: Environment) -> None:
    environment.write("tiny/mod.py", OLD)
    stray = environment.write("mod.py", NEW)  # one directory too high
    command, _, _ = of_file(environment).action.partition(";")
    assert shlex.split(command)[-2:] == [str(stray), f"{environment.site}/tiny/mod.py"]
    subprocess.run(shlex.split(command), check=True)
    assert of_file(environment).verdict == "proven"


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.12", "3.13"])
def test_other_pythons_can_be_asked(environment: Environment, version: str) -> None:
    beside = Path(sys.base_prefix).parent.glob(f"{version}.*/bin/python{version}")  # as pyenv has
    found = [shutil.which(f"python{version}"), *map(str, beside)]
    python = next((each for each in found if each and starts(each)), None)
    if python is None:
        pytest.skip(f"there is no Python {version}")
    variables = {"PYTHONPATH": str(environment.site)}
    given = manifest_of({"tiny/mod.py": NEW})
    results = check(given, Interpreter(python, 60, variables))
    assert [each.verdict for each in results] == ["proven", "proven"]
