"""``rocmlint verify PATHS``: what code claims, and what an interpreter says of it."""

from __future__ import annotations

import base64
import hashlib
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.environments import Environment

if TYPE_CHECKING:
    from tests.support.project import Project

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "fixtures" / "patched_project"
STOCK = {
    "transformers/__init__.py": '__version__ = "4.53.2"\n',
    "transformers/models/__init__.py": "",
    "transformers/models/gemma/__init__.py": "",
    "transformers/models/gemma/modeling_gemma.py": "def forward():\n    return 'stock'\n",
}


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install a small transformers, with a RECORD, where it hides any other."""
    site = tmp_path_factory.mktemp("site")
    info = "transformers-4.53.2.dist-info"
    metadata = "Metadata-Version: 2.1\nName: transformers\nVersion: 4.53.2\n"
    rows = [f"{info}/RECORD,,"]
    for path, text in {**STOCK, f"{info}/METADATA": metadata}.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()
        rows.append(f"{path},sha256={digest.rstrip('=')},{len(text)}")
    (site / info / "RECORD").write_text("\n".join(rows) + "\n")
    return site


@pytest.fixture
def example(project: Project) -> Project:
    shutil.copytree(EXAMPLE, project.root / "app")
    return project


def results(project: Project, site: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    """Verify, and give the results by claim."""
    done = project.run("verify", *arguments, "--output-format", "json", PYTHONPATH=str(site))
    found = json.loads(done.stdout)["results"]
    return {each["claim"]: each for each in found}


def verdicts(project: Project, site: Path, *arguments: str) -> dict[str, tuple[str, str]]:
    return {
        claim: (each["verdict"], each["strength"])
        for claim, each in results(project, site, *arguments).items()
    }


CONTRADICTED = ("contradicted", "located")
COPIED = "`transformers/models` has the files of `app/overlay/models`"
CHECKED = "`transformers` is patched, as app/serve.py:21 assumes"
GEMMA = "`transformers/models/gemma` has the files of `app/overlay/models/gemma`"
LATE = "`transformers.models.gemma.modeling_gemma` is replaced at run time"
AITER = "the fast path `set_use_aiter_attention` is taken"


def test_each_cause_is_told_once_with_the_rules_that_found_it(example: Project, site: Path) -> None:
    done = example.run("verify", "app", PYTHONPATH=str(site))
    assert done.returncode == 1
    details = done.stdout.partition("\n\n")[2]
    rules = [line.partition(": ROC")[2] for line in details.splitlines() if ": ROC" in line]
    assert sorted(rules) == [
        "101 package-path-level",
        "117 copy-after-import",
        "117 copy-after-import",
        "301 disabled-feature-toggle",
    ]
    causes = [part.partition("  why: ")[2].partition("\n  c")[0] for part in details.split("\n\n")]
    assert len(set(causes[:-1])) == len(causes[:-1])  # the last part counts the verdicts
    assert done.stdout.startswith("verdict ")


def test_a_copy_that_landed_one_folder_too_high_is_contradicted(
    example: Project, site: Path
) -> None:
    shutil.copytree(example.root / "app" / "overlay" / "models", site / "models")
    found = results(example, site, "app")[COPIED]
    assert found["verdict"] == "contradicted"
    assert "one directory too high" in found["reason"]


def test_the_command_to_copy_what_is_missing_can_be_typed_as_it_stands(
    example: Project, site: Path
) -> None:
    command, _, _ = results(example, site, "app")[COPIED]["action"].partition("; ")
    subprocess.run(shlex.split(command), cwd=example.root, check=True)
    assert results(example, site, "app")[COPIED]["verdict"] == "proven"


def test_nothing_is_copied_over_another_version_than_the_project_pins(
    example: Project, site: Path
) -> None:
    info = next(site.glob("*.dist-info"))
    other = info.with_name("transformers-5.24.0.dist-info")
    info.rename(other)
    metadata = "Metadata-Version: 2.1\nName: transformers\nVersion: 5.24.0\n"
    (other / "METADATA").write_text(metadata)
    (other / "RECORD").write_text((other / "RECORD").read_text().replace(info.name, other.name))
    found = results(example, site, "app")
    for claim in (COPIED, CHECKED, GEMMA):
        assert (found[claim]["verdict"], found[claim]["seen"]) == ("contradicted", "version 5.24.0")
        assert "transformers 4.53.2 is pinned in " in found[claim]["reason"]
    assert not [each for each in found.values() if each["action"].startswith("cp ")]
    (example.root / "app/pyproject.toml").unlink()  # then nothing says which version is right
    assert results(example, site, "app")[COPIED]["action"].startswith("cp ")


FAKE = """\
import sys
from unittest.mock import MagicMock

