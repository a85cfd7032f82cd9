"""A pin that the code around has outgrown is one finding, not one for each name."""

from __future__ import annotations

import pytest

from rocmlint.api import lint_paths
from rocmlint.findings import Finding
from tests.support.repositories import write

LATER = {
    "aria": "AriaConfig",
    "bamba": "BambaConfig",
    "chameleon": "ChameleonConfig",
    "cohere": "CohereConfig",
    "gemma": "GemmaConfig",
    "gemma2": "Gemma2Config",
    "granite": "GraniteConfig",
    "jamba": "JambaConfig",
    "llama4": "Llama4TextConfig",
    "qwen3": "Qwen3Config",
}
"""Names that transformers has since releases from 4.38 to 4.51."""


def found() -> list[Finding]:
    return list(lint_paths(["."], options={"select": ["ROC204"]}))


@pytest.fixture(autouse=True)
def _project(in_repository: object) -> None:
    del in_repository
    write("requirements.txt", "transformers==4.36.2\n")
    write("engine/__init__.py", "")
    write("engine/models/__init__.py", "")
    for module, name in LATER.items():
        write(f"engine/models/{module}.py", f"from transformers import {name}\n\nprint({name})\n")


def test_a_pin_that_lacks_names_of_many_releases_is_reported_once() -> None:
    (only,) = found()
    assert only.path == "engine/models/aria.py"
    assert (
        only.message == "transformers 4.36.2 lacks 10 names of later releases that `engine` imports"
    )
    assert only.help == (
        "transformers 4.36.2 is pinned in requirements.txt. Require `transformers>=4.51`, which "
        "has them all; the same holds for 9 more places, in 9 other files."
    )
    assert only.severity == "error"


def test_a_name_that_is_gone_is_a_finding_beside() -> None:
    write("requirements.txt", "transformers==4.37.2\n")
    imported = "from transformers.models.detr.image_processing_detr import AnnotionFormat\n"
    write("engine/gone.py", f"{imported}\nprint(AnnotionFormat)\n")
    assert [each.path for each in found()] == ["engine/gone.py", "engine/models/aria.py"]


def test_few_names_are_reported_one_by_one() -> None:
    for module in ("aria", "bamba", "qwen3"):
        write(f"engine/models/{module}.py", "")
    assert len(found()) == len(LATER) - 3


def test_many_names_of_one_release_are_reported_one_by_one() -> None:
    for at, module in enumerate(LATER):
        name = ("GemmaConfig", "GemmaModel", "GemmaForCausalLM", "GemmaPreTrainedModel")[at % 4]
        write(f"engine/models/{module}.py", f"from transformers import {name}\n\nprint({name})\n")
    assert len(found()) == len(LATER)


def test_a_requirement_that_is_no_pin_is_reported_name_by_name() -> None:
    write("requirements.txt", "transformers>=4.30,<4.37\n")
    assert len(found()) == len(LATER)


def test_names_of_other_packages_of_the_project_do_not_count() -> None:
    for at, (module, name) in enumerate(LATER.items()):
        write(f"engine/models/{module}.py", "")
        write(f"example{at % 2}/{module}.py", f"from transformers import {name}\n\nprint({name})\n")
    assert len(found()) == len(LATER)


def test_imports_under_a_condition_do_not_count() -> None:
    for module, name in list(LATER.items())[:3]:
        guarded = (
            f"try:\n    from transformers import {name}\nexcept ImportError:\n    {name} = 0\n"
        )
        write(f"engine/models/{module}.py", guarded)
    assert len(found()) == len(LATER) - 3
