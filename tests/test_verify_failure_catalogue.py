"""Patches that look installed and are not live, each built for real: none may pass as proven.

The letters are those of the catalogue that these cases come from: E is an overlay of openpi's shape
on transformers 4.53.2, P a module of two lines.
"""

from __future__ import annotations

import ctypes
import json
import os
import py_compile
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from environments import Environment, plain_environment

if TYPE_CHECKING:
    from collections.abc import Callable

GEMMA = "transformers/models/gemma/modeling_gemma.py"
MARK = "patched by the catalogue"
CHECK = """\
import transformers

def check_whether_the_patch_is_installed():
    return transformers.__version__ == "4.53.2"
"""
TINY = "tiny/mod.py"
OLD, NEW = ("def answer():\n    return 'old'\n", "def answer():\n    return 'new'\n")


IMPORTED = {
    GEMMA: f"""\
import importlib.util, marshal
spec = importlib.util.find_spec("transformers.models.gemma.modeling_gemma")
print({MARK.encode()!r} in marshal.dumps(spec.loader.get_code(spec.name)))
""",
    "transformers/models/siglip/check.py": """\
import transformers.models.siglip.check as check
print(hasattr(check, "check_whether_the_patch_is_installed"))
""",
    TINY: "import tiny.mod\nprint(tiny.mod.answer() == 'new')\n",
    "tiny/__init__.py": "import tiny\nprint(tiny.__file__ is not None)\n",
}
"""Programs that print whether the patch of a file is what an import gets."""


@dataclass
class Case:
    """An environment that a builder brings into the state of its case."""

    environment: Environment
    folder: Path
    overlay: Path
    package: str
    subject: str
    variables: dict[str, str] = field(default_factory=dict)
    working_folder: Path | None = None
    command_prefix: Callable[[], None] | None = None
    """Runs in the child before rocmlint and before Python."""
    python: Path | None = None

    @property
    def target(self) -> Path:
        return self.environment.site / self.package

    def apply(self) -> None:
        shutil.copytree(self.overlay, self.target, dirs_exist_ok=True)

    def verify(self, *arguments: str) -> list[dict[str, Any]]:
        done = subprocess.run(
            [sys.executable, "-m", "rocmlint", "verify", *arguments, "--output-format", "json"],
            env=plain_environment(**self.variables),
            cwd=self.working_folder or self.folder,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=self.command_prefix,
        )
        assert done.returncode in {0, 1, 3}, done.stderr
        results: list[dict[str, Any]] = json.loads(done.stdout)["results"]
        return results

    def manifest(self) -> str:
        path = self.folder / "manifest.toml"
        version = "4.53.2" if self.package == "transformers" else "1.0"
        command = ["verify", "manifest", str(self.overlay), "--output", str(path)]
        subprocess.run(
            [sys.executable, "-m", "rocmlint", *command, "--package", f"{self.package}=={version}"],
            check=True,
            capture_output=True,
        )
        return str(path)

    def patches(self) -> dict[str, dict[str, Any]]:
        python = str(self.python or self.environment.python)
        results = self.verify("patches", "--manifest", self.manifest(), "--python", python)
        return {each["subject"]: each for each in results}


@dataclass
class Expected:
    """What is to be said of the case's subject."""

    verdict: str
    strength: str
    reason: str
    other_subjects: dict[str, str] = field(default_factory=dict)
    """Verdicts, by subject."""


# ---- E: transformers


@pytest.fixture(scope="session")
def transformers_environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Give an environment with transformers 4.53.2 as pip installs it; torch is the tests' own."""
    made = Environment(tmp_path_factory.mktemp("transformers") / "environment")
    wanted = ["transformers==4.53.2", "huggingface-hub<1.0", "tokenizers<0.22"]
    wanted += ["requests", "urllib3", "certifi", "idna", "charset_normalizer"]
    pip = [sys.executable, "-m", "pip", "--python", str(made.python), "install", "--quiet"]
    pip += ["--no-deps", "--no-compile", "--no-cache-dir", *wanted]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"transformers 4.53.2 cannot be installed: {done.stderr.strip()[-200:]}")
    made.write("torch_of_the_tests.pth", sysconfig.get_path("purelib") + "\n")
    imported = made.run(
        "-c", IMPORTED[GEMMA], USE_TORCH="0"
    )  # leaves its bytecode, as in every environment used
    assert imported.stdout == "False\n", imported.stderr
    return made


