"""The failure catalogue: how to build each case for real, and what is to be said of it.

E is an overlay of openpi's shape on transformers 4.53.2, P a module of two lines.
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

from tests.support.environments import Environment, plain_environment

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
    """Take from root what the modes of files deny, as for any other user (capabilities(7))."""
    drop_from_bounding_set, dac_override, dac_read_search = 24, 1, 2
    for capability in (dac_override, dac_read_search):
        ctypes.CDLL(None).prctl(drop_from_bounding_set, capability, 0, 0, 0)


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
        Expected("contradicted", "hashed", "the wheel's own file: the patch is not applied"),
    ),
    "E1 parents[1]": (
        one_too_high,
        Expected("contradicted", "hashed", "copied one directory too high"),
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
        Expected("contradicted", "hashed", "this user cannot write to its directory"),
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
        Expected("contradicted", "hashed", "the same size and modification time"),
    ),
    "P2 same size, same second": (
        same_size_same_second,
        Expected("contradicted", "hashed", "the same size and modification time"),
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
        Expected("contradicted", "hashed", "comes later on sys.path", {"tiny": "unproven"}),
    ),
}
