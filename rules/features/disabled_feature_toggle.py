"""ROC301, disabled-feature-toggle."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rocmlint.rule import Option, PartRule, comments, remarks

from ._disabled import (
    disabled,
    is_dead,
    is_done_by_live_code,
    is_explained,
    is_no_line_of_code,
    names_what_is_gone,
)
from ._evidence import claiming_line, is_left_to_choice
from ._toggles import VARIABLES, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rocmlint.rule import Comment, File, Finding, On

_ON = frozenset({"1", "true", "on", "yes"})
_BOTH = "comments that name a fast path"


def _comments_with(words: tuple[str, ...]) -> On:
    return comments("|".join(map(re.escape, words)), words, _BOTH)


class DisabledFeatureToggle(PartRule["Comment"]):
    """Fast path is commented out without a reason.

    ## Why it matters
    ``# set_use_aiter_attention(True)`` or ``# attn_implementation="flash_attention_2"`` is what
    is left when a call failed and somebody wanted the script to run: the function is missing
    because a patched or newer file is not the one that is loaded, the kernel because a package
    was built for another PyTorch. The run goes on two to four times slower, nothing says so, and
    published numbers are those of the slow path.

    The rule reports comments that read as one statement, as arguments of a call, or as a variable
    that a script, an image or a service sets. It is a warning where something shows that the
    feature was meant to be on:

    - the file imports a function that only the comment calls
    - Python code switches AITER on by a call or a variable of the environment
    - live code nearby prepares for the feature: ``enable_input_require_grads()``,
      ``PYTORCH_TUNABLEOP_FILENAME``, ``set_float32_matmul_precision()``
    - a heading says that a training is compiled, or matrix multiplications are tuned

    Each switch is reported once a file, as a note each feature. There is no fix: restoring the line
    would hide the cause once more.

    ## Example
    ```python
    from transformers import AutoModelForCausalLM

    print("Loading the critic with flash attention")
    critic = AutoModelForCausalLM.from_pretrained(
        "b",
        # attn_implementation="flash_attention_2",
    )
    ```

    ## Use instead
    Find out what failed: ``inspect.getfile`` tells which file is loaded, ``pip show`` which
    package. Fix that and restore the line. If it stays off, write the reason or the issue's link
    into the comment, or delete it.
    ```python
    from transformers import AutoModelForCausalLM

    print("Loading the critic with flash attention")
    critic = AutoModelForCausalLM.from_pretrained("b", attn_implementation="flash_attention_2")
    ```

    ## Options
    - ``toggles``: further names of functions, arguments, attributes and environment variables
      that switch a fast path on.

    ## References
    - https://huggingface.co/docs/transformers/attention_interface
    - https://huggingface.co/docs/diffusers/optimization/memory
    - https://rocm.docs.amd.com/en/latest/how-to/rocm-for-ai/inference-optimization/index.html
    """

    code = "ROC301"
    name = "disabled-feature-toggle"
    since = "0.1.0"
    retired = {"ROC303": "disabled-optional-toggle"}  # noqa: RUF012 - a constant of the class
    severity = "warning"
    tiers = {"error": "a log next to the statement says that the feature is on"}  # noqa: RUF012
    on = _comments_with(WORDS) | remarks(*VARIABLES, described="comments that set a variable")
    skips = frozenset({"test", "docs"})
    options = {  # noqa: RUF012 - a constant of the class, like its code
        "toggles": Option("strings", (), "further names that switch a fast path on")
    }
    excuses = (
        is_explained,
        is_no_line_of_code,
        is_done_by_live_code,
        names_what_is_gone,
    )
    doubts = (is_dead, is_left_to_choice)

    def __init__(self, *, settings: Mapping[str, object]) -> None:
        """Look for the toggles of the user as well."""
        super().__init__(settings=settings)
        names = settings["toggles"]
        self._more = tuple(names) if isinstance(names, (list, tuple)) else ()
        if self._more:
            self.on = self.on | _comments_with(self._more)

    def check(self, node: Comment, source: File) -> Iterator[Finding]:
        """Find comments that are a toggle of a fast path."""
        from rocmlint.rule import Source  # noqa: PLC0415 - few scripts have any

        found = disabled(node, self._more, source)
        in_python = isinstance(source, Source)
        if found is None or not (in_python or found.toggle.value.lower() in _ON):
            return
        severity = self.severity_of(found, source)
        if severity is None:
            return
        said_in = claiming_line(found, source)
        title = found.toggle.feature.title
        message = f"`{found.shown(60)}` is commented out without a reason"
        help = (
            f"Restore the line, or write beside it why {title} is off. If it fails, "
            f"`inspect.getfile` shows which files are loaded."
        )
        if said_in is not None:
            severity = "error"
            line = source.named_line(said_in)
            message = f"`{found.shown(30)}` is commented out, but {line} logs that it is on"
            help = (
                f"Restore the line, or correct the log. Results are taken for those of {title}, "
                f"which did not run."
            )
        elif severity == "note":
            help = f"Restore the line, write why {title} is off, or delete it."
        claims = found.claims(source) if isinstance(source, Source) else ()
        finding = self.finding(node, source, message, help=help, severity=severity, claims=claims)
        switch = title if severity == "note" else found.toggle.key
        yield replace(finding, once=f"{self.code} {severity} {source.path} {switch}")
