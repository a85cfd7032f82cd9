"""ROC217, contradictory-pins."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.published.pytorch_index import FAMILY
from rocmlint.rule import PartRule, compile_lazily, declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.project.declarations import Requirement
    from rocmlint.rule import Declared, File, Finding

_PACKAGES = (
    "torch", "torchvision", "torchaudio", "transformers", "diffusers", "accelerate", "peft", "trl",
    "huggingface-hub", "tokenizers", "datasets", "deepspeed", "vllm", "sglang", "xformers",
    "bitsandbytes", "triton", "flash-attn", "timm", "numpy",
)  # fmt: skip
_LIST = compile_lazily(
    r"(?:^|/)(?:requirements\.txt|requirements/"
    r"(?:base|common|core|default|install|main|requirements|runtime)\.txt)\Z"
)
"""The lists that say what the project itself runs with; others are for one case or platform."""


class Contradiction(NamedTuple):
    """A requirement in a list, and what the project file of the same directory requires instead."""

    listed: Declared
    required: Requirement


def is_other_build(found: Contradiction, file: File) -> bool:
    """Builds of torch and its family, where the list names an index of its own."""
    return found.listed.name in FAMILY and bool(file.parts.indexes)


def is_explained(found: Contradiction, file: File) -> bool:
    """Requirements with a comment on their line or above it."""
    lines = {found.listed.span.line, found.listed.span.line - 1}
    return any(each.line in lines for each in file.comments)


class ContradictoryPins(PartRule["Declared"]):
    """Requirements list contradicts the project file in the same directory.

    ## Why it matters
    `pip install .` reads pyproject.toml, `pip install -r requirements.txt` the list. Where no
    release of a package meets both, two people run the code with two versions, and one of them
    finds the errors that the other one cannot see. Most often the list was forgotten when the
    project moved on.

    Compared are `requirements.txt`, or a list such as `requirements/runtime.txt`, with what is
    always required by the pyproject.toml, setup.cfg or setup.py of the same project. Lists for one
    platform, extras, groups and requirements with a marker are alternatives and contradict nothing.
    Reported once a list.

    ## Example
    ```toml
    [project]
    name = "trainer"
    version = "1"
    dependencies = ["transformers==5.14.1"]
    ```
    ```text
    transformers==4.56.0
    ```

    ## Use instead
    Delete the list, or let the project file read it.
    ```toml
    [project]
    name = "trainer"
    version = "1"
    dynamic = ["dependencies"]

    [tool.setuptools.dynamic]
    dependencies = { file = ["requirements.txt"] }
    ```
    ```text
    transformers==5.14.1
    ```

    ## References
    - https://packaging.python.org/en/latest/discussions/install-requires-vs-requirements/
    """

    code = "ROC217"
    name = "contradictory-pins"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test", "example", "docs", "archive"})
    on = declared(*_PACKAGES, described="requirements of the stack in lists of requirements")
    doubts = (is_other_build, is_explained)

    def check(self, node: Declared, source: File) -> Iterator[Finding]:
        """Compare a requirement of a list with those of the project file."""
        path = os.path.abspath(source.path).replace(os.sep, "/")
        if node.name not in _PACKAGES or node.group or not _LIST.search(path):
            return
        required = _contradicted(node, path, source)
        if required is None:
            return
        severity = self.severity_of(Contradiction(node, required), source)
        name = os.path.basename(required.path)
        message = f"`{node.text}` contradicts `{required.declared.text}` in {name}"
        advice = f"Keep one of them, or let {name} read this list."
        finding = self.finding(node, source, message, help=advice, severity=severity)
        yield replace(finding, once=f"{self.code} {path} {severity}")


def _contradicted(node: Declared, path: str, source: File) -> Requirement | None:
    """Return the requirement of the project file that a listed one contradicts."""
    from rocmlint.project.agreement import contradict, is_of_package  # noqa: PLC0415 - see below
    from rocmlint.project.declarations import Requirement  # noqa: PLC0415 - few files need them

    folder = os.path.dirname(path)
    folder = os.path.dirname(folder) if os.path.basename(folder) == "requirements" else folder
    listed = Requirement(path, node)
    for each in source.project.declared_in(folder):
        if each.declared.name == node.name and is_of_package(each) and contradict(each, listed):
            return each
    return None