@pytest.fixture(scope="session")
def overlay(
    transformers_environment: Environment, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Give patch files in openpi's layout, made from the installed ones."""
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


def stock(case: Case) -> None:
    """Copy nothing."""


def one_too_high(case: Case) -> None:
    shutil.copytree(case.overlay, case.target.parent, dirs_exist_ok=True)  # parents[1]


def only_the_check(case: Case) -> None:
    shutil.copy(case.overlay / "models/siglip/check.py", case.target / "models/siglip/")


def mock_at_start(case: Case) -> None:
    case.apply()
    case.environment.write(
        "mock_check.py",
        "import sys, types\n"
        "sys.modules['transformers.models.siglip.check'] = types.ModuleType('MockCheck')\n",
    )
    case.environment.write("mock_check.pth", "import mock_check\n")
    case.subject = "transformers/models/siglip/check.py"


def correct(case: Case) -> None:
    case.apply()


def into_another_folder_of_the_package(case: Case) -> None:
    shutil.copytree(case.overlay, case.target / case.overlay.name)  # cp -r without /*


def read_only(case: Case) -> None:
    for folder, _, _ in os.walk(case.target):
        os.chmod(folder, 0o555)  # noqa: S103 - as an image has it
    case.command_prefix = without_power_over_modes
    target = case.target / "models/gemma/modeling_gemma.py"
    copied = subprocess.run(
        ["cp", "--remove-destination", case.overlay / "models/gemma/modeling_gemma.py", target],
        capture_output=True,
        check=False,
        preexec_fn=without_power_over_modes,
    )
    assert copied.returncode != 0


def without_power_over_modes() -> None:
    """Take from root what the modes of files deny (CAP_DAC_OVERRIDE), as for any other user."""
    drop_from_bounding_set, dac_override = 24, 1
    ctypes.CDLL(None).prctl(drop_from_bounding_set, dac_override, 0, 0, 0)


def other_interpreter(case: Case) -> None:
    case.apply()
    case.python = Path(sys.executable)  # has transformers 5


def shadowed_by_pythonpath(case: Case) -> None:
    shadow = case.folder / "shadow"
    shutil.copytree(case.target, shadow / "transformers")
    case.apply()
    case.variables["PYTHONPATH"] = str(shadow)


# ---- P: a module of two lines


def tiny(case: Case) -> Path:
    """Install the old module, let Python compile it, and give its path."""
    case.environment.install("tiny", "1.0", {"tiny/__init__.py": "", TINY: OLD})
    path = case.environment.site / TINY
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert case.environment.run("-c", "import tiny.mod").returncode == 0
    assert (path.parent / "__pycache__").is_dir()
    return path


def same_size_and_time_kept(case: Case) -> None:
    path = tiny(case)
    source = case.overlay / "mod.py"
    os.utime(source, (1_700_000_000, 1_700_000_000))
    shutil.copy2(source, path)


def same_size_same_second(case: Case) -> None:
    path = tiny(case)
    path.write_text(NEW)
    os.utime(path, ns=(0, 1_700_000_000_987_654_321))


def unchecked_hash(case: Case) -> None:
    path = tiny(case)
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(path), invalidation_mode=mode)
    path.write_text(NEW)


def unchecked_hash_of_the_patch(case: Case) -> None:
    path = tiny(case)
    path.write_text(NEW)
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(path), invalidation_mode=mode)


def checked_hash(case: Case) -> None:
    path = tiny(case)
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    py_compile.compile(str(path), invalidation_mode=mode)
    path.write_text(NEW)


def copied_later(case: Case) -> None:
    tiny(case).write_text(NEW)


def without_source(case: Case) -> None:
    path = tiny(case)
    py_compile.compile(str(path), cfile=f"{path}c")
    path.unlink()


def in_an_archive(case: Case) -> None:
    archive(case, {"tiny/__init__.py": "", TINY: NEW})


def old_in_an_archive(case: Case) -> None:
    archive(case, {"tiny/__init__.py": "", TINY: OLD})


def archive(case: Case, files: dict[str, str | bytes]) -> None:
    path = case.folder / "packages.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name, content in files.items():
            file.writestr(zipfile.ZipInfo(name, (2023, 11, 14, 22, 13, 20)), content)
    case.variables["PYTHONPATH"] = str(path)


def stale_bytecode_in_an_archive(case: Case) -> None:
    path = tiny(case)
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    compiled = py_compile.compile(str(path), cfile=f"{path}c", invalidation_mode=mode)
    assert compiled is not None
    archive(case, {"tiny/__init__.py": "", TINY: NEW, f"{TINY}c": Path(compiled).read_bytes()})


def namespace_without_init(case: Case) -> None:
    tiny(case).write_text(NEW)
    (case.overlay / "__init__.py").write_text("# patched\n")
    (case.target / "__init__.py").unlink()
    case.subject = "tiny/__init__.py"


def inside_a_namespace(case: Case) -> None:
    tiny(case).write_text(NEW)
    (case.target / "__init__.py").unlink()


def extension_beside_the_source(case: Case) -> None:
    path = tiny(case)
    path.write_text(NEW)
    path.with_suffix(sysconfig.get_config_var("EXT_SUFFIX")).write_bytes(b"\x7fELF")


def leftover_before_an_editable_install(case: Case) -> None:
    project = case.folder / "project" / "src"
    (project / "tiny").mkdir(parents=True)
    (project / "tiny" / "__init__.py").touch()
    (project / TINY).write_text(NEW)
    place = case.environment.install("tiny", "1.0", {"__editable__.tiny.pth": f"{project}\n"})
    origin = {"dir_info": {"editable": True}, "url": f"file://{project.parent}"}
    (place / "direct_url.json").write_text(json.dumps(origin))
    case.environment.write("tiny/__init__.py", "")
    case.environment.write(TINY, OLD)


