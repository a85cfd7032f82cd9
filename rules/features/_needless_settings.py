"""Variables that are set late, and of which nobody misses the effect."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.project.texts import texts_below
from rocmlint.rule import (
    argument,
    calls_in,
    compile_lazily,
    constant,
    environment_settings,
    last_name,
    once_per_file,
    string_value,
    walk,
)

if TYPE_CHECKING:
    from rocmlint.rule import EnvironmentSetting, Source

    from ._late_settings import LateSetting

_TRANSFER = "HF_HUB_ENABLE_HF_TRANSFER"
_BEFORE_HUB_1 = {"huggingface-hub": 1, "transformers": 5}
"""The packages that tell which huggingface_hub is used, and the first major version with 1.0."""
_OFFLINE = frozenset({"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"})
_CACHES = frozenset(
    {
        *("HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE"),
        "HF_DATASETS_CACHE",
    }
)
_OFF = frozenset({"", "0", "false", "no", "off"})
_LOADS = frozenset(
    {
        *("from_pretrained", "from_single_file", "snapshot_download", "hf_hub_download"),
        *("load_dataset", "pipeline", "SentenceTransformer"),
    }
)
_VISIBLE = frozenset({"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"})
_ALL_GPUS = compile_lazily(r"\brange[\s\\]*\([\s\\]*(?:[\w.]*count|n_?gpus|num_gpus)\b")
_DOCUMENTS = (".md", ".rst", ".ipynb")


def is_repeated(late: LateSetting, source: Source) -> bool:
    """Variables that the file has set too late in a line above, which is reported."""
    line = source.span(late.setting.node).line
    first = _first_lines(source).get(late.setting.name, line)
    return source.span(late.cause).line < first < line


def is_set_for_program(late: LateSetting, source: Source) -> bool:
    """Variables that an image, a script or a service of the project sets to the same value."""
    value = _text_of(late.setting.value, source)
    if value is None:
        return False
    root = source.project.folders[-1]
    name = late.setting.name
    given = rf"[ \t]*[=: \t][ \t]*[\"']?{re.escape(value)}(?![^\s\"',;}}\]])"
    sets = re.compile(rf"(?<![\w$]){re.escape(name)}[\"']?{given}")
    return any(
        sets.search(text) is not None
        for text in (source.read(each) for each in _settings_below(root, source))
        if name in text
    )


def is_unknown_to_hub(late: LateSetting, source: Source) -> bool:
    """`HF_HUB_ENABLE_HF_TRANSFER`, which 1.0 dropped, unless an older one is declared."""
    if late.setting.name != _TRANSFER:
        return False
    for package, first in _BEFORE_HUB_1.items():
        found = [each for each in source.versions(package) if each.declared]
        if found:
            lowest = [each.lowest or each.version for each in found]
            return all(each.major >= first for each in lowest)
    return True


def is_off(late: LateSetting, source: Source) -> bool:
    """Offline modes that are set to what they are anyway: off."""
    value = _text_of(late.setting.value, source)
    return late.setting.name in _OFFLINE and value is not None and value.lower() in _OFF


def shows_what_is_there(late: LateSetting, source: Source) -> bool:
    """Lists of all GPUs, and of none where there is none."""
    setting = late.setting
    if setting.name not in _VISIBLE:
        return False
    if _ALL_GPUS.search(source.text_of(setting.value)) is not None:
        return True
    return string_value(setting.value) in {"", "-1"} and _is_without_gpu(setting.node, source)


def loads_from_disk(late: LateSetting, source: Source) -> bool:
    """Caches and offline modes in files of which all models come from a directory on disk.

    That is one the file names in a variable, or what `local_files_only=True` finds.
    """
    if late.setting.name not in _OFFLINE | _CACHES:
        return False
    loads = [each for each in calls_in(source.module) if last_name(each.func) in _LOADS]
    return bool(loads) and all(_is_local(each, late, source) for each in loads)


def _is_local(call: cst.Call, late: LateSetting, source: Source) -> bool:
    if late.setting.name in _OFFLINE:
        only = argument(call, None, "local_files_only")
        if only is not None and constant(only) == "True":
            return True
    first = call.args[0].value if call.args else None
    if first is None or call.args[0].keyword is not None:
        return False
    return bool(_names(first) & _folders(source))


@once_per_file
def _folders(source: Source) -> set[str]:
    """Return the constants of a module that a cache of the Hub is set to."""
    return {
        setting.value.value
        for setting in _settings(source)
        if setting.name in _CACHES and isinstance(setting.value, cst.Name)
    }


def _names(node: cst.CSTNode) -> set[str]:
    return {each.value for each in walk(node) if isinstance(each, cst.Name)}


def _is_without_gpu(node: cst.CSTNode, source: Source) -> bool:
    """Return whether a statement is in the other arm of `if torch.cuda.is_available()`."""
    below = node
    for above in source.ancestors(node):
        if isinstance(above, cst.If) and above.orelse is below:
            if "is_available" in source.text_of(above.test):
                return True
        below = above
    return False


def _text_of(value: cst.BaseExpression, source: Source) -> str | None:
    return string_value(source.value_of(value) or value)


@once_per_file
def _settings(source: Source) -> list[EnvironmentSetting]:
    return [
        setting
        for node in walk(source.module)
        if isinstance(node, (cst.Assign, cst.Call))
        for setting in environment_settings(node, source)
    ]


@once_per_file
def _first_lines(source: Source) -> dict[str, int]:
    """Return the first line that sets each variable."""
    found: dict[str, int] = {}
    for each in _settings(source):
        found.setdefault(each.name, source.span(each.node).line)
    return found


@once_per_file
def _settings_below(root: str, source: Source) -> list[str]:
    return [each for each in texts_below(root, source) if not each.endswith(_DOCUMENTS)]
