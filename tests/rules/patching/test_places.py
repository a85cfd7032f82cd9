"""Rules that look at the folders around a file: what is installed, what the project holds."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from rocmlint.config.settings import Settings
from rocmlint.lint.check import check
from rocmlint.lint.run import Options, run
from rocmlint.lint.selection import enabled_rules
from rocmlint.source.file import project_of
from rocmlint.source.python import Source

if TYPE_CHECKING:
    from pathlib import Path

ESCAPES = """\
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
"""


def write(root: Path, place: str, text: str = "") -> Path:
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def lines(
    root: Path, place: str, text: str, code: str, environment: Path | None = None
) -> list[int]:
    """Lint a file of a project and return the lines where a rule finds something."""
    path = write(root, place, text)
    chosen = None if environment is None else str(environment)
    settings = Settings(select=(code,), preview=True, environment=chosen)
    source = Source(str(path), text, place=place, project=project_of(str(path), settings))
    return [each.line for each in check(source, enabled_rules(settings))]


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """Return a folder into which a wheel was unpacked, with its package ``speechlab``."""
    write(tmp_path, "speechlab-1.0.dist-info/METADATA")
    write(tmp_path, "speechlab/__init__.py")
    write(tmp_path, "speechlab/metrics/__init__.py")
    return tmp_path


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return the folder of the packages of an environment."""
    write(tmp_path, "environment/pyvenv.cfg")
    site = tmp_path / "environment" / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    return site


@pytest.mark.parametrize(
    "use",
    [
        'SCRIPT = ROOT / "tools" / "score.pl"',
        'sys.path.append(os.path.join(str(ROOT), "Checkout"))',
        'CHECKOUT = ROOT / "Checkout"\nif CHECKOUT.exists():\n    sys.path.append(str(CHECKOUT))',
    ],
)
def test_an_installed_package_that_leaves_itself_for_its_checkout_is_found(
    unpacked: Path, use: str
) -> None:
    assert lines(unpacked, "speechlab/metrics/score.py", f"{ESCAPES}{use}\n", "ROC113") == [6]


def test_copying_the_folder_above_an_installed_package_is_found(unpacked: Path) -> None:
    text = (
        "import os\nimport shutil\n\nhere = os.path.realpath(__file__)\n"
        "for _ in range(4):\n    here = os.path.dirname(here)\n"
        'shutil.copytree(here, "code")\n'
    )
    assert lines(unpacked, "speechlab/metrics/score.py", text, "ROC113") == [7]


@pytest.mark.parametrize(
    "use",
    [
        'RECIPES = ROOT / "recipes"',
        'LIBRARIES = ROOT / "torch.libs"',
        'CONFIG = ROOT / "torch" / "share"',
        'for folder in (Path.cwd() / "data", ROOT / "data"):\n    print(folder)',
        'CACHE = os.environ.get("CACHE", ROOT / "cache")',
        'if not (ROOT / "assets").is_dir():\n    raise SystemExit("clone the repository")',
        'DATA = ROOT / "data"\nif not DATA.exists():\n    DATA = Path("data")',
        'try:\n    text = (ROOT / "VERSION").read_text()\nexcept OSError:\n    text = "unknown"',
        "sys.path.insert(0, str(ROOT))",
    ],
)
def test_an_installed_package_may_look_beside_itself(unpacked: Path, use: str) -> None:
    write(unpacked, "recipes/train.py")
    assert lines(unpacked, "speechlab/metrics/score.py", f"{ESCAPES}{use}\n", "ROC113") == []


def test_tests_and_scripts_in_a_wheel_may_leave_the_package(unpacked: Path) -> None:
    text = f'{ESCAPES}SAMPLES = ROOT / "samples"\n'
    assert lines(unpacked, "speechlab/tests/test_score.py", text, "ROC113") == []


def test_a_checkout_may_use_its_own_folders(tmp_path: Path) -> None:
    write(tmp_path, "src/speechlab/__init__.py")
    text = f'{ESCAPES}OUTPUT = ROOT / "outputs"\n'
    assert lines(tmp_path, "src/speechlab/train.py", text, "ROC113") == []


OWN_ENTRY = """\
from pathlib import Path

import speechlab

TOKENS = Path(speechlab.__file__).parents[1] / "tokens"
OTHERS = Path(speechlab.__file__).parents[1] / "others"
"""


def test_an_entry_is_looked_up_in_the_environment_that_is_set(
    installed: Path, tmp_path: Path
) -> None:
    write(installed, "speechlab/__init__.py")
    write(installed, "speechlab/tokens/vocabulary.json")
    environment = tmp_path / "environment"
    assert lines(tmp_path / "project", "tokens.py", OWN_ENTRY, "ROC101", environment) == [5]


