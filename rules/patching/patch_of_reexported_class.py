"""ROC116, patch-of-reexported-class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.rule import PythonRule
from rocmlint.rule.claims import replacement

from ._late_patches import PATCHES_IMPORTED, late_patches, late_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    import libcst as cst

    from rocmlint.rule import Finding, Source


class PatchOfReexportedClass(PythonRule["cst.Assign | cst.Call"]):
    """Class is patched after its parent package has re-exported it.

    ## Why it matters
    ``transformers.LlamaModel`` and ``transformers.models.llama.modeling_llama.LlamaModel`` are
    two names of one class. Replacing the second leaves the original under the first, and under
    every name that was imported from there before.

    ## Example
    ```python
    import transformers
    from transformers import LlamaModel

    class FastModel(LlamaModel):
        pass

    transformers.models.llama.modeling_llama.LlamaModel = FastModel
    model = LlamaModel.from_pretrained("meta-llama/Llama-3.2-1B")
    ```

    ## Use instead
    Use the new class by its own name.
    ```python
    from transformers import LlamaModel

    class FastModel(LlamaModel):
        pass

    model = FastModel.from_pretrained("meta-llama/Llama-3.2-1B")
    ```

    ## References
    - https://docs.python.org/3/reference/simple_stmts.html#the-import-statement
    """

    code = "ROC116"
    name = "patch-of-reexported-class"
    since = "0.1.0"
    severity = "warning"
    skips = frozenset({"test"})
    on = PATCHES_IMPORTED

    def check(self, node: cst.Assign | cst.Call, source: Source) -> Iterator[Finding]:
        """Find classes that this file knows from a package around the patched module."""
        for late in late_patches(node, source):
            if late.patch.name[:1].isupper() and not late.is_same:
                claims = (replacement(late.module, late.patch.name),)
                message, advice = late_words(late, source)
                yield self.finding(node, source, message, help=advice, claims=claims)
