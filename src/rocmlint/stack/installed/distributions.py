"""The distributions of the interpreter that is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from packaging.utils import canonicalize_name

from rocmlint.interpreter.ask import Interpreter
from rocmlint.published.pytorch_index import FAMILY
from rocmlint.text.secrets import without_logins
from rocmlint.text.words import shortened
from rocmlint.text.written import fault_of, requirement_of, version_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from packaging.requirements import Requirement
    from packaging.version import Version

TORCH_FAMILY = (
    *FAMILY,
    "triton",
    "triton-rocm",
    "pytorch-triton-rocm",
)
"""Packages that only work together: each has code for one version of torch."""

_OF_AMD = r"rocm-sdk-[a-z0-9-]+|rocm-profiler|amd-torch[a-z]*-device-[a-z0-9-]+"
_PARTS_OF_TORCH = re.compile(rf"pytorch-triton|rocm|{_OF_AMD}")
"""Packages that torch requires, other than its family: those of TheRock and its nightlies."""

BUILT_AGAINST_TORCH = frozenset(
    {"aiter", "amd-aiter", "apex", "causal-conv1d", "deepspeed", "flash-attn", "mamba-ssm"}
    | {"torch-cluster", "torch-scatter", "torch-sparse", "torch-spline-conv", "vllm", "xformers"}
)
"""Packages with code for one torch whose metadata may not say so: no requirement on torch, or
code that is compiled when it is first used, into a folder of its own.
"""

NOT_ON_PYPI = frozenset({"aiter", "amd-aiter", "apex"})
"""Of those, what PyPI has no release of: its aiter and apex are other projects, and of amd-aiter it
has a build in development."""

_SHOWN = 100
"""Characters of a requirement that cannot be read."""
_IMPORT_NAMES = {"flash-attn": "flash_attn", "huggingface-hub": "huggingface_hub"}
_IMPORT_NAMES |= {f"onnxruntime-{each}": "onnxruntime" for each in ("gpu", "migraphx", "rocm")}
_IMPORT_NAMES |= {"amd-aiter": "aiter", "triton-rocm": "triton", "pytorch-triton-rocm": "triton"}

_PACKAGE = {
    **dict.fromkeys(("name", "version", "place", "installer", "direct_url"), str),
    "requires": [str],
    "changed": (float, int, type(None)),
    "record": (str, type(None)),
}
_TOLD = {
    **dict.fromkeys(("executable", "version", "prefix"), str),
    "environment": {str: str},
    "distributions": [_PACKAGE],
    "hidden": [_PACKAGE],
    "unreadable": [str],
    "modules": {str: (str, type(None))},
    "managed": bool,
}
"""The shape of an interpreter's answer."""

PACKAGES = (
    *TORCH_FAMILY,
    "transformers",
    "diffusers",
    "accelerate",
    "huggingface-hub",
    "peft",
    "trl",
    "bitsandbytes",
    "flash-attn",
    "amd-aiter",
    "aiter",
    "vllm",
    "xformers",
    "deepspeed",
    "jax",
    "jaxlib",
    "onnxruntime",
    "onnxruntime-gpu",
    "onnxruntime-migraphx",
    "onnxruntime-rocm",
    "onnxruntime-ep-migraphx",
    "numpy",
    "rocm",
    "rocm-sdk-core",
)
"""The packages of the stack, in the order in which they are shown."""
_NAMED_AFTER = re.compile(rf"jax-rocm\d+-(?:plugin|pjrt)|{_OF_AMD}")
"""Packages that are named after a ROCm or a GPU; they are shown after the others."""


@dataclass(frozen=True)
class Distribution:
    """One installed distribution, by its metadata.

    ``name`` is normalized (PEP 503). ``place`` is its .dist-info, ``changed`` when that was last
    written to (seconds since 1970), ``record`` a digest of the RECORD that is the same for the same
    wheel; None where there is none. ``problems`` are requirements that packaging refuses.
    """

    name: str
    version: str
    requires: tuple[Requirement, ...] = ()
    place: str = ""
    installer: str = ""
    direct_url: str = ""
    changed: float | None = None
    record: str | None = None
    problems: tuple[str, ...] = ()

    @property
    def parsed(self) -> Version | None:
        """The version to compare with; None for what is not a version (PEP 440)."""
        return version_of(self.version)

    def __str__(self) -> str:
        """Return name and version, as people write them."""
        return f"{self.name} {self.version}"


