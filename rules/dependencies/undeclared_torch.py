"""ROC206, undeclared-torch."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rocmlint.published.pytorch_index import FAMILY
from rocmlint.rule import PartRule, compile_lazily, declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.requirements import Requirement

    from rocmlint.rule import Declared, File, Finding

    from ._names.package_imports import Place

_BY_EXTRA = ("diffusers", "transformers", "datasets", "safetensors", "huggingface-hub")
"""What torch comes with only through the extra ``torch``."""
_PURE = """
absl-py aiohttp attrs beautifulsoup4 black boto3 cffi click cloudpickle colorama cryptography cython
decord dill einops fastapi filelock fire fsspec ftfy gradio h5py httpx hydra-core imageio
imageio-ffmpeg ipython isort jinja2 joblib jsonlines jsonschema lmdb loguru lxml markdown matplotlib
msgpack mypy natsort networkx ninja nltk numba numpy omegaconf openai opencv-python
opencv-python-headless orjson packaging pandas pillow plotly prettytable protobuf psutil py-cpuinfo
pyarrow pybind11 pydantic pydub pytest pyyaml pyzmq ray regex requests rich ruff scikit-image
scikit-learn scipy seaborn sentencepiece setuptools shapely simplejson six soundfile sympy tabulate
tensorboard termcolor tiktoken tokenizers toml tomli tqdm typing-extensions uvicorn wandb websockets
wheel yacs
"""
"""Distributions that do not require torch, by their metadata."""
_WITHOUT_TORCH = frozenset(_PURE.split())
_FILES = frozenset({"pyproject.toml", "setup.cfg", "setup.py"})
_LITERAL = compile_lazily(r"\binstall_requires\s*=\s*\[")
_ELSEWHERE = compile_lazily(r"^[ \t]*dynamic\s*=[^\]]*[\"']dependencies[\"']", re.MULTILINE)
_OF_TORCH = compile_lazily(r"\btorch\b", re.IGNORECASE)
_TOLD = compile_lazily(
    r"install[^\n]{0,80}\b(?:py)?torch\b|\b(?:py)?torch\b[^\n]{0,60}\b(?:first|install)",
    re.IGNORECASE,
)
_DEEPEST = 3


class UndeclaredTorch(PartRule["Declared"]):
    """A package that cannot be imported without torch, which nothing that it declares brings.

    ## Why it matters
    In a fresh environment `import` of the package fails, or the user installs torch at last and
    gets PyPI's build for CUDA. Most often the author has torch from `transformers` or
    `diffusers`, which bring it only with their extra `torch`: nothing then checks its version.

    ## Instead
    Declare `torch`, with the oldest version that the code runs with, or `diffusers[torch]`. If
    torch is left out on purpose, because the right build depends on the machine, say so in a
    comment in that file or in the README.

    Reported once a project, where each step is proven: the import of the package runs
    `import torch` without a condition, and the metadata of all that is declared has no torch.
    With `--preview` also where other dependencies might bring it, or the README speaks of it.

    ## Source
    PEP 621; METADATA of the releases (Requires-Dist).
    """

    code = "ROC206"
    name = "undeclared-torch"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test", "example", "docs"})
    on = declared("dependencies", "install-requires", described="requirements of a project")

    def check(self, node: Declared, source: File) -> Iterator[Finding]:
        """Find projects that import torch and do not declare it."""
        base = _base(source)
        if not base or node is not base[0] or _is_settled(source):
            return
        certain = _brings_none(base)
        if certain is None or not (certain or self.with_preview):
            return
        folder = os.path.dirname(os.path.abspath(source.path))
        if _is_told(folder, source) and not self.with_preview:
            return
        place = _import_of_torch(folder, source)
        if place is not None:
            anchor = next((each for each in base if each.name in _BY_EXTRA), base[0])
            yield self.finding(anchor, source, _message(place, anchor, folder))


def _base(source: File) -> list[Declared]:
    """Give what is installed with the project always; nothing where some of it may be unknown."""
    name = os.path.basename(source.path)
    if name not in _FILES or source.parts.problems or _ELSEWHERE.search(source.text):
        return []
    if name == "setup.py" and not _LITERAL.search(source.code):
        return []
    return [each for each in source.parts.declared if not each.group and not each.constraint]


def _is_settled(source: File) -> bool:
    """Say whether the file has torch among its requirements somewhere, or speaks of it."""
    if any(each.name.startswith(("torch", "pytorch")) for each in source.parts.declared):
        return True
    if any(_OF_TORCH.search(each.text) for each in source.comments):
        return True
    if source.path.endswith(".py") and re.search(r"\bimport torch\b", source.code):
        return True
    return bool(re.search(r"^\[tool\.[^\n]*torch|^[ \t]*torch[ \t]*=", source.text, re.MULTILINE))


def _brings_none(base: list[Declared]) -> bool | None:
    """Say whether no requirement brings torch: False where some are unknown, None if one does."""
    from rocmlint.text.written import requirement_of  # noqa: PLC0415 - loads packaging

    certain = True
    for each in base:
        requirement = requirement_of(each.text)
        brings = None if requirement is None else _brings(requirement, 0)
        if brings:
            return None
        certain = certain and brings is not None
    return certain


def _brings(requirement: Requirement, depth: int) -> bool | None:
    """Say whether a requirement brings torch; None where that is unknown."""
    from packaging.utils import canonicalize_name  # noqa: PLC0415

    from rocmlint.published import requirements as published  # noqa: PLC0415

    name = canonicalize_name(requirement.name)
    if name == "torch":
        return True
    version = published.pin(requirement.specifier) or published.newest(name, requirement.specifier)
    required = published.requirements(name, version) if version is not None else None
    if required is None or requirement.url:
        return False if name in _WITHOUT_TORCH else None
    inner = published.applicable(required, tuple(sorted(requirement.extras)))
    return depth < _DEEPEST and any(_brings(each, depth + 1) for each in inner)


def _is_told(folder: str, source: File) -> bool:
    """Say whether the README tells to install torch."""
    names = (each for each in source.names_in(folder) if each.lower().startswith("readme"))
    return any(_TOLD.search(source.read(os.path.join(folder, each))) for each in names)


def _import_of_torch(folder: str, source: File) -> Place | None:
    from ._names.package_imports import first_import, packages_of  # noqa: PLC0415 - few projects

    for package, place in packages_of(folder, source):
        found = first_import(package, place, frozenset(FAMILY), source)
        if found is not None:
            return found
    return None


def _message(place: Place, anchor: Declared, folder: str) -> str:
    where = f"{os.path.relpath(place.path, folder)}:{place.line}"
    cause = (
        f"{anchor.name} brings it only as `{anchor.name}[torch]`"
        if anchor.name in _BY_EXTRA
        else "nothing that is declared brings it"
    )
    return (
        f"`import {place.package}` imports {place.module} ({where}), and {cause}: it fails where "
        f"torch is not installed by chance. Declare `torch`, or say in a comment here why not."
    )
