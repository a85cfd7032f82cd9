"""Why a statement is left as it is."""

from __future__ import annotations

from enum import Enum

KINDS = {
    "alias-changed-later": "a result may share its memory with a tensor that changes later",
    "mixed-and-or": "`and` and `or` mix tensors and Python so that they cannot be split",
    "nested-statement-refused": "a statement in a branch also depends on a tensor, and is refused",
    "not-a-tensor": "a name holds something other than a tensor, or nothing, on one path",
    "not-exported": "an export does not get here, a condition or a decorator sees to that",
    "number-from-tensor": "Python compares or uses a number that was read from a tensor",
    "raise-may-be-caught": "a `try` or `with` may catch the error, here or where this is called",
    "scope-of-names": "names cannot move into a function, being global or seen by others",
    "side-effect": "a branch does something besides assigning names",
    "tensors-differ": "the branches may give tensors with different dtypes or shapes",
    "unsupported-exception": "the exception is not one with exactly one text as its argument",
    "unsupported-loop": "the loop is not a map or a recurrence over tensors",
    "unsupported-statement": "this kind of statement, or a part of it, is not rewritten",
}
"""The kinds of reasons that reports print, by what a user does about them."""
_AND_OR, _NUMBER, _SCOPE = "mixed-and-or", "number-from-tensor", "scope-of-names"
_SIDE, _SHAPE = "side-effect", "tensors-differ"
_STATEMENT, _VALUE = "unsupported-statement", "not-a-tensor"


class Refusal(Enum):
    """A reason not to rewrite a statement: its kind, and what it says if not the same."""

    ALIAS_CHANGED_LATER = ("alias-changed-later",)
    ATTRIBUTE_MUTATION = _SIDE, "a branch sets an attribute or registers a buffer"
    CAPTURES_NUMBER = _NUMBER, "a branch uses a number that was read from a tensor before"
    COMPARES_VALUES = _NUMBER, "numbers that were read from a tensor are compared in Python"
    DTYPE_MISMATCH = _SHAPE, "the branches give tensors with different dtypes"
    DTYPE_UNKNOWN = _SHAPE, "one path shows its dtype and another does not, so that they may differ"
    EARLY_RETURN = _STATEMENT, "only one path returns"
    FILTERED = "not-exported", "`filter_node` or the names of the functions leave it out"
    IN_PLACE_OPERATION = _SIDE, "a branch changes a tensor in place"
    JUMP_IN_BRANCH = _STATEMENT, "a branch contains break, continue, yield, await or del"
    MAYBE_NO_TENSOR = _AND_OR, "a part of an `and` or `or` may be something other than a tensor"
    MIXED_AND_OR = ("mixed-and-or",)
    NAME_TAKEN = _SCOPE, "the file uses a name for something else that the rewritten code needs"
    NAME_UNBOUND = _VALUE, "a name is perhaps not bound on the other path"
    NESTED_FUNCTION = _STATEMENT, "a branch defines a function or a class"
    NESTED_STATEMENT = ("nested-statement-refused",)
    NONE_ON_ONE_PATH = _VALUE, "a name is, or may be, None on one path"
    NOT_EXPORTED = ("not-exported",)
    NO_OUTPUT = _STATEMENT, "the branches assign nothing that is used later"
    NOT_A_TENSOR = _VALUE, "a name holds a list, or something other than a tensor, on one path"
    PYTHON_SCALAR = _VALUE, "a name holds a Python value, such as a number, on one path"
    RAISE_CAUGHT = ("raise-may-be-caught",)
    RAISE_IN_BRANCH = _STATEMENT, "a branch raises, but does other things too"
    SCOPE_OF_NAMES = ("scope-of-names",)
    SHAPE_MISMATCH = _SHAPE, "the branches may give tensors with different shapes"
    SIDE_EFFECT = ("side-effect",)
    SIZE_DEPENDS = _SHAPE, "in a branch content decides how large a tensor is, as in `x[mask]`"
    SKIPPED_TEST = _AND_OR, "a part of an `and` or `or` may fail where Python does not get to it"
    SUBSCRIPT_ASSIGNMENT = _SIDE, "a branch assigns to an item"
    SUPER_IN_BRANCH = _STATEMENT, "a branch calls super() without arguments"
    UNSUPPORTED_EXCEPTION = ("unsupported-exception",)
    UNSUPPORTED_LOOP = ("unsupported-loop",)
    UNSUPPORTED_STATEMENT = _STATEMENT, "this kind of statement is not rewritten"
    WALRUS = _STATEMENT, "the statement contains `:=`"

    def __init__(self, kind: str, says: str = "") -> None:
        self.kind = kind
        self.says = says or KINDS[kind]


class RefusedError(Exception):
    """Raised inside of this room where a statement cannot be rewritten."""

    def __init__(self, reason: Refusal, about: str = "") -> None:
        """Take the reason and what exactly it is about, such as a name."""
        super().__init__(reason.name, about)
        self.kind = reason.kind
        self.detail = f"{reason.says} ({' '.join(about.split())})" if about else reason.says