def editable_install(case: Case) -> None:
    leftover_before_an_editable_install(case)
    shutil.rmtree(case.target)


CASES: dict[str, tuple[Callable[[Case], None], Expected]] = {
    "E0 stock": (
        stock,
        Expected("contradicted", "hashed", "the wheel's own file: the patch is not there"),
    ),
    "E1 parents[1]": (
        one_too_high,
        Expected("contradicted", "hashed", "copied one folder too high"),
    ),
    "E1 the folder itself copied": (
        into_another_folder_of_the_package,
        Expected("contradicted", "hashed", "where no import looks"),
    ),
    "E2 only check.py copied": (
        only_the_check,
        Expected(
            "contradicted",
            "hashed",
            "the wheel's own file",
            {"transformers/models/siglip/check.py": "proven"},
        ),
    ),
    "E2b mock of check.py at start": (
        mock_at_start,
        Expected("contradicted", "located", "already put transformers.models.siglip.check"),
    ),
    "E3 correct": (correct, Expected("proven", "hashed", "", {"transformers": "proven"})),
    "E5 read-only": (
        read_only,
        Expected("contradicted", "hashed", "may not be written to by this user"),
    ),
    "E6 other interpreter": (
        other_interpreter,
        Expected("contradicted", "hashed", "", {"transformers": "contradicted"}),
    ),
    "E7 PYTHONPATH shadow": (
        shadowed_by_pythonpath,
        Expected("contradicted", "hashed", "comes later on sys.path", {"transformers": "unproven"}),
    ),
    "P1 same size, time kept": (
        same_size_and_time_kept,
        Expected("contradicted", "hashed", "the same size and second"),
    ),
    "P2 same size, same second": (
        same_size_same_second,
        Expected("contradicted", "hashed", "the same size and second"),
    ),
    "P4 unchecked hash": (
        unchecked_hash,
        Expected("contradicted", "hashed", "never compares with its source"),
    ),
    "P4 unchecked hash of the patch": (
        unchecked_hash_of_the_patch,
        Expected("proven", "hashed", ""),
    ),
    "P4 checked hash": (checked_hash, Expected("proven", "hashed", "")),
    "P0 copied later": (copied_later, Expected("proven", "hashed", "")),
    "P7 bytecode without source": (
        without_source,
        Expected("unproven", "located", "bytecode without source"),
    ),
    "P10 zip": (in_an_archive, Expected("proven", "hashed", "")),
    "P10 zip, stock": (old_in_an_archive, Expected("contradicted", "hashed", "not the manifest's")),
    "P10 zip, stale bytecode": (
        stale_bytecode_in_an_archive,
        Expected("contradicted", "hashed", "compiled from other source"),
    ),
    "P11 namespace, no __init__": (
        namespace_without_init,
        Expected("contradicted", "located", "namespace package"),
    ),
    "P11 inside a namespace": (inside_a_namespace, Expected("proven", "hashed", "")),
    "extension beside the source": (
        extension_beside_the_source,
        Expected("contradicted", "located", "loaded before any .py file"),
    ),
    "editable install": (editable_install, Expected("proven", "hashed", "", {"tiny": "proven"})),
    "editable install with a leftover": (
        leftover_before_an_editable_install,
        Expected("contradicted", "hashed", "comes later on sys.path"),
    ),
}


@dataclass
class Built:
    name: str
    case: Case
    expected: Expected
    results: dict[str, dict[str, Any]]


@pytest.fixture(scope="module", params=CASES)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    build, expected = CASES[request.param]
    folder = tmp_path_factory.mktemp("case")
    if request.param.startswith("E"):
        base: Environment = request.getfixturevalue("transformers_environment")
        patch: Path = request.getfixturevalue("overlay")
        environment = base.copy(folder / "environment")
        case = Case(environment, folder, patch, "transformers", GEMMA)
    else:
        patch = folder / "tiny_replace"
        patch.mkdir()
        (patch / "mod.py").write_text(NEW)
        environment = Environment(folder / "environment")
        case = Case(environment, folder, patch, "tiny", TINY)
    build(case)
    return Built(request.param, case, expected, case.patches())


def test_each_case_gets_its_verdict_and_reason(built: Built) -> None:
    result, expected = built.results[built.case.subject], built.expected
    assert (result["verdict"], result["strength"]) == (expected.verdict, expected.strength)
    assert expected.reason in result["reason"]


def test_the_rest_of_the_manifest_and_the_version_are_judged_on_their_own(built: Built) -> None:
    verdicts = {each: built.results[each]["verdict"] for each in built.expected.other_subjects}
    assert verdicts == built.expected.other_subjects


def test_what_is_proven_is_what_an_import_gets(built: Built) -> None:
    case = built.case
    python = Environment(case.environment.root)
    python.python = case.python or python.python
    variables = {**case.variables, "USE_TORCH": "0"}  # half of the time, and not needed here
    done = python.run("-c", IMPORTED[case.subject], cwd=case.folder, **variables)
    is_live = done.stdout.strip() == "True"
    assert (built.results[case.subject]["verdict"] == "proven") == is_live, done.stderr
