"""Where the import of a module fails already, its calls are not told: what makes it fail is."""

from __future__ import annotations

import pytest

from rocmlint.api import lint_paths
from tests.support.repositories import write

pytestmark = pytest.mark.usefixtures("in_repository")

FAILS = "from transformers import top_k_top_p_filtering\n"  # gone since 4.39
FAILS_LATER = "from transformers import SpecialTokensMixin\n"  # gone since 5.0
CALL = (
    "from transformers import TrainingArguments\n\n\n"
    "def arguments():\n"
    "    return TrainingArguments('out', evaluation_strategy='no')\n"  # gone since 4.51
)


def found() -> list[tuple[str, str]]:
    options = {"select": ["ROC204", "ROC205"]}
    return [
        (each.path.replace("\\", "/"), each.code) for each in lint_paths(["."], options=options)
    ]


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    del in_repository
    write("requirements.txt", "transformers>=4.20\n")


def test_a_call_in_a_module_that_fails_at_an_import_is_left_alone() -> None:
    write("job.py", FAILS + CALL)
    assert found() == [("job.py", "ROC204")]


def test_a_call_below_a_package_whose_import_fails_is_left_alone() -> None:
    write("nets/__init__.py", "from .core import filtered\n")
    write("nets/core.py", f"{FAILS}\nfiltered = top_k_top_p_filtering\n")
    write("nets/train/__init__.py", "")
    write("nets/train/job.py", CALL)
    assert found() == [("nets/core.py", "ROC204")]


@pytest.mark.parametrize("folder", ["", "src/"])
def test_a_call_after_the_import_of_a_package_that_fails_is_left_alone(folder: str) -> None:
    write(f"{folder}nets/__init__.py", "from nets.core import *\n")
    write(f"{folder}nets/core.py", FAILS)
    write("tests/test_job.py", f"import nets\n{CALL}")
    assert found() == [(f"{folder}nets/core.py", "ROC204")]


@pytest.mark.parametrize(
    "init",
    [
        "from .checks import has_torch\n\nif has_torch():\n    from .core import filtered\n",
        "try:\n    import torch\nexcept ValueError:\n    pass\nelse:\n    from . import core\n",
    ],
)
def test_a_call_below_a_package_whose_import_fails_in_a_branch_is_left_alone(init: str) -> None:
    write("nets/__init__.py", init)
    write("nets/core.py", FAILS)
    write("nets/job.py", CALL)
    assert found() == [("nets/core.py", "ROC204")]


@pytest.mark.parametrize(
    ("init", "core"),
    [
        ("", FAILS),
        ("try:\n    from .core import *\nexcept ImportError:\n    pass\n", FAILS),
        ("def late():\n    from . import core\n", FAILS),
        ("if TYPE_CHECKING:\n    from . import core\n", FAILS),
        ("if version < '5':\n    from . import core\n", FAILS),
        ("from . import core\n", f"try:\n    {FAILS}except ImportError:\n    pass\n"),
        ("from . import core\n", f"def late():\n    {FAILS}"),
        ("from . import core\n", "from peft import NoSuchTuner\n"),
    ],
)
def test_a_call_below_a_package_that_can_be_imported_is_judged(init: str, core: str) -> None:
    write("nets/__init__.py", init)
    write("nets/core.py", core)
    write("nets/job.py", CALL)
    assert ("nets/job.py", "ROC205") in found()


def test_a_call_that_asks_for_an_older_release_than_the_import_is_judged() -> None:
    write("job.py", FAILS_LATER + CALL)
    assert found() == [("job.py", "ROC204"), ("job.py", "ROC205")]


def test_an_import_of_another_package_that_fails_hides_no_call() -> None:
    write("requirements.txt", "transformers>=4.20\ndiffusers>=0.20\n")
    write("job.py", f"from diffusers.utils import randn_tensor\n{CALL}")
    assert found() == [("job.py", "ROC204"), ("job.py", "ROC205")]
