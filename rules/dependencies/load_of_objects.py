"""ROC216, load-of-objects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import (
    Fix,
    PythonRule,
    argument,
    compile_lazily,
    dotted_text,
    last_name,
    nodes,
    once_per_file,
    string_value,
    walk,
)

from ._names.guards import is_guarded
from ._names.missing import Missing, MissingUse, unless_elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source

_CHANGED = (2, 6)
_OF_MODULE = frozenset(
    {
        *("eval", "train", "forward", "parameters", "named_parameters", "modules"),
        *("named_modules", "children", "state_dict", "load_state_dict", "zero_grad", "generate"),
    }
)
"""Methods that modules and optimizers have, and tensors and containers have not."""
_SETTINGS = frozenset(
    {"args", "cfg", "config", "opt", "opts", "options", "hparams", "hyper_parameters"}
)
_OF_CONTAINER = frozenset({*dir(dict), *dir(list), *dir(str), *dir(float)}) | {
    *("shape", "size", "dim", "item", "to", "cpu", "cuda", "clone", "detach", "numpy", "tolist"),
    *("dtype", "device", "float", "long", "bool", "half"),
}
_LOADS = compile_lazily(r"load *\(")
_OTHERS = ("json.", "pickle.", "yaml.", "np.", "numpy.", "joblib.", "toml.", "tomllib.", "_")
"""What stands before a `load` that is not torch's."""
_OWNER = compile_lazily(r"(\w*)\s*\.\s*\Z")
_OTHER_OWNER = compile_lazily(r"torch as\b|=[ \t(]*torch[ \t)]*(?:[#;\n]|\Z)")
"""Where a file gives torch another name."""
_OTHER_NAME = compile_lazily(
    r"torch import\b(?<![\w.]torch import)(?:[ \t]*\([^)]*|[^\n(]*)\bload\b"
    r"|torch\.load\b(?![ \t]*\()"
)
"""Where a file may give `torch.load` another name."""
_NEAR = 100
_READY = re.compile(r"safe_globals|NO_WEIGHTS_ONLY_LOAD|\btorch\.load[ \t]*=(?!=)")


@dataclass(frozen=True)
class _Load(MissingUse):
    """A call of `torch.load` of which the file needs more than tensors; ``what`` it needs."""

    what: str


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find calls of what may be torch's `load`, without `weights_only` in sight."""
    text = source.text
    for match in _LOADS.finditer(text):
        start = match.start()
        if text.endswith(_OTHERS, 0, start) or not _may_be_torchs(start, source):
            continue
        if "weights_only" not in text[match.end() : match.end() + 200].partition("\n\n")[0]:
            yield match


def _may_be_torchs(start: int, source: Source) -> bool:
    """Return whether the `load` there may be torch's, by what stands before it."""
    owner = _OWNER.search(source.text, max(0, start - _NEAR), start)
    if owner is None:
        return _has_other_name(source)
    return owner[1] in {"", "torch"} or _OTHER_OWNER.search(source.text) is not None


@once_per_file
def _has_other_name(source: Source) -> bool:
    """Return whether the file may call `torch.load` by a name that it gives it."""
    return _OTHER_NAME.search(source.text) is not None


def is_ready(found: _Load, source: Source) -> bool:
    """Projects that allow the classes (`safe_globals`), or change `torch.load` or its default."""
    del found
    root = source.project.folders[-1]
    return _READY.search(source.code) is not None or bool(
        source.modules_with(root, (_READY.pattern,))
    )


