"""ROC315, env-value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.project.texts import texts_with
from rocmlint.published.variables import KNOWN, misunderstood
from rocmlint.rule import (
    PartRule,
    compile_lazily,
    environment_settings,
    fitted,
    nodes,
    settings,
    shortened,
    string_value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import File, Finding, Setting, Source

_GFX = "HSA_OVERRIDE_GFX_VERSION"
_THREE_NUMBERS = compile_lazily(r"\d+\.\d+\.\d+")
_GFX_NAME = compile_lazily(r"(?:gfx)?(?P<major>\d{1,2})(?P<minor>\d)(?P<step>[0-9a-f])")
_FLASH_ATTN = compile_lazily(
    r"(?i)flash[-_]att(?:n|ention)(?!_triton_amd)|rocm/[\w-]*(?:vllm|sgl|megatron|primus|training)"
)
"""How a project names flash-attn that it installs, imports or chooses, or an image that has it."""
_READ_BY_OTHERS = frozenset({"HCC_AMDGPU_TARGET"})
"""Names that hipcc reads, though no library does."""
NAMES = (
    _GFX,
    *sorted(
        each.name
        for each in KNOWN.values()
        if each.accepts or each.name.endswith("_ALLOC_CONF") or not each.reader
    ),
)


def _named(source: Source) -> Iterator[re.Match[str]]:
    """Find the variables by name: as a key, or as a keyword of ``os.environ.update``."""
    for name in NAMES:
        if name in source.text:
            yield from re.finditer(rf"[\"']?\b{name}\b", source.text)


@dataclass(frozen=True, eq=False)
class Given:
    """A variable, the text that it is set to (None where only the run knows), and the place."""

    name: str
    value: str | None
    place: Setting | cst.CSTNode


def is_read_by_project(given: Given, file: File) -> bool:
    """Names that code of the project itself reads, or another line of the same file."""
    looked_up = r"(?:\bget|\bgetenv|\benviron[\s\\]*\[)[\s\\(]*"
    read = rf"{looked_up}[\"']{re.escape(given.name)}[\"'](?![\s\\]*\][\s\\]*=[^=])"
    if re.search(rf"\$\{{?{re.escape(given.name)}\b", file.text) or re.search(read, file.text):
        return True
    return bool(file.modules_with(file.project.folders[-1], (read,)))


def _has_reader(name: str, file: File) -> bool:
    """Return whether what reads a variable is there: flash-attn is not unless the project says so.

    PyTorch and the ROCm runtime are wherever their variables are set.
    """
    if KNOWN[name].reader != "flash_attn" or file.project.requirements("flash-attn"):
        return True
    if _FLASH_ATTN.search(file.text):
        return True
    root = file.project.folders[-1]
    naming = _FLASH_ATTN.pattern
    return bool(file.modules_with(root, (naming,)) or texts_with(root, naming, file))


class EnvValue(PartRule["Setting | cst.Assign | cst.Call"]):
    """Environment variable has no effect: unknown name or unsupported value.

    ## Why it matters
    A variable of the environment is never checked: a name that no program reads and a value that
    the reader does not know have no effect, and nothing says so. flash-attn takes only ``TRUE`` of
    ``FLASH_ATTENTION_TRITON_AMD_ENABLE``, so with ``1`` its AMD backend stays off; this is reported
    in projects that install, import or choose flash-attn. PyTorch and the ROCm runtime read
    ``TORCH_BLAS_PREFER_HIPBLASLT`` and ``HSA_ENABLE_SDMA`` as ``0`` or ``1``, and take ``true`` and
    ``false`` as not set. ``HSA_OVERRIDE_GFX_VERSION`` has to be three numbers.

    ## Example
    ```shell
    pip install --no-build-isolation flash-attn
    export FLASH_ATTENTION_TRITON_AMD_ENABLE=1
    export TORCH_ROCM_USE_HIPBLASLT=1
    python train.py
    ```

    ## Use instead
    ``rocmlint verify variables`` shows which installed file reads a variable, and what it makes of
    the value.
    ```shell
    pip install --no-build-isolation flash-attn
    export FLASH_ATTENTION_TRITON_AMD_ENABLE=TRUE
    export TORCH_BLAS_PREFER_HIPBLASLT=1
    python train.py
    ```

    ## References
    - https://github.com/Dao-AILab/flash-attention#amd-rocm-support
    - https://docs.pytorch.org/docs/stable/notes/hip.html
    - https://rocm.docs.amd.com/en/latest/reference/env-variables.html
    """

    code = "ROC315"
    name = "env-value"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = settings(*NAMES, described="variables that scripts, images and services set") | nodes(
        "Assign",
        "Call",
        words=NAMES,
        suspects=_named,
        described="variables that `os.environ` gets",
    )
    excuses = (is_read_by_project,)

    def check(self, node: Setting | cst.Assign | cst.Call, source: File) -> Iterator[Finding]:
        """Find names that no program reads, and values that the reader takes as something else."""
        for given in _given(node, source):
            words = _fault(given)
            if words is None or self.is_excused(given, source):
                continue
            if _has_reader(given.name, source):
                message, advice = words
                yield self.finding(given.place, source, message, help=advice)


def _given(node: Setting | cst.Assign | cst.Call, source: File) -> Iterator[Given]:
    from rocmlint.rule import Setting, Source  # noqa: PLC0415 - few files have any

    if isinstance(node, Setting):
        if node.value is not None:
            value = node.value.text.strip("\"'") if node.value.known else None
            yield Given(node.name, value, node)
    elif isinstance(source, Source):
        for each in environment_settings(node, source):
            yield Given(each.name, string_value(each.value), node)


def _fault(given: Given) -> tuple[str, str] | None:
    """Return what is wrong with a variable, and what to do; None where nothing is."""
    row = KNOWN.get(given.name)
    if row is None or given.value == "":
        return None
    if not row.reader and given.name not in _READ_BY_OTHERS:
        right = f"Set `{row.instead}`" if row.instead else "Delete it"
        return fitted("No program reads `{}`, so it has no effect", given.name), f"{right}."
    if given.value is None:
        return None
    if given.name == _GFX and not _THREE_NUMBERS.fullmatch(given.value):
        return _not_three(given.value)
    right = misunderstood(given.name, given.value)
    if right:
        does = "takes it as off" if row.reader in {"flash_attn", "vllm"} else "ignores it"
        return (
            fitted(
                "`{name}={}`: `{reader}` {does}",
                given.value,
                name=given.name,
                reader=row.reader,
                does=does,
            ),
            f"Set `{given.name}={right}`.",
        )
    if given.name.endswith("_ALLOC_CONF"):
        return _not_a_pair(given)
    return None


def _not_three(value: str) -> tuple[str, str]:
    named = _GFX_NAME.fullmatch(value.lower())
    right = "three numbers, such as `10.3.0` for gfx1030"
    if named is not None:
        right = f"`{named['major']}.{named['minor']}.{int(named['step'], 16)}`"
    return f"`{_GFX}={shortened(value, 20)}` is not three numbers", f"Set it to {right}."


def _not_a_pair(given: Given) -> tuple[str, str] | None:
    """Return what is wrong with an item of the allocator's settings."""
    for item in (given.value or "").split(","):
        key, mark, value = item.partition(":")
        shown = shortened(item, 30)
        if not mark and "=" in item:
            return (
                f"`{given.name}`: `{shown}` is not a key, a colon and a value",
                f"Write `{item.replace('=', ':', 1)}`.",
            )
        if key.strip() == "expandable_segments" and value.strip() not in {"True", "False"}:
            right = value.strip().lower() in {"1", "true", "on", "yes"}
            return (
                f"`{given.name}`: `{shown}` is neither True nor False",
                f"Write `expandable_segments:{right}`.",
            )
    return None