sys.modules["transformers.models.siglip.check"] = MagicMock()
"""


def test_the_command_of_a_faked_check_proves_nothing_while_the_fake_is_there(
    example: Project, site: Path
) -> None:
    example.write("app/serve.py", FAKE)
    example.write("app/overlay/models/siglip/check.py", "def check(): ...\n")
    printed = example.run("check", "app/serve.py", "--select", "ROC102").stdout
    confirm = printed.partition("= confirm: ")[2].partition("\n")[0]
    assert confirm == "rocmlint verify app/serve.py"

    def said() -> tuple[str, str, str]:
        every = results(example, site, *shlex.split(confirm)[2:])
        (found,) = [each for claim, each in every.items() if "is patched" in claim]
        return found["verdict"], found["seen"], found["action"]

    verdict, seen, _ = said()
    assert (verdict, "faked" in seen) == ("contradicted", False)
    overlay = example.root / "app" / "overlay"
    example.run(
        "verify", "manifest", str(overlay), "--package", "transformers==4.53.2",
        "--output", "app/patches.toml",
    )  # fmt: skip
    example.write("app/rocmlint.toml", '[verify]\nmanifests = ["patches.toml"]\n')
    shutil.copytree(overlay, site / "transformers", dirs_exist_ok=True)
    verdict, seen, action = said()
    assert (verdict, "and the check is faked" in seen) == ("contradicted", True)
    assert action == "remove the fake at app/serve.py:4"


def test_a_patched_disk_proves_files_but_not_the_running_program(
    example: Project, site: Path
) -> None:
    overlay = example.root / "app" / "overlay" / "models"
    shutil.copytree(overlay, site / "transformers" / "models", dirs_exist_ok=True)
    assert verdicts(example, site, "app") == {
        COPIED: ("proven", "hashed"),
        CHECKED: ("proven", "hashed"),  # the check is in the overlay, so that is what it is about
        GEMMA: ("proven", "hashed"),
        LATE: ("unproven", "located"),
        AITER: ("unproven", "located"),  # the patch defines it, and nothing shows that it runs
    }


def test_a_manifest_in_the_configuration_tells_what_a_check_should_look_at(
    example: Project, site: Path
) -> None:
    overlay = example.root / "app" / "overlay"
    example.run(
        "verify", "manifest", str(overlay), "--package", "transformers==4.53.2",
        "--output", "app/patches.toml",
    )  # fmt: skip
    with (example.root / "app" / "pyproject.toml").open("a") as file:
        file.write('\n[tool.rocmlint.verify]\nmanifests = ["patches.toml"]\n')
    assert verdicts(example, site, "app")[CHECKED] == CONTRADICTED
    shutil.copytree(overlay, site / "transformers", dirs_exist_ok=True)
    assert verdicts(example, site, "app")[CHECKED] == ("proven", "hashed")


def test_a_patch_of_a_name_that_is_gone_is_contradicted(project: Project, site: Path) -> None:
    project.write(
        "patch.py",
        "from transformers.models.gemma import modeling_gemma\n\n"
        "def ours(): ...\n\n"
        "modeling_gemma.GemmaFlashAttention2 = ours\n"
        "modeling_gemma.forward = ours\n",
    )
    assert verdicts(project, site, "patch.py") == {
        "`GemmaFlashAttention2` is replaced at run time": CONTRADICTED,
        "`forward` is replaced at run time": ("unproven", "located"),
    }


def test_a_method_is_looked_for_where_its_class_is_defined(project: Project, site: Path) -> None:
    (site / "transformers/__init__.py").write_text("from .models.gemma import *\n")
    (site / "transformers/models/gemma/__init__.py").write_text(
        "from .modeling_gemma import GemmaMLP as GemmaMLP, forward\n"
    )
    defining = site / "transformers/models/gemma/modeling_gemma.py"
    defining.write_text("def forward(): ...\n\nclass GemmaMLP:\n    def forward(self): ...\n")
    project.write(
        "patch.py",
        "import transformers\n\ndef ours(): ...\n\n"
        "transformers.GemmaMLP.forward = ours\n"
        "transformers.GemmaMLP._gone = ours\n"
        "transformers.forward = ours\n",
    )
    found = results(project, site, "patch.py")
    method = found["`GemmaMLP.forward` is replaced at run time"]
    module = "transformers.models.gemma.modeling_gemma"
    assert method["action"].startswith("rocmlint verify manifest --functions patch.py --output ")
    entry = f'[[function]]\nname = "{module}:GemmaMLP.forward"\nfile = "patch.py"\n'
    assert {"name": "for a manifest", "value": f'{entry}function = "ours"'} in method["evidence"]
    assert {"name": "what is replaced", "value": f"{defining}:4"} in method["evidence"]
    assert found["`GemmaMLP._gone` is replaced at run time"]["seen"] == "not named in its file"
    function = found["`forward` is replaced at run time"]  # set where it is only passed on
    assert function["action"].startswith("after the patch, let the program print")


def test_a_module_without_a_file_is_not_called_there(project: Project, site: Path) -> None:
    lazy = "import sys\nsys.modules[__name__] = object()\n"
    (site / "transformers/models/__init__.py").write_text(lazy)
    project.write(
        "patch.py",
        "from transformers.models.qwen9 import modeling_qwen9\n\n"
        "def ours(): ...\n\nmodeling_qwen9.forward = ours\n",
    )
    (found,) = results(project, site, "patch.py").values()
    assert (found["verdict"], found["seen"]) == ("unproven", "no such file")
    assert "transformers.models.qwen9" in found["reason"]


def test_many_names_of_a_module_that_fare_alike_are_one_result(
    project: Project, site: Path
) -> None:
    names = [f"f{number}" for number in range(20)]
    gemma = site / "transformers/models/gemma/modeling_gemma.py"
    gemma.write_text("".join(f"def {name}(): ...\n" for name in names))
    module = "from transformers.models.gemma import modeling_gemma\n\ndef ours(): ...\n\n"
    lines = (f"modeling_gemma.{name} = ours\n" for name in names)
    project.write("patch.py", module + "".join(lines))
    (found,) = results(project, site, "patch.py").values()
    assert found["claim"] == "`f0`, `f1` and 18 more are replaced at run time"
    assert found["evidence"][-1]["value"].endswith("f18, f19")


def test_a_package_that_is_missing_is_one_result_with_all_that_needs_it(
    project: Project, site: Path
) -> None:
    project.write("first.py", "import aiter\n")
    project.write("second.py", "try:\n    import aiter\nexcept ImportError:\n    aiter = None\n")
    project.write("third.py", "import aiter\nimport xformers\n")
    project.write("fourth.py", "import aiter\n\ndef ours(): ...\n\naiter.gemm = ours\n")
    found = results(project, site, ".")
    assert list(found) == ["`aiter` can be imported (3 claims depend on it)", "`xformers` loads"]
    missing = found["`aiter` can be imported (3 claims depend on it)"]
    assert (missing["verdict"], missing["subject"], missing["seen"]) == (
        *("contradicted", "aiter", "not installed"),
    )
    needed = [each["value"] for each in missing["evidence"] if each["name"] == "needed by"]
    assert "`aiter` loads (first.py:1, fourth.py:1, third.py:1)" in needed
    assert "`aiter` loads, or the code continues without it (second.py:2)" in needed
    assert "`gemm` is replaced at run time (fourth.py:5)" in needed


def test_a_package_that_all_code_can_do_without_stays_unproven(
    project: Project, site: Path
) -> None:
    guarded = "try:\n    import aiter\nexcept ImportError:\n    aiter = None\n"
    project.write("first.py", guarded)
    project.write("second.py", guarded)
    (found,) = results(project, site, ".").values()
    assert found["verdict"] == "unproven"


def test_the_interpreter_and_its_torch_are_named_first(project: Project, site: Path) -> None:
    project.write("job.py", "import aiter\n")

    def first_line() -> str:
        named = ("--python", sys.executable)
        return project.run("verify", "job.py", *named, PYTHONPATH=str(site)).stderr.split("\n")[0]

    first = first_line()
    version = ".".join(map(str, sys.version_info[:3]))
    assert first.startswith(f"asking {sys.executable} (Python {version}, torch ")
    for text, said in (
        ("__version__ = '2.9.1+rocm6.4'\nhip = '6.4.43482'\n", "2.9.1+rocm6.4, ROCm 6.4.43482"),
        ("__version__ = '2.9.1+cu128'\nhip = None\ncuda = '12.8'\n", "2.9.1+cu128, CUDA 12.8"),
        ("__version__ = '2.9.1+cpu'\ncuda = None\n", "2.9.1+cpu, CPU"),
    ):
        (site / "torch").mkdir(exist_ok=True)
        (site / "torch/__init__.py").write_text("raise SystemExit('torch was imported')\n")
        (site / "torch/version.py").write_text(text)
        first = first_line()
        assert f"torch {said} build)" in first


def test_an_interpreter_without_torch_is_hardly_that_of_the_job(
    project: Project, tmp_path: Path
) -> None:
    bare = Environment(tmp_path / "bare").python
    project.write("job.py", "import aiter\n")
    first, *_ = project.run("verify", "job.py", "--python", str(bare)).stderr.splitlines()
    assert first.startswith(f"asking {bare} (")
    assert first.endswith("is not installed); if the job runs in another interpreter, use --python")


def test_a_folder_that_is_left_out_does_not_make_a_proof_an_error(
    project: Project, site: Path
) -> None:
    project.write("third_party/other/job.py", "import aiter\n")
    (site / "aiter.py").write_text("__version__ = '0.1.7'\n")
    project.write("job.py", "import aiter\n")
    done = project.run("verify", ".", PYTHONPATH=str(site))
    assert "third_party: not linted" in done.stderr
    assert done.returncode == 0


def test_a_package_that_the_code_can_do_without_is_not_held_against_it(
    project: Project, site: Path
) -> None:
    project.write("job.py", "try:\n    import aiter\nexcept ImportError:\n    aiter = None\n")
    done = project.run("verify", "job.py", PYTHONPATH=str(site))
    assert done.returncode == 3
    project.write("job.py", "import aiter\n")
    assert project.run("verify", "job.py", PYTHONPATH=str(site)).returncode == 1
    (site / "aiter.py").write_text("__version__ = '0.1.7'\n")
    assert project.run("verify", "job.py", PYTHONPATH=str(site)).returncode == 0


def test_code_that_claims_nothing_is_not_called_proven(project: Project) -> None:
    project.write("job.py", "print('hello')\n")
    done = project.run("verify", "job.py")
    assert (done.returncode, done.stdout) == (3, "There was nothing to check.\n")


def test_a_misspelt_verb_is_not_taken_for_a_path(project: Project) -> None:
    done = project.run("verify", "variabels")
    assert done.returncode == 2
    assert "did you mean 'variables'?" in done.stderr


def test_help_fits_a_narrow_terminal(project: Project) -> None:
    for verb in ((), ("stock",), ("run",), ("kernels",)):
        done = project.run("verify", *verb, "--help", COLUMNS="80")
        assert max(map(len, done.stdout.splitlines())) <= 80, verb


def test_a_file_that_cannot_be_read_is_an_error_and_hides_nothing(project: Project) -> None:
    project.write("broken.py", "import aiter (\n")
    project.write("job.py", "import aiter\n")
    done = project.run("verify", ".")
    assert done.returncode == 2
    assert "broken.py:1: cannot be parsed" in done.stderr
    assert "0 proven, 1 contradicted" in done.stdout


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            'manifest = ["a.toml"]',
            "unknown key 'manifest' in [tool.rocmlint.verify]; did you mean 'manifests'?",
        ),
        ('manifests = "a.toml"', "must be a table whose values are lists of strings"),
        ('manifests = ["missing.toml"]', "missing.toml: cannot be read: No such file"),
    ],
)
def test_a_wrong_configuration_is_an_error_with_its_place(
    project: Project, table: str, message: str
) -> None:
    project.write("rocmlint.toml", f"[verify]\n{table}\n")
    done = project.run("verify", ".")
    assert done.returncode == 2
    assert message in done.stderr