class LoadOfObjects(PythonRule["cst.Call"]):
    """``torch.load`` reads an object that torch 2.6 and later refuse.

    ## Why it matters
    Since torch 2.6 ``torch.load`` gives tensors, numbers, strings and containers of them, and
    raises ``UnpicklingError`` for anything else, unless ``weights_only=False`` is passed. A state
    dict loads as before. A checkpoint that holds a whole model, or the ``argparse.Namespace`` of
    the run, does not.

    Reported is a load whose result the file uses as such an object: a method of modules is called
    on it, it is called itself, or its "args" or "cfg" have attributes. It is an error where every
    torch that the project allows refuses, a warning where older ones would load it.

    ## Example
    ```python
    import torch

    model = torch.load("model.pt")
    model.eval()
    ```

    ## Use instead
    ```python
    import torch

    model = torch.load("model.pt", weights_only=False)  # a file of our own
    model.eval()
    ```

    ## Fix safety
    Unsafe: with ``weights_only=False`` a file can run any code, so it has to be one you trust.

    ## References
    - https://docs.pytorch.org/docs/stable/generated/torch.load.html
    - https://docs.pytorch.org/docs/stable/notes/serialization.html
    - https://github.com/pytorch/pytorch/releases/tag/v2.6.0
    """

    code = "ROC216"
    name = "load-of-objects"
    since = "0.1.0"
    on = nodes(
        "Call",
        words=("torch.load", "torch as ", "import load"),
        suspects=_suspects,
        described="calls to `torch.load` without `weights_only`",
    )
    excuses = (is_ready, is_guarded)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Report a load of which the file then needs an object."""
        if last_name(node.func) != "load" and not _has_other_name(source):
            return
        if _says_what_it_loads(node) or source.resolve(node.func) != "torch.load":
            return
        missing = _judged(source)
        what = _object_of(node, source) if missing is not None else ""
        if missing is None or not what:
            return
        if self.is_excused(_Load(node, missing, what), source):
            return
        message = f"Since torch 2.6, `torch.load` refuses {what} by default"
        told = (
            "Pass `weights_only=False` if you trust the file, or save and load a `state_dict`. "
            "The default has been `True` since torch 2.6."
        )
        fix, severity = _fix(node, source), missing.severity
        yield self.finding(node, source, message, help=told, fix=fix, severity=severity)


def _says_what_it_loads(node: cst.Call) -> bool:
    given = {each.keyword.value for each in node.args if each.keyword is not None}
    return bool(given & {"weights_only", "pickle_module"}) or any(each.star for each in node.args)


@once_per_file
def _judged(source: Source) -> Missing | None:
    """Return the versions of torch, if all that may be installed have the new default."""
    candidates = source.versions("torch")
    if not candidates or any(each.version.release[:2] < _CHANGED for each in candidates):
        return None
    first = candidates[0]
    lowest = first.lowest
    certain = first.certain or (lowest is not None and lowest.release[:2] >= _CHANGED)
    found = Missing("torch.load", "weights_only", None, candidates, certain)
    return unless_elsewhere(found, source)


def _object_of(node: cst.Call, source: Source) -> str:
    """Return what the result of a load is used as; "" where it may be tensors in containers."""
    parent: cst.CSTNode | None = source.parent(node)
    key = ""
    if isinstance(parent, cst.Subscript):
        key, parent = _key(parent), source.parent(parent)
    if isinstance(parent, cst.Attribute):
        around = source.parent(parent)
        called = isinstance(around, cst.Call) and around.func is parent
        return _told(key, parent.attr.value, called=called)
    if not isinstance(parent, cst.Assign) or len(parent.targets) > 1:
        return ""
    name = dotted_text(parent.targets[0].target)
    return _used_as(name, key, node, source) if name is not None else ""


def _key(node: cst.Subscript) -> str:
    element = node.slice[0].slice
    return (string_value(element.value) or "?") if isinstance(element, cst.Index) else "?"


def _told(key: str, attribute: str, *, called: bool) -> str:
    """Return what must be an object: by its key, what is looked up in it, or its call.

    ``attribute`` is "" where the thing itself is called.
    """
    if called and attribute in _OF_MODULE:
        return f'a module or optimizer in `"{key}"`' if key else "a whole model"
    if attribute and key in _SETTINGS and attribute not in _OF_CONTAINER:
        return f'an object in `"{key}"`'
    return "a whole model" if called and not key and not attribute else ""


def _used_as(name: str, key: str, node: cst.Call, source: Source) -> str:
    """Return how a name is used after it was given what is loaded, until it gets another value.

    ``key`` is what was taken out of that first, if anything was.
    """
    is_member = "." in name
    around = source.whole_class(node) if is_member else source.function(node) or source.module
    every = list(walk(around)) if around is not None else []
    place = tuple(source.span(node))
    if is_member:
        if sum(_is_set(name, each) for each in every) != 1:
            return ""
        after = iter(every)
    else:
        after = iter(every)
        for each in after:
            if isinstance(each, cst.Call) and tuple(source.span(each)) == place:
                break
    for each in after:
        if not is_member and _is_set(name, each):
            return ""
        told = _use(name, key, each, source)
        if told:
            return told
    return ""


def _is_set(name: str, node: cst.CSTNode) -> bool:
    """Return whether a node gives the name a value."""
    if isinstance(node, (cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr)):
        return any(dotted_text(each) == name for each in walk(node.target))
    return isinstance(node, cst.AsName) and dotted_text(node.name) == name


def _use(name: str, key: str, node: cst.CSTNode, source: Source) -> str:
    """Return what one node needs the name to be."""
    if isinstance(node, cst.Call) and dotted_text(node.func) == name:
        return _told(key, "", called=True)
    if not isinstance(node, cst.Attribute):
        return ""
    called = isinstance(parent := source.parent(node), cst.Call) and parent.func is node
    if dotted_text(node.value) == name:
        return _told(key, node.attr.value, called=called)
    if isinstance(node.value, cst.Subscript) and dotted_text(node.value.value) == name and not key:
        return _told(_key(node.value), node.attr.value, called=called)
    return ""


def _fix(node: cst.Call, source: Source) -> Fix | None:
    if argument(node, 0, "f") is None:
        return None
    last = node.args[-1]
    text = source.text_of(last.value)
    edit = source.replace(last.value, f"{text}, weights_only=False")
    return Fix("Pass `weights_only=False`", (edit,), safe=False)
