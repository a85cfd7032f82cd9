"""ROC704, unknown-parameter-group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.rule import Option, PythonRule, argument, calls, fitted, string_value, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Finding, Source


class UnknownParameterGroup(PythonRule["cst.Call"]):
    """Parameter prefix belongs to no group of the project.

    ## Why it matters
    Learning rates and frozen parts are chosen by the first words of parameter names. A prefix that
    no parameter has (``detect_head.`` for ``detection_head.``) matches nothing: the part trains
    with the learning rate of the rest, or is not frozen, and no error says so.

    The rule reports only where ``prefixes`` names the groups. Looked at are calls of ``startswith``
    and ``removeprefix`` on the names that ``named_parameters`` and ``named_modules`` give. Whether
    each parameter of a model is in one group is told by ``rocmlint verify model``.

    ## Example
    ```toml title="rocmlint.toml"
    [unknown-parameter-group]
    prefixes = ["visual", "detection_head", "model"]
    ```
    ```python
    def freeze(model):
        for name, parameter in model.named_parameters():
            if name.startswith("detect_head."):
                parameter.requires_grad = False
    ```

    ## Use instead
    ```toml title="rocmlint.toml"
    [unknown-parameter-group]
    prefixes = ["visual", "detection_head", "model"]
    ```
    ```python
    def freeze(model):
        for name, parameter in model.named_parameters():
            if name.startswith("detection_head."):
                parameter.requires_grad = False
    ```

    ## Options
    - ``prefixes``: the first words of parameter names that the project has a group for.

    ## References
    - https://docs.pytorch.org/docs/stable/optim.html#per-parameter-options
    """

    code = "ROC704"
    name = "unknown-parameter-group"
    since = "0.1.0"
    skips = frozenset({"test"})
    options = {  # noqa: RUF012 - a constant of the class, like its code
        "prefixes": Option(
            "strings", (), "the first words of parameter names that the project has a group for"
        ),
    }
    needs = "prefixes"
    on = calls("startswith", "removeprefix")

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find prefixes of parameter names that the project does not know."""
        known = self.settings["prefixes"]
        if not isinstance(known, tuple) or not _is_of_parameter(node, source):
            return
        given = argument(node, 0, None)
        for each in given.elements if isinstance(given, cst.Tuple) else [given]:
            value = each.value if isinstance(each, cst.Element) else each
            text = string_value(value)
            if value is None or not text or _is_known(text, known):
                continue
            message = fitted("`{}` is not the prefix of any parameter group", text)
            help = f"The groups begin with {', '.join(f'`{name}`' for name in known)}."
            yield self.finding(value, source, message, help=help)


def _is_known(text: str, known: tuple[object, ...]) -> bool:
    """Return whether a prefix begins like a group, below ``module.`` of a wrapper too."""
    first, dot, _ = text.removeprefix("module.").partition(".")
    return any(first == name if dot else str(name).startswith(first) for name in known)


def _is_of_parameter(node: cst.Call, source: Source) -> bool:
    """Return whether a method is called on a name that a model gives to a parameter or module."""
    if not isinstance(node.func, cst.Attribute) or not isinstance(node.func.value, cst.Name):
        return False
    name = node.func.value
    for above in source.ancestors(node):
        loops = [above] if isinstance(above, (cst.For, cst.CompFor)) else []
        inner = getattr(above, "for_in", None)
        loops += [inner] if isinstance(inner, cst.CompFor) else []
        for loop in loops:
            targets = [each.value for each in walk(loop.target) if isinstance(each, cst.Name)]
            if name.value in targets:
                return targets[0] == name.value and _gives_names(loop.iter)
    return False


def _gives_names(iterated: cst.BaseExpression) -> bool:
    return (
        isinstance(iterated, cst.Call)
        and isinstance(iterated.func, cst.Attribute)
        and iterated.func.attr.value in {"named_parameters", "named_modules"}
    )