def test_a_package_of_the_project_is_not_an_installed_one(installed: Path, tmp_path: Path) -> None:
    write(installed, "speechlab/models/small.py")
    write(tmp_path, "project/src/speechlab/__init__.py")
    text = (
        "from pathlib import Path\n\nimport speechlab\n\n"
        'MODELS = Path(speechlab.__file__).parents[1] / "models"\n'
    )
    environment = tmp_path / "environment"
    found = lines(tmp_path / "project", "tests/test_models.py", text, "ROC101", environment)
    assert found == []


VENDORED = """\
import sys

sys.path.append("vendor")
import msgpack

msgpack.packb([])
"""


def test_an_installed_package_hides_a_vendored_one(installed: Path, tmp_path: Path) -> None:
    write(tmp_path, "project/vendor/msgpack/__init__.py")
    environment = tmp_path / "environment"
    assert lines(tmp_path / "project", "job.py", VENDORED, "ROC105", environment) == []
    write(installed, "msgpack/__init__.py")
    assert lines(tmp_path / "project", "work.py", VENDORED, "ROC105", environment) == [3]


def test_what_lies_beside_rocmlint_changes_no_finding(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> list[list[int]]:
        project = tmp_path / "project"
        return [
            lines(project, "a.py", OWN_ENTRY, "ROC101"),
            lines(project, "b.py", VENDORED, "ROC105"),
        ]

    write(tmp_path, "project/vendor/msgpack/__init__.py")
    before = found()
    write(installed, "speechlab/tokens/vocabulary.json")
    write(installed, "msgpack/__init__.py")
    monkeypatch.setattr(sys, "path", [*sys.path, str(installed)])
    assert found() == before


APPENDED = """\
import os
import sys

sys.path.append(os.path.abspath(os.path.join(os.path.dirname(__file__), os.path.pardir)))
from megatron.training import get_args

print(get_args())
"""


def test_a_folder_of_the_project_that_holds_the_package_is_found(tmp_path: Path) -> None:
    write(tmp_path, "megatron/__init__.py")
    assert lines(tmp_path, "tools/preprocess.py", APPENDED, "ROC105") == [4]


def test_a_namespace_package_that_a_requirement_brings_too_is_found(tmp_path: Path) -> None:
    write(tmp_path, "megatron/core/__init__.py")
    write(tmp_path, ".git/HEAD")
    write(tmp_path, "requirements.txt", "megatron-core\n")
    assert lines(tmp_path, "tools/preprocess.py", APPENDED, "ROC105") == [4]


def test_a_namespace_package_of_the_project_is_found(tmp_path: Path) -> None:
    write(tmp_path, "megatron/core/__init__.py")
    assert lines(tmp_path, "tools/preprocess.py", APPENDED, "ROC105") == [4]


def test_a_folder_of_the_project_without_the_package_is_silent(tmp_path: Path) -> None:
    write(tmp_path, "third_party/megatron/__init__.py")
    assert lines(tmp_path, "tools/preprocess.py", APPENDED, "ROC105") == []


def test_a_submodule_that_is_not_checked_out_may_hold_the_package(tmp_path: Path) -> None:
    (tmp_path / "third_party" / "Megatron-LM").mkdir(parents=True)
    text = APPENDED.replace("os.path.pardir", '"..", "third_party", "Megatron-LM"')
    assert lines(tmp_path, "tools/preprocess.py", text, "ROC105") == [4]


def test_a_bundled_checkout_with_a_generic_name_is_on_the_path_on_purpose(tmp_path: Path) -> None:
    write(tmp_path, "models/resnet.py")
    text = 'import sys\n\nsys.path.append("..")\nimport models\n\nmodels.resnet\n'
    assert lines(tmp_path, "training/train.py", text, "ROC105") == []


def test_a_folder_in_front_that_comes_after_the_import_is_found(tmp_path: Path) -> None:
    write(tmp_path, "vendor/transformers/__init__.py")
    text = (
        "import sys\n\nimport transformers\n\n"
        'sys.path.insert(0, "vendor")\nfrom transformers import AutoModel\n'
        "\nAutoModel.from_pretrained('gpt2')\n"
    )
    assert lines(tmp_path, "serve.py", text, "ROC105") == [5]


def test_a_neighbour_that_rules_look_at_is_known_to_the_cache(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(
        "import sys\nsys.path.append('whisper')\nimport whisper\nwhisper.load_model('base')\n"
    )
    settings = Settings(root=str(tmp_path))
    options = Options(cache_dir=str(tmp_path / "cache"))
    before = [each.code for each in run([str(script)], lambda _: settings, options).findings]
    (tmp_path / "whisper.py").touch()
    after = [each.code for each in run([str(script)], lambda _: settings, options).findings]
    assert (before, after) == (["ROC105"], [])
