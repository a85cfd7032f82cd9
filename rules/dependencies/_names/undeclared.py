"""Projects whose package imports torch without declaring it: what is found, what excuses it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from rocmlint.disk.questions import question
from rocmlint.project.copies import OF_OTHERS
from rocmlint.project.texts import readmes_in
from rocmlint.published.pytorch_index import FAMILY
from rocmlint.rule import compile_lazily
from rocmlint.rule.copied_projects import is_copied

if TYPE_CHECKING:
    from packaging.requirements import Requirement

    from rocmlint.disk.disk import DiskView
    from rocmlint.rule import Declared, File

    from .package_imports import PackageImport

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
_PLUGIN = compile_lazily(r"^[ \t]*\[tool\.comfy\b", re.MULTILINE)
_VENDORED = compile_lazily(rf"(?i)/(?:{OF_OTHERS}|_?vendor(?:ed)?|deps|custom_nodes)/")
_DEEPEST = 3


class Undeclared(NamedTuple):
    """A project whose requirements bring no torch; ``certain`` where all of them are known."""

    base: list[Declared]
    certain: bool
    folder: str

    @property
    def anchor(self) -> Declared:
        """The requirement that is reported: one that installs torch with an extra, or the first."""
        return next((each for each in self.base if each.name in _BY_EXTRA), self.base[0])


def undeclared(node: Declared, file: File) -> Undeclared | None:
    """Return the project of whose requirements the node is the first, if none installs torch."""
    base = _base(file)
    if not base or node is not base[0] or _is_settled(file):
        return None
    certain = _brings_none(base)
    folder = os.path.dirname(os.path.abspath(file.path))
    return None if certain is None else Undeclared(base, certain, folder)


class Report(NamedTuple):
    """What is said of a project: the message, and what to do."""

    message: str
    help: str


def report_of(found: Undeclared, file: File) -> Report | None:
    """Return where the package imports torch; None where it does so under a condition, or never."""
    place = _import_of_torch(found.folder, file)
    return None if place is None else _report(place, found)


def is_unknown(found: Undeclared, file: File) -> bool:
    """Projects with requirements that are not known here: they may install torch."""
    del file
    return not found.certain


def is_told(found: Undeclared, file: File) -> bool:
    """Projects whose README says to install torch."""
    return _is_told_in(found.folder, file)


@question
def _is_told_in(folder: str, view: DiskView) -> bool:
    return any(_TOLD.search(view.read(each)) for each in readmes_in(folder, view))


def is_plugin(found: Undeclared, file: File) -> bool:
    """Nodes for ComfyUI, by their `[tool.comfy]`: they run in its environment, which has torch."""
    del found
    return _PLUGIN.search(file.text) is not None


def is_of_others(found: Undeclared, file: File) -> bool:
    """Copies of other projects, by their license or a directory called `vendor` or the like."""
    root = file.project.folders[-1]
    inside = os.path.relpath(found.folder, root).replace(os.sep, "/")
    return _VENDORED.search(f"/{inside}") is not None or is_copied(file)


def _base(source: File) -> list[Declared]:
    """Return what is installed with the project always; nothing where some of it may be unknown."""
    name = os.path.basename(source.path)
    if name not in _FILES or source.parts.problems or _ELSEWHERE.search(source.text):
        return []
    if name == "setup.py" and not _LITERAL.search(source.code):
        return []
    return [each for each in source.parts.declared if not each.group and not each.constraint]


def _is_settled(source: File) -> bool:
    """Return whether the file has torch among its requirements somewhere, or speaks of it."""
    if any(each.name.startswith(("torch", "pytorch")) for each in source.parts.declared):
        return True
    if any(_OF_TORCH.search(each.text) for each in source.comments):
        return True
    if source.path.endswith(".py") and re.search(r"\bimport torch\b", source.code):
        return True
    return bool(re.search(r"^\[tool\.[^\n]*torch|^[ \t]*torch[ \t]*=", source.text, re.MULTILINE))


def _brings_none(base: list[Declared]) -> bool | None:
    """Return whether no requirement brings torch: False if some are unknown, None if one does."""
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
    """Return whether a requirement brings torch; None where that is unknown."""
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


def _import_of_torch(folder: str, source: File) -> PackageImport | None:
    from .package_imports import first_import, packages_of  # noqa: PLC0415 - few projects

    for package, place in packages_of(folder, source):
        found = first_import(package, place, frozenset(FAMILY), source)
        if found is not None:
            return found
    return None


def _report(place: PackageImport, found: Undeclared) -> Report:
    anchor = found.anchor
    where = f"{os.path.relpath(place.path, found.folder)}:{place.line}"
    cause = "none of the requirements installs torch"
    if anchor.name in _BY_EXTRA:
        cause = f"{anchor.name} installs torch only as `{anchor.name}[torch]`"
    if not found.certain:
        cause = "no requirement is known to install torch"
    message = f"`import {place.package}` needs torch, which this project does not declare"
    return Report(
        message,
        f"{place.module} is imported in {where}, and {cause}. "
        "Declare `torch`, or say in a comment here why it is left out.",
    )
