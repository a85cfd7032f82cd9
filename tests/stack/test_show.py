"""What ``stack show`` says of real and of made environments."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from packaging.requirements import Requirement

from rocmlint.cli.main import main
from rocmlint.stack.checks.declared import declared
from rocmlint.stack.checks.guards import guards
from tests.support.environments import Environment
from tests.support.stacks import INDEX, FakeEnvironment, FakeMachine, add, standing

if TYPE_CHECKING:
    from importlib.metadata import Distribution

    from tests.support.project import Project

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "stack.json"
# What the ROCm wheel of torch 2.4.1 requires: the METADATA on PyPI with ROCm's triton in place of
# CUDA's and without CUDA's libraries.
TORCH_2_4_1 = (
    "filelock",
    "typing-extensions>=4.8.0",
    "sympy",
    "networkx",
    "jinja2",
    "fsspec",
    'pytorch-triton-rocm==3.0.0; platform_system == "Linux" and platform_machine == "x86_64"',
    'opt-einsum>=3.3; extra == "opt-einsum"',
)


@pytest.fixture(scope="module")
def transformers() -> Distribution:
    """Return the transformers that is installed beside the tests."""
    if importlib.util.find_spec("transformers") is None:
        pytest.skip("needs transformers, which `[test]` brings")
    return distribution("transformers")


@pytest.fixture(scope="module")
def old_torch(
    transformers: Distribution, tmp_path_factory: pytest.TempPathFactory
) -> FakeEnvironment:
    """Lay down transformers 5 as it is installed here beside the ROCm wheel of torch 2.4.1."""
    packages = FakeEnvironment(tmp_path_factory.mktemp("old") / "venv")
    packages.torch("2.4.1+rocm6.1", "6.1.40091-a8dbc0c19")
    packages.install("torch", "2.4.1+rocm6.1", TORCH_2_4_1)
    packages.install("pytorch-triton-rocm", "3.0.0")
    for name in ("filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec"):
        packages.install(name, distribution(name).version)
    folder = f"transformers-{transformers.version}.dist-info"
    packages.write(f"{folder}/METADATA", transformers.read_text("METADATA") or "")
    for each in map(Requirement, transformers.requires or ()):
        if each.marker is None:
            packages.install(each.name, distribution(each.name).version)
    for path in ("utils/import_utils.py", "dependency_versions_check.py"):
        packages.write(f"transformers/{path}", installed_text(path))
    packages.write(
        "transformers/dependency_versions_table.py",
        installed_text("dependency_versions_table.py"),
    )
    packages.write("transformers/__init__.py", "")
    return packages


def is_torch(requirement: Requirement) -> bool:
    return str(requirement.marker) == 'extra == "torch"' and requirement.name == "torch"


def installed_text(path: str) -> str:
    spec = importlib.util.find_spec("transformers")
    assert spec is not None
    assert spec.origin is not None
    return (Path(spec.origin).parent / path).read_text()


@pytest.mark.slow
def test_pip_check_finds_nothing_where_transformers_does_without_torch(
    old_torch: FakeEnvironment,
) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(old_torch.python), "check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.stdout.strip(), ended.returncode) == ("No broken requirements found.", 0)


def test_show_finds_what_the_extra_and_the_code_of_transformers_demand(
    old_torch: FakeEnvironment, transformers: Distribution, project: Project
) -> None:
    ended = project.run("stack", "show", "--python", str(old_torch.python))
    assert ended.returncode == 1
    told = ended.stdout[ended.stdout.index("conflict: ") :].split("\n\n")[0].splitlines()
    assert told[0] == f"conflict: transformers {transformers.version} and torch 2.4.1+rocm6.1"
    (floor,) = (each for each in map(Requirement, transformers.requires or ()) if is_torch(each))
    needs = f"it requires torch{floor.specifier} with its extra 'torch'"
    assert told[1].startswith(f"  declared:   {needs}")
    assert told[2].startswith("  code guard: its code disables PyTorch at import")
    beside = f"torch==2.4.1+rocm6.1 --extra-index-url {INDEX}/rocm6.1"
    do = f"  do:         pip install transformers==5.14.1 {beside} (keeps torch 2.4.1"
    assert told[3].startswith(do)
    assert re.search(r"rocmlint stack install-command --rocm \d+\.\d+ --torch 2\.\d+\Z", told[3])


def test_a_number_of_pairs_that_is_none_is_left_out(
    packages: FakeEnvironment, project: Project
) -> None:
    packages.install("torch", "latest")
    packages.install("peft", "0.17.0", ["torch>=2"])
    numbers = project.run("stack", "show", "--python", str(packages.python)).stdout.splitlines()
    assert [each for each in numbers if "0 of them" in each] == []
    assert [each for each in numbers if each.endswith(" 0 compatible.")]


def test_the_json_follows_its_schema(old_torch: FakeEnvironment, project: Project) -> None:
    ended = project.run(
        "stack", "show", "--python", str(old_torch.python), "--output-format", "json"
    )
    document = json.loads(ended.stdout)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert (document["verb"], document["exit_code"], ended.returncode) == ("show", 1, 1)
    assert document["torch"]["rocm_release"] == "6.1"
    assert document["packages"]["torch"] == "2.4.1+rocm6.1"
    assert document["torch"]["architectures"] is None


@pytest.mark.usefixtures("transformers")
def test_of_libraries_that_fit_nothing_is_said_but_that(packages: FakeEnvironment) -> None:
    packages.torch("2.13.0+rocm7.2", "7.2.26015")
    packages.install("transformers", "5.23.0", ["numpy>=1.17", 'torch>=2.6; extra == "torch"'])
    packages.install("numpy", "2.4.6")
    packages.write("transformers/__init__.py", "")
    for path in ("utils/import_utils.py", "dependency_versions_check.py"):
        packages.write(f"transformers/{path}", installed_text(path))
    environment = packages.read()
    verdicts = (*declared(environment), *guards(environment))
    assert standing(verdicts) == []
    assert {"numpy", "torch"} <= {each.on for each in verdicts}


def test_an_interpreter_that_is_none_is_told_in_a_line(project: Project) -> None:
    ended = project.run("stack", "show", "--python", str(project.root / "nothing"))
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1


def test_what_a_package_lacks_is_one_command(packages: FakeEnvironment, project: Project) -> None:
    packages.torch("2.13.0+rocm7.2", "7.2.26015")
    packages.install("accelerate", "1.15.0", ["psutil", "pyyaml>=5", "torch>=2.0.0"])
    ended = project.run("stack", "show", "--python", str(packages.python))
    assert ended.returncode == 1
    assert (
        "conflict: accelerate 1.15.0 and a missing package\n"
        "  declared:   it requires psutil, pyyaml>=5\n"
        "  do:         pip install psutil 'pyyaml>=5' torch==2.13.0+rocm7.2 "
        f"--extra-index-url {INDEX}/rocm7.2\n"
    ) in ended.stdout


def test_a_package_that_cannot_be_read_leaves_the_answer_open(
    packages: FakeEnvironment, project: Project
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    (packages.site / "transformers-5.23.0.dist-info").mkdir()
    ended = project.run("stack", "show", "--python", str(packages.python))
    assert ended.returncode == 3
    numbers, unanswered = ended.stdout.splitlines()[-2:]
    assert numbers.startswith("0 conflicts, 1 note, 0 unknown, ")
    assert numbers.endswith("; 1 package could not be read.")
    metadata = packages.site / "transformers-5.23.0.dist-info"
    assert unanswered.startswith(f"not answered: {metadata} has no readable METADATA")


@pytest.mark.parametrize(
    ("installer", "how"),
    [
        ("pip", "pip means the pip of this interpreter: {} -m pip"),
        (
            "uv",
            "this interpreter has no pip: instead of pip install, use uv pip install --python {}",
        ),
        ("", "this interpreter has no pip: run {0} -m ensurepip once (on Debian and Ubuntu "),
    ],
)
def test_how_to_type_pip_for_another_interpreter_is_told(
    project: Project, tmp_path: Path, installer: str, how: str
) -> None:
    here = Environment(tmp_path / "other")
    add(here, "accelerate", "1.15.0", "psutil")
    if installer == "pip":
        add(here, "pip", "26.0")
    programs = tmp_path / "programs"
    programs.mkdir()
    if installer == "uv":
        (programs / "uv").write_text("#!/bin/sh\n")
        (programs / "uv").chmod(0o755)
    told = project.run("stack", "show", "--python", str(here.root), PATH=str(programs)).stdout
    assert "pip install psutil" in told
    assert f"\n{how.format(here.python)}" in told


@pytest.mark.usefixtures("transformers")
def test_a_rocm_that_hangs_or_crashes_is_told_and_the_rest_is_answered(
    project: Project, tmp_path: Path
) -> None:
    here = FakeMachine(tmp_path / "machine")
    here.program("amd-smi", does="kill -SEGV $$")
    here.program("rocminfo", "broken\n", code=1)
    path = os.pathsep.join((str(here.root / "usr" / "bin"), os.environ["PATH"]))
    ended = project.run("stack", "show", PATH=path)
    assert "  ! amd-smi version was killed by SIGSEGV\n" in ended.stdout
    assert "  ! rocminfo failed with exit code 1: broken\n" in ended.stdout
    assert "transformers" in ended.stdout


def test_what_one_package_lacks_counts_once_and_says_how_much(
    packages: FakeEnvironment, project: Project
) -> None:
    packages.torch("2.13.0+rocm7.2", "7.2.26015")
    packages.install("accelerate", "1.15.0", ["psutil", "pyyaml>=5", "torch>=2.0.0"])
    ended = project.run("stack", "show", "--python", str(packages.python))
    assert "\n1 conflict (2 requirements), 1 note, 0 unknown, " in ended.stdout


def test_nothing_to_compare_is_said_to_be_unanswered(
    packages: FakeEnvironment, project: Project
) -> None:
    packages.torch("2.9.1")
    told = document(project, "show", "--python", str(packages.python))
    assert (told["exit_code"], told["verdicts"]) == (3, [])
    (line,) = told["unanswered"]
    assert line.startswith("whether the packages are compatible: no two packages of the stack")


def test_every_verb_says_what_it_did_not_answer(
    packages: FakeEnvironment, project: Project
) -> None:
    there = ("--python", str(packages.python))
    asked = {
        ("freeze", *there): "which torch to compare with",
        ("survived", *there): "torch was not installed when the state was recorded",
        ("compatible", "--offline", "--torch", "2.9", "no-such", *there): "no-such is not among",
    }
    for arguments, what in asked.items():
        ended = project.run("stack", *arguments)
        last = [each for each in ended.stdout.splitlines() if each.startswith("not answered: ")]
        assert (ended.returncode, len(last)) == (3, 1), ended.stdout
        assert what in last[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "--python", "/nowhere/python"),
        ("show", "--smoky"),
        ("index-url", "--rocm", "6.5"),
        ("install-command", "--rocm", "rocm"),
        ("install-command", "--rocm", "7.1", "--torch", "1.0"),
        ("compatible", "--torch", "two"),
        ("plan", "--to", "6.5"),
        ("freeze", "/nowhere/at/all/state.json"),
        ("survived", "/nowhere/state.json", "--python", "/nowhere/python"),
        ("no-such-verb",),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("flag", [("--output-format", "json"), ("--output-format=json",)])
def test_an_error_is_json_where_that_was_asked_for(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], flag: tuple[str, ...]
) -> None:
    own = () if "--python" in arguments else ("--python", sys.executable)
    assert main(["stack", *arguments, *flag, *own]) == 2
    printed = capsys.readouterr()
    told = json.loads(printed.out)
    jsonschema.validate(told, json.loads(SCHEMA.read_text()))
    assert (told["verb"], told["exit_code"]) == (arguments[0], 2)
    assert printed.err == f"error: {told['error']}\n"


def document(project: Project, *arguments: str) -> Any:
    return json.loads(project.run("stack", *arguments, "--output-format", "json").stdout)


@pytest.mark.slow
def test_the_real_environment_of_these_tests_is_shown(
    transformers: Distribution, project: Project
) -> None:
    told = document(project, "show")
    jsonschema.validate(told, json.loads(SCHEMA.read_text()))
    assert told["packages"]["transformers"] == transformers.version
    says = "import json, torch.version as v; print(json.dumps([v.__version__, v.hip, v.cuda]))"
    torch = subprocess.run([sys.executable, "-c", says], capture_output=True, check=True)
    version, hip, cuda = json.loads(torch.stdout)
    kind = "HIP" if hip else "CUDA" if cuda else "CPU"
    assert (told["torch"]["version"], told["torch"]["kind"]) == (version, kind)


def test_a_requirement_of_brackets_is_one_line_and_hides_no_other(
    packages: FakeEnvironment,
) -> None:
    brackets = f'torch>=2; {"(" * 3000}python_version > "3"{")" * 3000}'
    packages.install("peft", "0.17.0", ("accelerate", brackets))
    packages.install("accelerate", "1.10.0", ("numpy",))
    environment = packages.read()
    peft, accelerate = environment.get("peft"), environment.get("accelerate")
    assert peft is not None
    assert accelerate is not None
    assert [each.name for each in (*peft.requires, *accelerate.requires)] == ["accelerate", "numpy"]
    assert peft.problems == (
        f"peft: Requires-Dist: {brackets[:100]}...: its parentheses nest too deep",
    )


@pytest.mark.parametrize("name", ["METADATA", "RECORD", "INSTALLER", "direct_url.json"])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_never_ends_in_a_dist_info_is_one_line_and_hides_no_other(
    packages: FakeEnvironment, name: str, kind: str
) -> None:
    packages.install("peft", "0.17.0")
    packages.install("accelerate", "1.10.0")
    packages.write(f"peft-0.17.0.dist-info/{name}", "")
    path = packages.site / "peft-0.17.0.dist-info" / name
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    environment = packages.read()
    assert environment.get("accelerate") is not None
    (line,) = environment.unreadable
    assert line.endswith(f"OSError: [Errno 22] not a regular file: {str(path)!r}")
