"""ROC314, env-set-after-import."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.formats import is_notebook
from rocmlint.published.variables import KNOWN
from rocmlint.rule import (
    Edit,
    Fix,
    PythonRule,
    compile_lazily,
    environment_settings,
    fitted,
    nodes,
    once_per_file,
    string_value,
    walk,
)

from ._late_settings import late_setting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

    from ._late_settings import LateSetting

_STARTS_PROCESSES = compile_lazily(
    r"\bsys[\s\\]*\.[\s\\]*executable\b"
    r"|[\"'](?:python[\d.]*|torchrun|accelerate|deepspeed|vllm|bash|sh)(?=[\"'\s])"
    r"|\b(?:set_start_method|spawn|start_processes|notebook_launcher)\b|\bray[\s\\]*\."
    r"|\b(?:get_context|Process)[\s\\]*\("
)
_RUNS_COMMANDS = compile_lazily(
    r"\bsubprocess\b|\bPopen\b|\bos[\s\\]*\.[\s\\]*(?:system|popen|exec\w+|spawn\w+)\b"
)
_CONSTANT = r"(?:\bconstants|\bconfig)\s*\.\s*{}\b"
_READ = (
    r"\b(?:getenv[\s\\]*\(|environ[\s\\]*(?:\.[\s\\]*get[\s\\]*\(|\[))[\s\\]*"
    r"[\"']{}[\"'](?![\s\\]*\][\s\\]*=[^=])"
)
_OS = "import os"
_TRANSFER = "HF_HUB_ENABLE_HF_TRANSFER"
_BEFORE_HUB_1 = {"huggingface-hub": 1, "transformers": 5}
"""The packages that tell which huggingface_hub is used, and the first major version with 1.0."""


def is_for_children(late: LateSetting, source: Source) -> bool:
    """Files that start processes of Python, and functions that run commands, which get it."""
    function = source.function(late.setting.node)
    if function is not None and _RUNS_COMMANDS.search(source.text_of(function)):
        return True
    return _STARTS_PROCESSES.search(source.text) is not None


def is_set_before(late: LateSetting, source: Source) -> bool:
    """Variables that the file sets or reads above as well."""
    above = source.text[: source.offset_of(source.span(late.cause).line)]
    return re.search(rf"[\"']{re.escape(late.setting.name)}[\"']", above) is not None


def is_passed_on(late: LateSetting, source: Source) -> bool:
    """Variables that the file reads as well, or whose constant in `datasets.config` it sets too."""
    name = re.escape(late.setting.name)
    set_too = re.search(_CONSTANT.format(name), source.code)
    return (set_too or re.search(_READ.format(name), source.text)) is not None


def is_switched_off(late: LateSetting, source: Source) -> bool:
    """Switches that are set to off, as most are without it: `0`, `false`."""
    value = string_value(late.setting.value) or string_value(source.value_of(late.setting.value))
    return value is not None and value.lower() in {"0", "false", "no", "off"}


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


class EnvSetAfterImport(PythonRule["cst.Assign | cst.Call"]):
    """Environment variable is set after the library has read it.

    ## Why it matters
    ``huggingface_hub`` and ``datasets`` read ``HF_HOME``, ``HF_HUB_OFFLINE`` and their other
    variables when they are imported, and importing ``transformers`` or ``diffusers`` imports them.
    The GPU driver reads ``HIP_VISIBLE_DEVICES`` and ``CUDA_VISIBLE_DEVICES``, and PyTorch's
    allocator ``PYTORCH_ALLOC_CONF``, once, when the GPU is first used. What is set later has no
    effect, and nothing says so: models are loaded from the wrong directory or from the network, the
    wrong GPU is used, or memory is as fragmented as before.

    Only variables that are read once are reported, not ``TOKENIZERS_PARALLELISM``,
    ``CUDA_LAUNCH_BLOCKING`` or ``HF_TOKEN``, and each once in a file.

    ## Example
    ```python
    import os

    from transformers import AutoModel

    os.environ["HF_HOME"] = "/models"
    model = AutoModel.from_pretrained("org/name")
    ```

    ## Use instead
    Set it above the first import of what reads it, or in the shell that starts the program.
    ```python
    import os

    os.environ["HF_HOME"] = "/models"

    from transformers import AutoModel

    model = AutoModel.from_pretrained("org/name")
    ```

    ## Fix safety
    Unsafe: the statement moves above the import, where it has an effect for the first time. It
    moves only if the value is written there, or made with ``os``.

    ## References
    - https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
    - https://docs.pytorch.org/docs/stable/notes/cuda.html#optimizing-memory-usage-with-pytorch-alloc-conf
    - https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html
    """

    code = "ROC314"
    name = "env-set-after-import"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = nodes(
        "Assign",
        "Call",
        words=tuple(sorted(each.name for each in KNOWN.values() if each.frozen)),
        where=r"environ\b",
        described="variables that `os.environ` gets",
    )
    excuses = (is_for_children, is_set_before, is_passed_on)
    doubts = (is_unknown_to_hub, is_switched_off)

    def check(self, node: cst.Assign | cst.Call, source: Source) -> Iterator[Finding]:
        """Find settings after the import, or the first use of a GPU, that reads the variable."""
        for setting in environment_settings(node, source):
            late = late_setting(setting, source)
            severity = None if late is None else self.severity_of(late, source)
            if late is not None and severity is not None:
                message, advice = _words(late, source)
                fix = _moved_up(late, source)
                found = self.finding(node, source, message, help=advice, fix=fix, severity=severity)
                once = f"{self.code} {source.path} {late.setting.name}"
                yield replace(found, once=once)
                return


def _words(late: LateSetting, source: Source) -> tuple[str, str]:
    line = source.named_line(source.span(late.cause).line)
    reader = KNOWN[late.setting.name].reader
    if late.package:
        done = f"imported `{late.package}`"
        advice = f"`{reader}` reads it when it is imported. Set it above {line}"
    else:
        done = "used the GPU"
        advice = "It is read once, when the GPU is first used. Set it at the top of the program"
    message = fitted(
        "`{}` is set after {line} {done}, so it has no effect",
        late.setting.name,
        line=line,
        done=done,
    )
    return message, f"{advice}, or in the shell that starts the program."


def _moved_up(late: LateSetting, source: Source) -> Fix | None:
    """Return the fix that moves a setting of the module above the import, where that can be."""
    node, cause = late.setting.node, late.cause
    line = source.enclosing(node, cst.SimpleStatementLine)
    top = source.enclosing(cause, cst.SimpleStatementLine)
    imported = _import_of_os(source)
    if line is None or top is None or imported is None or len(line.body) > 1:
        return None
    if not late.package or is_notebook(source.path) or not _needs_only_os(late):
        return None
    if not _is_top_level(node, source) or not _is_top_level(cause, source):
        return None
    above = source.span(top).line
    edits: list[Edit] = [source.remove_statement(node)]
    text = f"{source.text_of(line)}\n"
    if source.span(imported).line > above:
        edits.append(source.remove_statement(imported))
        text = f"{_OS}\n{text}"
    edits.append(Edit(above, 1, above, 1, text))
    return Fix(f"Set `{late.setting.name}` above line {above}", tuple(edits))


def _is_top_level(node: cst.CSTNode, source: Source) -> bool:
    return source.span(node).column == 1 and source.function(node) is None


@once_per_file
def _import_of_os(source: Source) -> cst.Import | None:
    """Return the statement ``import os`` on a line of its own at the top of the file."""
    found = [each.node for each in source.names.in_module("os")]
    if len(found) != 1 or not isinstance(found[0], cst.Import):
        return None
    return found[0] if source.text_of(found[0]) == _OS and _is_top_level(found[0], source) else None


def _needs_only_os(late: LateSetting) -> bool:
    node = late.setting.node
    names = {each.value for each in walk(node) if isinstance(each, cst.Name)}
    attributes = {each.attr.value for each in walk(node) if isinstance(each, cst.Attribute)}
    return names - attributes <= {"os", "str"}
