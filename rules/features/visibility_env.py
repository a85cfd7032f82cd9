"""ROC313, visibility-env."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.paths import relative
from rocmlint.published.visible_devices import CUDA, HIP, ROCR, VISIBILITY, entries, is_short
from rocmlint.rule import (
    PartRule,
    argument,
    compile_lazily,
    dotted_text,
    last_name,
    nodes,
    settings,
    statements,
    string_value,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.rule import File, Finding, Setting, Source

_NAMED = compile_lazily(r"\b(?:HIP|ROCR|CUDA)_VISIBLE_DEVICES\b")
_QUOTED = compile_lazily(r"[\"'](?:HIP|ROCR|CUDA)_VISIBLE_DEVICES[\"']")
_TEXTS = frozenset({"get", "getenv", "join", "str", "strip"})
"""Functions that give a text."""
_ALL = compile_lazily(r"\brange[\s\\]*\([^,()]*\)|\bseq\b[^|)]*\b0\b")
_ENVIRONMENT = compile_lazily(r"env|vars", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class VisibleDevices:
    """A variable that filters GPUs, and what it is set to.

    ``text`` is the list, or, if it is not ``known``, the expression; ``copied`` is the other
    variable that the expression gives. ``place`` is what is reported, ``origin`` where a shell has
    an unknown list from.
    """

    name: str
    text: str
    known: bool
    place: Setting | cst.CSTNode
    copied: str = ""
    origin: str = ""


def is_of_all(devices: VisibleDevices, file: File) -> bool:
    """Lists of all GPUs from 0 on: `",".join(str(i) for i in range(count))`, `$(seq 0 7)`.

    Written for terminills/gator, src/backend/utils/rocm_utils.py.
    """
    del file
    return _ALL.search(f"{devices.text} {devices.origin}") is not None


def _quoted_lists(source: Source) -> Iterator[re.Match[str]]:
    """Find the names of the variables, as a key of an environment has them."""
    return _QUOTED.finditer(source.text)


class VisibilityEnv(PartRule["Setting | cst.Assign | cst.Dict"]):
    """Two GPU-visibility variables filter the same process one after the other.

    ## Why it matters
    On ROCm the GPUs are filtered twice: the driver leaves those of ``ROCR_VISIBLE_DEVICES`` and
    numbers them from 0, and HIP takes from these the ones of ``HIP_VISIBLE_DEVICES``, or of
    ``CUDA_VISIBLE_DEVICES`` where the former is not set. With ``2,3`` in both, GPU 2 of two is
    asked for, and ``torch.cuda.is_available()`` is False, or PyTorch raises an error. It works with
    ``0``, so it fails first on the second GPU, or in the second worker.

    Lists that name all GPUs from 0 on are the same after both filters, and not reported; nor are
    copies after which the first variable is unset. Scripts of a project that copy a list in the
    same way are reported once.

    ## Example
    ```shell
    export ROCR_VISIBLE_DEVICES=$GPU
    export HIP_VISIBLE_DEVICES=$GPU
    python serve.py
    ```

    ## Use instead
    Set ``HIP_VISIBLE_DEVICES`` only, or count from 0 what the first filter leaves.
    ```shell
    export HIP_VISIBLE_DEVICES=$GPU
    python serve.py
    ```

    ## References
    - https://rocm.docs.amd.com/en/latest/conceptual/gpu-isolation.html
    """

    code = "ROC313"
    name = "visibility-env"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = settings(*VISIBILITY, described="variables that scripts, images and services set") | nodes(
        "Assign",
        "Dict",
        words=VISIBILITY,
        suspects=_quoted_lists,
        described="items of environments that Python code sets",
    )

    excuses = (is_of_all,)

    def check(self, node: Setting | cst.Assign | cst.Dict, source: File) -> Iterator[Finding]:
        """Find lists of GPUs that hold together and name others than they seem to."""
        from rocmlint.rule import Setting, Source  # noqa: PLC0415 - few files have any

        found: list[VisibleDevices] = []
        if isinstance(node, Setting):
            found = _in_parts(node, source)
        elif isinstance(source, Source):
            found = _in_python(node, source)
        wrong = _fault(found)
        if (
            wrong is None
            or _fault(found[:-1])
            or any(self.is_excused(each, source) for each in found)
        ):
            return
        message, advice = wrong
        finding = self.finding(found[-1].place, source, message, help=advice)
        yield replace(finding, once=_same_copy(finding, found[-1], source))


def _same_copy(finding: Finding, last: VisibleDevices, file: File) -> str:
    """Return what is alike in scripts of one project that copy a list in the same way."""
    if not last.copied:
        return ""
    root = relative(file.project.folders[-1], file.settings.root)
    return f"{finding.code} {root} {finding.message} {last.text}"


def _fault(found: Sequence[VisibleDevices]) -> tuple[str, str] | None:
    """Return what is wrong with lists that hold together, and what to do; None where nothing is."""
    lists = {each.name: each for each in found}
    rocr, hip, cuda = (lists.get(name) for name in (ROCR, HIP, CUDA))
    second = hip or cuda
    if rocr is not None and second is not None:
        return _filtered_twice(rocr, second)
    copy = next((each for each in found if ROCR in {each.name, each.copied} and each.copied), None)
    if copy is not None:
        return _copied(copy.name, copy.copied)
    if hip is not None and cuda is not None and hip.known and cuda.known:
        left, right = entries(hip.text), entries(cuda.text)
        if left and right and left != right:
            return (
                f"`{CUDA}` differs from `{HIP}`, which HIP takes in its stead",
                f"Set only `{HIP}`: code that reads the other one counts other GPUs.",
            )
    return None


def _filtered_twice(rocr: VisibleDevices, second: VisibleDevices) -> tuple[str, str] | None:
    if rocr.known and second.known:
        left, wanted = entries(rocr.text), entries(second.text)
        if not left or not wanted or not is_short(left, wanted):
            return None
        return (
            f"`{second.name}` names GPUs that `{ROCR}` has filtered out",
            f"Set only one of them. HIP counts the {len(left)} that `{ROCR}` leaves from 0.",
        )
    if rocr.copied == second.name or second.copied == ROCR:
        return _copied(*((rocr.name, second.name) if rocr.copied else (second.name, ROCR)))
    if not rocr.known and not second.known and rocr.text == second.text:
        return _copied(second.name, ROCR)
    return None


def _copied(name: str, other: str) -> tuple[str, str]:
    one = name if other == ROCR else other
    return (
        f"`{name}` gets the list of `{other}`, so the GPUs are filtered twice",
        (
            f"Set only `{one}`: HIP counts what `{ROCR}` leaves from 0, "
            "so the same numbers name other GPUs or none."
        ),
    )


def _in_parts(node: Setting, file: File) -> list[VisibleDevices]:
    """Return what holds together with a setting of a script, an image or a service, it being last.

    Nothing where that is not certain.
    """
    if node.name not in VISIBILITY or node.value is None:
        return []
    known = [each for each in file.parts.settings if each.name in VISIBILITY]
    here = known.index(node)
    if any(each.value is None for each in known[here:]):
        return []
    if node.holder and any(each.holder == node.holder for each in known[here + 1 :]):
        return []
    before = [each for each in known[:here] if each.holder in {node.holder, None}]
    latest = {each.name: each for each in before if each.name != node.name}
    if not all(_has_run(each, node) for each in latest.values()):
        return []
    return [*filter(None, map(_of_part, (*latest.values(), node)))]


def _has_run(earlier: Setting, later: Setting) -> bool:
    return later.branches[: len(earlier.branches)] == earlier.branches


def _of_part(setting: Setting) -> VisibleDevices | None:
    if setting.value is None:
        return None
    text, known = setting.value.text.strip("\"'"), setting.value.known
    origin = setting.value.origin
    named = None if known else _NAMED.search(text)
    copied = named[0] if named is not None and named[0] != setting.name else ""
    return VisibleDevices(setting.name, text, known, setting, copied, origin)


def _in_python(node: cst.Assign | cst.Dict, source: Source) -> list[VisibleDevices]:
    """Return what holds together with an item of an environment that is set, it being last."""
    if isinstance(node, cst.Dict):
        items = [each for each in node.elements if isinstance(each, cst.DictElement)]
        found = [_of_value(string_value(each.key), each.value, each.key, source) for each in items]
        return [each for each in found if each is not None]
    own = _assigned(node, source)
    if own is None or _is_taken_away(node, source):
        return []
    mapping = _mapping(node, source)
    line = source.span(node).line
    before = [
        other
        for each in _siblings(node, source)
        if isinstance(each, cst.Assign) and source.span(each).line < line
        if (other := _assigned(each, source)) is not None and _mapping(each, source) == mapping
    ]
    latest = {each.name: each for each in before if each.name != own.name}
    return [*latest.values(), own]


def _siblings(node: cst.CSTNode, source: Source) -> list[cst.CSTNode]:
    """Return the statements of the block that a statement stands in."""
    line = source.enclosing(node, cst.SimpleStatementLine)
    block = None if line is None else source.parent(line)
    if isinstance(block, cst.Module):
        block = source.module
    return [] if block is None else list(statements(block))


def _assigned(node: cst.Assign, source: Source) -> VisibleDevices | None:
    """Return what ``env["HIP_VISIBLE_DEVICES"] = …`` sets, None for all else."""
    target = node.targets[0].target
    if len(node.targets) > 1 or not isinstance(target, cst.Subscript) or len(target.slice) != 1:
        return None
    index = target.slice[0].slice
    name = string_value(index.value) if isinstance(index, cst.Index) else None
    if not _ENVIRONMENT.search(last_name(target.value) or ""):
        return None
    return _of_value(name, node.value, node, source)


def _mapping(node: cst.Assign, source: Source) -> str:
    target = cst.ensure_type(node.targets[0].target, cst.Subscript)
    return dotted_text(target.value) or source.text_of(target.value)


def _of_value(
    name: str | None, value: cst.BaseExpression, place: cst.CSTNode, source: Source
) -> VisibleDevices | None:
    if name not in VISIBILITY:
        return None
    text = string_value(value)
    if text is not None:
        return VisibleDevices(name, text, known=True, place=place)
    if isinstance(value, cst.Call) and last_name(value.func) not in _TEXTS:
        return None  # something else than a list of GPUs: `frozenset({"amd"})`
    copied = _read(value, source)
    return VisibleDevices(
        name,
        source.text_of(value),
        known=False,
        place=place,
        copied="" if copied == name else copied,
        origin=source.text_of(source.value_of(value) or value),
    )


def _read(value: cst.BaseExpression, source: Source) -> str:
    """Return the list that an expression gives: ``os.environ["ROCR_VISIBLE_DEVICES"]``, else ""."""
    value = source.value_of(value) or value
    key: cst.BaseExpression | None = None
    if isinstance(value, cst.Call) and last_name(value.func) in {"get", "getenv"}:
        key = argument(value, 0, "key")
    elif isinstance(value, cst.Subscript) and len(value.slice) == 1:
        index = value.slice[0].slice
        key = index.value if isinstance(index, cst.Index) else None
    name = string_value(key)
    return name if name in VISIBILITY else ""


def _is_taken_away(node: cst.Assign, source: Source) -> bool:
    """Return whether the function of a setting takes one of the lists out of the environment."""
    return _takes_away(source.text_of(source.function(node) or source.module))


def _takes_away(text: str) -> bool:
    pattern = r"(?:\bdel\b[^\n]*|\b(?:pop|unsetenv)[\s\\]*\([\s\\]*)[\"'](?:HIP|ROCR|CUDA)_VISIBLE"
    return re.search(pattern, text) is not None
