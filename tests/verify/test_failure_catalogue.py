"""Patches that look installed and are not live, each built for real: none may pass as proven."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from rocmlint.verify.manifest.read import read
from tests.support.environments import Environment
from tests.support.failure_cases import (
    CASES,
    CHECK,
    GEMMA,
    IMPORTED,
    MARK,
    NEW,
    TINY,
    Case,
    Expected,
    tiny,
)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("failure_catalogue")]

TORCH_AND_ROCMLINT = f"{sysconfig.get_path('purelib')}\n{Path(__file__).parents[2] / 'src'}\n"
DEPENDENCIES: tuple[str, ...] = (
    "huggingface-hub<1.0",
    "tokenizers<0.22",
    "requests",
    "urllib3",
    "certifi",
)
DEPENDENCIES += ("idna", "charset_normalizer")
"""Of transformers 4.53.2, as far as the tests' own environment has others or none."""
WITHOUT_TORCH = {"USE_TORCH": "0"}
"""For transformers: its import takes half of the time."""


@pytest.fixture(scope="session")
def transformers_environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment with transformers 4.53.2 from pip; torch is the tests' own."""
    folder = tmp_path_factory.mktemp("transformers")
    made, beside = Environment(folder / "environment"), folder / "dependencies"
    pip_install("transformers==4.53.2", python=made.python)
    pip_install(*DEPENDENCIES, "--target", str(beside))
    made.write("beside.pth", f"{beside}\n{sysconfig.get_path('purelib')}\n")
    for model in (made.site / "transformers" / "models").iterdir():  # 2,000 files that nobody uses
        if model.is_dir() and model.name not in {"auto", "gemma", "siglip"}:
            shutil.rmtree(model)
    # Leaves bytecode, as any use does.
    imported = made.run("-c", IMPORTED[GEMMA], variables=WITHOUT_TORCH)
    assert imported.stdout == "False\n", imported.stderr
    return made


