"""Names that a release does not have, and that somebody puts there or is ready to miss."""

from __future__ import annotations

import pytest

from tests.support.repositories import GONE, lint, write

pytestmark = pytest.mark.usefixtures("in_repository")


def test_the_package_s_own_files_and_vendored_copies_are_left_alone() -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    write("transformers/__init__.py", "")
    assert lint(GONE) == []
    assert lint(GONE, "transformers/job.py") == []


def test_a_module_that_the_project_puts_over_the_package_is_not_judged() -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    write("patches/transformers_replace/models/gemma/modeling_gemma.py", "")
    assert lint("from transformers.models.gemma.modeling_gemma import set_ours\n") == []


def test_an_environment_in_the_project_is_no_such_module() -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    write("venv/lib/python3.11/site-packages/transformers/models/gemma2/modeling_gemma2.py", "")
    text = "from transformers.models.gemma2.modeling_gemma2 import GEMMA2_START_DOCSTRING\n"
    assert [each.line for each in lint(text)] == [1]


@pytest.mark.parametrize(
    "put",
    [
        "import transformers\ntransformers.utils.LossKwargs = dict\n",
        "import sys\nsys.modules['transformers.utils'] = object()\n",
        "from transformers import utils\nutils.LossKwargs = dict\n",
        "from transformers import utils as hf\nif hf:\n    hf.LossKwargs = dict\n",
        "import transformers.utils as hf\nsetattr(hf, 'LossKwargs', dict)\n",
        "import transformers\nsetattr(transformers.utils, 'LossKwargs', dict)\n",
    ],
)
def test_a_name_that_the_project_puts_into_the_package_is_there(put: str) -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    write("job/compatible.py", put)
    assert lint(GONE) == []


def test_a_default_beside_an_annotation_puts_nothing_in() -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    write("job/other.py", "def work(kwargs: transformers.utils.LossKwargs = None): ...\n")
    assert [each.line for each in lint(GONE)] == [1]


VISION = "transformers.AutoModelForVision2Seq"  # until 4.57


ONLY_OLD = f"def old():\n    return {VISION}\nif transformers.__version__ < '5':\n    old()\n"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        pytest.param(f"print({VISION})", ["ROC204"], id="looked up"),
        pytest.param(f"del {VISION}", [], id="taken away"),
        pytest.param(
            f"def new(name):\n    assert hasattr(transformers, name)\n    return {VISION}",
            [],
            id="asserted",
        ),
        pytest.param(
            f"assert transformers.__version__ < '5'\nprint({VISION})", [], id="of a version"
        ),
        pytest.param(ONLY_OLD, [], id="called for a version"),
        pytest.param(f"{ONLY_OLD}old()", ["ROC204"], id="called for any version too"),
    ],
)
def test_a_name_may_be_missing_where_the_code_is_ready_for_it(text: str, codes: list[str]) -> None:
    write("requirements.txt", "transformers==5.2.0\n")
    assert [each.code for each in lint(f"import transformers\n{text}\n")] == codes


@pytest.mark.parametrize(
    ("package", "code", "codes"),
    [
        (
            "diffusers==0.32.1",
            "from diffusers.models.unet_2d_condition import UNet2DConditionModel",
            ["ROC204"],
        ),
        ("transformers==4.57.6", GONE, []),
    ],
)
def test_unsloth_rewrites_some_packages_and_not_others(
    package: str, code: str, codes: list[str]
) -> None:
    write("requirements.txt", f"{package}\n")
    assert [each.code for each in lint(f"{code}\n")] == ["ROC204"]
    assert [each.code for each in lint(f"import unsloth\n{code}\n")] == codes


def test_unsloth_rewrites_them_for_the_other_modules_of_a_package_too() -> None:
    write("requirements.txt", "transformers==4.57.6\n")
    write("tts/model_loader.py", "from unsloth import FastModel\n")
    assert [each.code for each in lint(GONE, "tts/trainer.py")] == ["ROC204"]
    write("tts/__init__.py", "from .model_loader import FastModel\nfrom . import trainer\n")
    assert lint(GONE, "tts/trainer.py") == []


@pytest.mark.parametrize(
    "sets",
    [
        "utils.LossKwargs = dict",
        "setattr(utils, 'LossKwargs', dict)",
        "monkeypatch.setattr(\n    utils, 'LossKwargs', dict, raising=False\n)",
        "monkeypatch.setattr('transformers.utils.LossKwargs', dict, raising=False)",
        "mock.patch.object(utils, 'LossKwargs', dict, create=True)",
        "mock.patch('transformers.utils.LossKwargs', dict, create=True)",
    ],
)
def test_a_name_that_the_file_sets_is_left_alone(sets: str) -> None:
    write("requirements.txt", "transformers==5.0.0\n")
    use = "from transformers import utils\n\nprint(utils.LossKwargs)\n"
    assert [each.code for each in lint(use)] == ["ROC204"]
    assert lint(f"{use}{sets}\n") == []


@pytest.mark.parametrize(("name", "codes"), [("_is_patched", []), ("is_patched", ["ROC204"])])
def test_a_private_name_that_no_release_has_is_the_project_s_own(
    name: str, codes: list[str]
) -> None:
    write("requirements.txt", "transformers==5.0.0\n")
    use = f"from transformers import utils\n\nprint(utils.{name})\n"
    assert [each.code for each in lint(use)] == codes


def test_a_private_name_that_a_release_had_is_judged() -> None:
    write("requirements.txt", "transformers==5.0.0\n")
    name = "_load_state_dict_into_meta_model"
    use = f"from transformers import modeling_utils\n\nmodeling_utils.{name}\n"
    assert [each.code for each in lint(use)] == ["ROC204"]
