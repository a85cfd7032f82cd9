"""ROC608, required-pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import Option, PythonRule, calls, dotted_text, fitted, last_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.rule import Finding, Source


class PastPipeline(NamedTuple):
    """A call that only some functions may make."""

    call: cst.Call
    allowed: tuple[str, ...]


def is_in_pipeline(found: PastPipeline, source: Source) -> bool:
    """Calls in one of the functions that are named for them, or in a class of such a name."""
    names = {each.rpartition(".")[2] for each in found.allowed}
    return any(
        isinstance(above, (cst.FunctionDef, cst.ClassDef)) and above.name.value in names
        for above in source.ancestors(found.call)
    )


def is_override(found: PastPipeline, source: Source) -> bool:
    """Calls of the same name in a method that overrides it."""
    function = source.function(found.call)
    return function is not None and function.name.value == last_name(found.call.func)


class RequiredPipeline(PythonRule["cst.Call"]):
    """Call bypasses the function that the project requires.

    ## Why it matters
    A model with a detection head answers with boxes only where the pipeline around it adds the
    head's prompt, decodes the coordinates and checks them. ``model.generate()`` on the same model
    runs as well, and returns text such as "box box box". Nothing in either call says which one the
    project means, so it says that in its configuration. Without ``calls`` the rule is silent.

    ## Example
    ```toml title="pyproject.toml"
    [tool.rocmlint.required-pipeline]
    calls = { generate = ["predict_detection"] }
    ```
    ```python
    def show(model, inputs):
        print(model.generate(**inputs))
    ```

    ## Use instead
    ```toml title="pyproject.toml"
    [tool.rocmlint.required-pipeline]
    calls = { generate = ["predict_detection"] }
    ```
    ```python
    def predict_detection(model, inputs):
        return decode_boxes(model.generate(**inputs))
    ```

    ## Options
    - ``calls``: for the name of a function or method (``generate``, or ``model.generate`` for that
      receiver alone), the functions or classes in which it may be called.

    ## References
    - https://huggingface.co/docs/transformers/main_classes/text_generation
    """

    code = "ROC608"
    name = "required-pipeline"
    since = "0.1.0"
    on = calls("generate")
    skips = frozenset({"test"})
    options = {  # noqa: RUF012 - a constant of the class, like its code
        "calls": Option(
            "table of strings", (), "the functions in which a function may be called, by its name"
        )
    }
    needs = "calls"
    excuses = (is_in_pipeline, is_override)

    def __init__(self, *, settings: Mapping[str, object]) -> None:
        """Look for the calls that the project names."""
        super().__init__(settings=settings)
        table = settings["calls"]
        self._allowed: dict[str, tuple[str, ...]] = dict(table) if isinstance(table, tuple) else {}
        last = sorted({name.rpartition(".")[2] for name in self._allowed})
        if last:
            self.on = calls(*last)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Find calls outside of the functions that are named for them."""
        function = dotted_text(node.func) or last_name(node.func) or ""
        for name, allowed in self._allowed.items():
            if f".{function}".endswith(f".{name}"):
                found = PastPipeline(node, allowed)
                if not self.is_excused(found, source):
                    message = fitted(
                        "`{}()` is called past `{allowed}`", function, allowed=allowed[0]
                    )
                    help = f"Call `{allowed[0]}`, which this project requires in place of `{name}`."
                    yield self.finding(node, source, message, help=help)
                return