def pip_install(*arguments: str, python: Path = Path(sys.executable)) -> None:
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    command += ["--no-deps", *arguments]
    done = subprocess.run(
        [*command, "--no-compile", "--no-cache-dir"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"transformers 4.53.2 cannot be installed: {done.stderr.strip()[-200:]}")


@pytest.fixture(scope="session")
def overlay(
    transformers_environment: Environment, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Return patch files in openpi's layout, made from the installed ones."""
    root = tmp_path_factory.mktemp("overlay") / "transformers_replace"
    gemma = root / "models" / "gemma" / "modeling_gemma.py"
    gemma.parent.mkdir(parents=True)
    before = (transformers_environment.site / GEMMA).read_text()
    forward = "    def forward(self, x):\n        down_proj ="
    assert forward in before
    documented = f'        """{MARK}"""\n        down_proj ='
    after = before.replace(forward, forward.replace("        down_proj =", documented))
    gemma.write_text(after)
    check = root / "models" / "siglip" / "check.py"
    check.parent.mkdir()
    check.write_text(CHECK)
    return root


@dataclass
class Built:
    case: Case
    expected: Expected
    results: dict[str, dict[str, Any]]


@pytest.fixture(scope="module", params=CASES)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    build, expected = CASES[request.param]
    case = case_of(request.param, request, tmp_path_factory.mktemp("case"))
    build(case)
    return Built(case, expected, case.patches())


def case_of(name: str, request: pytest.FixtureRequest, folder: Path) -> Case:
    """Return the environment that a case of that letter begins with."""
    if not name.startswith("E"):
        return case_of_tiny(folder)
    base: Environment = request.getfixturevalue("transformers_environment")
    patch: Path = request.getfixturevalue("overlay")
    environment = base.copy(folder / "environment")
    request.addfinalizer(partial(shutil.rmtree, environment.root, ignore_errors=True))  # 64 MB
    return Case(environment, folder, patch, "transformers", GEMMA)


def case_of_tiny(folder: Path) -> Case:
    patch = folder / "tiny_replace"
    patch.mkdir()
    (patch / "mod.py").write_text(NEW)
    return Case(Environment(folder / "environment"), folder, patch, "tiny", TINY)


def test_each_case_gets_its_verdict_and_reason(built: Built) -> None:
    result, expected = built.results[built.case.subject], built.expected
    assert (result["verdict"], result["strength"]) == (expected.verdict, expected.strength)
    assert expected.reason in result["reason"]


def test_the_rest_of_the_manifest_and_the_version_are_judged_on_their_own(built: Built) -> None:
    verdicts = {each: built.results[each]["verdict"] for each in built.expected.other_subjects}
    assert verdicts == built.expected.other_subjects


def imports_the_patch(case: Case) -> bool:
    """Ask a new process, which imports as any program does."""
    python = Environment(case.environment.root)
    python.python = case.python or python.python
    variables = {**case.variables, **WITHOUT_TORCH}
    done = python.run("-c", IMPORTED[case.subject], cwd=case.folder, variables=variables)
    return done.stdout.strip() == "True"


def test_what_is_proven_is_what_an_import_gets(built: Built) -> None:
    is_proven = built.results[built.case.subject]["verdict"] == "proven"
    assert is_proven == imports_the_patch(built.case)


@pytest.mark.parametrize("name", [each for each in CASES if not each.startswith("E")])
def test_a_new_process_is_judged_live_exactly_where_it_gets_the_patch(
    name: str, tmp_path: Path
) -> None:
    case = case_of_tiny(tmp_path)
    CASES[name][0](case)
    (module,) = [each.module for each in read(case.manifest()).files if each.path == case.subject]
    python = str(case.environment.python)
    results = case.verify("live", "--manifest", case.manifest(), "--python", python)
    (verdict,) = [each["verdict"] for each in results if each["subject"] == module]
    assert (verdict == "proven") == imports_the_patch(case)


# ---- what no look at the disk can tell: the state of a process that has already imported

APPLY = "import shutil; shutil.copytree(overlay, target, dirs_exist_ok=True)\n"
PROCESSES: dict[str, tuple[str, str, str]] = {
    "E2b mock in sys.modules": (
        APPLY + "import sys, types\n"
        "name = 'transformers.models.siglip.check'\n"
        "sys.modules[name] = types.ModuleType(name)\n",
        "transformers.models.siglip.check",
        "contradicted: ",
    ),
    "E3 correct": (
        APPLY + "import transformers.models.gemma.modeling_gemma\n",
        "transformers.models.gemma.modeling_gemma",
        "proven: ",
    ),
    "E4 copy after the import": (
        "import transformers.models.gemma.modeling_gemma\n" + APPLY,
        "transformers.models.gemma.modeling_gemma",
        "contradicted: the process runs other code",
    ),
    "E4b copy after import transformers": (
        "import transformers\n" + APPLY + "import transformers.models.gemma.modeling_gemma\n",
        "transformers.models.gemma.modeling_gemma",
        "proven: ",
    ),
    "P0 copied before the import": (APPLY + "import tiny.mod\n", "tiny.mod", "proven: "),
    "P0 copied after the import": (
        "import tiny.mod\n" + APPLY,
        "tiny.mod",
        "contradicted: the process runs other code",
    ),
    "P12 reload": (
        "import tiny.mod, importlib\n" + APPLY + "importlib.reload(tiny.mod)\n",
        "tiny.mod",
        "proven: ",
    ),
    "P12 reload beside a from-import": (
        "import user, tiny.mod, importlib\n" + APPLY + "importlib.reload(tiny.mod)\n",
        "tiny.mod",
        "contradicted: user.answer is still the object from before",
    ),
    "replaced at run time": (
        APPLY + "import tiny.mod\ntiny.mod.answer = lambda: 'other'\n",
        "tiny.mod",
        "contradicted: answer is not the code of",
    ),
}
ASSERT = """
import rocmlint
try:
    results = rocmlint.assert_loaded(manifest)
except rocmlint.NotProvenError as error:
    results = error.results
print(*(f"{each.subject}: {each.verdict}: {each.reason}" for each in results), sep="\\n")
"""


@pytest.mark.parametrize("name", PROCESSES)
def test_a_process_is_told_what_it_really_runs_where_all_is_well_on_disk(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    program, module, expected = PROCESSES[name]
    case = case_of(name, request, tmp_path)
    if case.package == "tiny":
        tiny(case)
        case.environment.write("user.py", "from tiny.mod import answer\n")
    case.environment.write("rocmlint_of_the_tests.pth", TORCH_AND_ROCMLINT)
    names = {"overlay": case.overlay, "target": case.target, "manifest": case.manifest()}
    values = "".join(f"{name} = {str(value)!r}\n" for name, value in names.items())
    done = case.environment.run("-c", values + program + ASSERT, cwd=case.folder)
    assert f"\n{module}: {expected}" in f"\n{done.stdout}", done.stderr
    assert {each["verdict"] for each in case.patches().values()} == {"proven"}
