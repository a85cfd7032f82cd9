"""ROC703, prepare-inputs-drops-cache-position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule, compile_lazily, definitions

from ._trainers import OwnClass, is_method

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source

_HANDS_ON = compile_lazily(
    r"\bcache_position\b|\bsuper\s*\(|\*\*\s*\w|update\s*\(\s*\w*kwargs|\blocals\s*\("
    r"|raise\s+NotImplementedError"
)
_OVERRIDES = compile_lazily(r"\bdef[\s\\]+prepare_inputs_for_generation\b")
_FIRST, _LAST = "4.41", "5"
"""From which release on generate() passes the positions, and from which on it no longer does."""


def is_of_other_release(node: cst.FunctionDef, source: Source) -> bool:
    """Projects that may run with transformers before 4.41, or with 5 and later."""
    del node
    from packaging.version import Version  # noqa: PLC0415 - few files need it

    candidates = source.versions("transformers")
    first, last = Version(_FIRST), Version(_LAST)
    return not candidates or any(not first <= each.version < last for each in candidates)


def _suspects(source: Source) -> Iterator[re.Match[str]]:
    """Find the overrides in files that name the positions at all: most models do not."""
    if "cache_position" in source.text:
        yield from _OVERRIDES.finditer(source.text)


class PrepareInputsDropsCachePosition(PythonRule["cst.FunctionDef"]):
    """``prepare_inputs_for_generation`` drops ``cache_position``.

    ## Why it matters
    From transformers 4.41 until 5.0, ``generate`` tells the model by ``cache_position`` where the
    new tokens belong in the cache. A ``forward`` that does not get it works it out from the length
    of the cache: that is another place with a static cache, a padded prompt or a cache that is
    continued, and the keys are written over others.

    Looked at are classes whose own ``forward`` takes ``cache_position``. Transformers 5 does not
    pass it any more.

    ## Example
    ```text
    transformers==4.51.3
    ```
    ```python
    class Captioner(Base):
        def forward(self, input_ids, past_key_values=None, cache_position=None):
            return self.model(input_ids, past_key_values, cache_position)

        def prepare_inputs_for_generation(self, input_ids, past_key_values=None, **kwargs):
            return {"input_ids": input_ids[:, -1:], "past_key_values": past_key_values}
    ```

    ## Use instead
    Start from what the library prepares.
    ```python
    class Captioner(Base):
        def forward(self, input_ids, past_key_values=None, cache_position=None):
            return self.model(input_ids, past_key_values, cache_position)

        def prepare_inputs_for_generation(self, input_ids, **kwargs):
            return super().prepare_inputs_for_generation(input_ids, **kwargs)
    ```

    ## References
    - https://huggingface.co/docs/transformers/v4.51.3/en/kv_cache
    """

    code = "ROC703"
    name = "prepare-inputs-drops-cache-position"
    since = "0.1.0"
    severity = "note"
    skips = frozenset({"test"})
    on = definitions("prepare_inputs_for_generation", suspects=_suspects)
    excuses = (is_of_other_release,)

    def check(self, node: cst.FunctionDef, source: Source) -> Iterator[Finding]:
        """Find overrides that return inputs without the positions that `forward` takes."""
        if not is_method(node, source) or _HANDS_ON.search(source.text_of(node.body)):
            return
        whole = source.whole_class(node)
        forward = None if whole is None else OwnClass(whole, source).method("forward")
        if forward is None or self.is_excused(node, source):
            return
        taken = (*forward.params.params, *forward.params.kwonly_params)
        if any(each.name.value == "cache_position" for each in taken):
            message = (
                "`prepare_inputs_for_generation` drops `cache_position`, which `forward` takes"
            )
            help = "Return it among the inputs, or start from what `super()` prepares."
            yield self.finding(node.name, source, message, help=help)