@dataclass(frozen=True)
class Environment:
    """The distributions that an interpreter imports from, and what its markers say.

    ``modules`` are the files that an import of each package would execute; None without any.
    ``prefix`` is its sys.prefix: a virtual or a conda environment, or where Python is installed.
    ``hidden`` have the name of a distribution that comes earlier on sys.path, or the same folder
    has it twice. ``is_managed``: it is the system's own Python, and pip and uv refuse to install
    into it.
    """

    executable: str
    python: str
    markers: Mapping[str, str]
    distributions: tuple[Distribution, ...]
    modules: Mapping[str, str | None]
    unreadable: tuple[str, ...] = ()
    prefix: str = ""
    hidden: tuple[Distribution, ...] = ()
    is_managed: bool = False

    def get(self, name: str) -> Distribution | None:
        """Return the distribution of a name, however it is written; None if it is not installed."""
        return self._by_name.get(canonicalize_name(name))

    @cached_property
    def _by_name(self) -> dict[str, Distribution]:
        return {each.name: each for each in self.distributions}

    @property
    def packages(self) -> tuple[Distribution, ...]:
        """The packages of the stack that are here, in their order."""
        found = (each for each in self.distributions if is_of_stack(each.name))
        return tuple(sorted(found, key=lambda each: place_of(each.name)))


def is_of_stack(package: str) -> bool:
    """Return whether a package is one of the stack, by its normalized name."""
    return package in PACKAGES or _NAMED_AFTER.fullmatch(package) is not None


def place_of(package: str) -> tuple[int, str]:
    """Return where a package of the stack, or what is judged with them, is shown."""
    return (PACKAGES.index(package) if package in PACKAGES else len(PACKAGES)), package


def is_of_torch(name: str) -> bool:
    """Return whether a package belongs to one build of torch and to no other."""
    return name in TORCH_FAMILY or _PARTS_OF_TORCH.fullmatch(name) is not None


def minor_of(python: str) -> str:
    """Reduce a version of Python to major.minor."""
    return ".".join(python.split(".")[:2])


def import_name(package: str) -> str:
    """Return the module that a package of the stack is imported as."""
    return _IMPORT_NAMES.get(package, package)


def read_environment(interpreter: Interpreter | None = None) -> Environment:
    """Ask an interpreter what it has; nothing is imported there. Raises InterpreterError."""
    interpreter = interpreter or Interpreter()
    modules = sorted({import_name(each) for each in PACKAGES if not each.startswith("rocm")})
    facts = interpreter.ask("packages.distributions", {"modules": modules}, shape=_TOLD)
    return Environment(
        facts["executable"],
        facts["version"],
        facts["environment"],
        tuple(_distribution(each) for each in facts["distributions"]),
        facts["modules"],
        tuple(facts["unreadable"]),
        facts["prefix"],
        tuple(_distribution(each) for each in facts["hidden"]),
        facts["managed"],
    )


def _distribution(facts: Mapping[str, Any]) -> Distribution:
    requires, problems = [], []
    for line in facts["requires"]:
        requirement = requirement_of(line)
        if requirement is None:
            shown = line if len(line) <= _SHOWN else f"{line[:_SHOWN]}..."
            problems.append(f"{facts['name']}: Requires-Dist: {shown}: {fault_of(line)}")
        else:
            requires.append(requirement)
    return Distribution(
        facts["name"],
        facts["version"],
        tuple(requires),
        facts["place"],
        shortened(without_logins(facts["installer"])),
        facts["direct_url"],
        facts["changed"],
        facts["record"],
        tuple(problems),
    )
