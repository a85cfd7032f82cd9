"""Why a statement is left as it is."""

from __future__ import annotations

from enum import Enum


class Refusal(Enum):
    """A reason not to rewrite a statement; the value is what reports print."""

    ALIAS_CHANGED_LATER = "alias-changed-later"
    ATTRIBUTE_MUTATION = "attribute-mutation"
    CAPTURES_UNBACKED_SCALAR = "captures-unbacked-scalar"
    COMPARES_VALUES = "compares-values"
    DTYPE_MISMATCH = "dtype-mismatch"
    DTYPE_UNKNOWN = "dtype-unknown"
    EARLY_RETURN = "early-return"
    FILTERED = "filtered"
    IN_PLACE_OPERATION = "in-place-operation"
    JUMP_IN_BRANCH = "jump-in-branch"
    MIXED_AND_OR = "mixed-and-or"
    NAME_TAKEN = "name-taken"
    NAME_UNBOUND = "name-unbound-on-other-path"
    NESTED_FUNCTION = "nested-function"
    NESTED_STATEMENT = "nested-statement-refused"
    NONE_ON_ONE_PATH = "none-on-one-path"
    NOT_EXPORTED = "not-exported"
    NO_OUTPUT = "no-output"
    NOT_A_TENSOR = "output-not-a-tensor"
    PERHAPS_NOT_A_TENSOR = "perhaps-not-a-tensor"
    PYTHON_SCALAR = "python-scalar-output"
    RAISE_CAUGHT = "raise-may-be-caught"
    RAISE_IN_BRANCH = "raise-in-branch"
    SCOPE_OF_NAMES = "scope-of-names"
    SHAPE_MISMATCH = "shape-mismatch"
    SIDE_EFFECT = "side-effect"
    SIZE_DEPENDS = "size-depends-on-content"
    SKIPPED_TEST = "skipped-test-may-fail"
    SUBSCRIPT_ASSIGNMENT = "subscript-assignment"
    SUPER_IN_BRANCH = "super-in-branch"
    UNSUPPORTED_EXCEPTION = "unsupported-exception"
    UNSUPPORTED_LOOP = "unsupported-loop"
    UNSUPPORTED_STATEMENT = "unsupported-statement"
    WALRUS = "walrus"


MEANINGS = {
    Refusal.ALIAS_CHANGED_LATER: "a result may share its memory with a tensor that changes later",
    Refusal.ATTRIBUTE_MUTATION: "a branch sets an attribute or registers a buffer",
    Refusal.CAPTURES_UNBACKED_SCALAR: "a branch uses a number that was read from a tensor before",
    Refusal.COMPARES_VALUES: "numbers that were read from a tensor are compared in Python",
    Refusal.DTYPE_MISMATCH: "the branches give tensors with different dtypes",
    Refusal.DTYPE_UNKNOWN: "one path shows its dtype and another does not, so that they may differ",
    Refusal.EARLY_RETURN: "only one path returns",
    Refusal.FILTERED: "`filter_node` or the names of the functions leave it out",
    Refusal.IN_PLACE_OPERATION: "a branch changes a tensor in place",
    Refusal.JUMP_IN_BRANCH: "a branch contains break, continue, yield, await or del",
    Refusal.MIXED_AND_OR: "`and` and `or` mix tensors and Python so that they cannot be split",
    Refusal.NAME_TAKEN: "the file uses a name for something else that the rewritten code needs",
    Refusal.NAME_UNBOUND: "a name is perhaps not bound on the other path",
    Refusal.NESTED_FUNCTION: "a branch defines a function or a class",
    Refusal.NESTED_STATEMENT: "a statement in a branch also depends on a tensor, and is refused",
    Refusal.NONE_ON_ONE_PATH: "a name is, or may be, None on one path",
    Refusal.NOT_EXPORTED: "an export does not get here, a condition or a decorator sees to that",
    Refusal.NO_OUTPUT: "the branches assign nothing that is used later",
    Refusal.NOT_A_TENSOR: "a name holds a list, or something other than a tensor, on one path",
    Refusal.PERHAPS_NOT_A_TENSOR: "a part of an `and` or `or` may be something other than a tensor",
    Refusal.PYTHON_SCALAR: "a name holds a Python value, such as a number, on one path",
    Refusal.RAISE_CAUGHT: "a `try` or `with` may catch the error, here or where this is called",
    Refusal.RAISE_IN_BRANCH: "a branch raises, but does other things too",
    Refusal.SCOPE_OF_NAMES: "names cannot move into a function, being global or seen by others",
    Refusal.SHAPE_MISMATCH: "the branches may give tensors with different shapes",
    Refusal.SIDE_EFFECT: "a branch does something besides assigning names",
    Refusal.SIZE_DEPENDS: "in a branch content decides how large a tensor is, as in `x[mask]`",
    Refusal.SKIPPED_TEST: "a part of an `and` or `or` may fail where Python does not get to it",
    Refusal.SUBSCRIPT_ASSIGNMENT: "a branch assigns to an item",
    Refusal.SUPER_IN_BRANCH: "a branch calls super() without arguments",
    Refusal.UNSUPPORTED_EXCEPTION: "the exception is not one with exactly one text as its argument",
    Refusal.UNSUPPORTED_LOOP: "the loop is not a map or a recurrence over tensors",
    Refusal.UNSUPPORTED_STATEMENT: "this kind of statement is not rewritten",
    Refusal.WALRUS: "the statement contains `:=`",
}
"""What each reason means, in one line."""


class RefusedError(Exception):
    """Raised inside of this room where a statement cannot be rewritten."""

    def __init__(self, reason: Refusal, detail: str = "") -> None:
        """Take the reason and what exactly it is about, such as a name."""
        super().__init__(reason.value, detail)
        self.reason = reason
        self.detail = detail
