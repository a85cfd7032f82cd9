"""The kinds of problems of a patch: stable names, for JSON and ``_PATCH_ALLOWS_``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

Gravity = Literal["error", "warning", "note"]


class Kind(NamedTuple):
    """A kind of problem: how grave it is, what it means, the rule that reports it in editors.

    error: the patch breaks, or computes something else than its author meant. warning: it may.
    note: a difference that is often wanted; it changes no exit code, and no rule reports it.
    """

    gravity: Gravity
    meaning: str
    rule: str = ""


KINDS: Mapping[str, Kind] = {
    "class-missing": Kind("error", "the patched class does not exist", "ROC851"),
    "function-missing": Kind("warning", "the patched function does not exist", "ROC851"),
    "not-a-class": Kind("error", "what is patched is not a class", "ROC851"),
    "method-missing": Kind("warning", "the class does not have the patched method", "ROC852"),
    "method-undefined": Kind("error", "the patch does not define a listed method", "ROC852"),
    "method-not-listed": Kind("error", "a method of the patch is used and not listed", "ROC852"),
    "parameter-missing": Kind("error", "the patch does not take a parameter", "ROC853"),
    "parameter-required": Kind("error", "the patch requires a parameter of its own", "ROC853"),
    "parameter-swallowed": Kind("warning", "a parameter vanishes in `**kwargs`", "ROC853"),
    "parameter-order": Kind("warning", "calls by position reach another parameter", "ROC853"),
    "default-changed": Kind("warning", "a parameter has another default", "ROC853"),
    "descriptor-kind": Kind("error", "static, class method or property became another", "ROC854"),
    "dead-gate": Kind("warning", "no supported version takes this branch", "ROC855"),
    "call-mismatch": Kind("error", "a call in the patch does not bind", "ROC856"),
    "name-missing": Kind("error", "the patch uses a name that the module lacks", "ROC856"),
    "attribute-missing": Kind("warning", "`self` does not have an attribute", "ROC857"),
    "body-changed": Kind("warning", "the replaced code is not the reviewed one", "ROC858"),
    "contract-unreadable": Kind("error", "the contract is not written as one", "ROC859"),
    "unknown-allow": Kind("error", "`_PATCH_ALLOWS_` names an unknown kind", "ROC859"),
    "patched-twice": Kind("error", "two patches replace the same method", "ROC859"),
    "decorator-dropped": Kind("note", "the patch lacks a decorator of the original"),
    "parameter-extra": Kind("note", "the patch takes a further, optional parameter"),
    "parameter-forwarded": Kind("note", "a parameter is only passed on in `**kwargs`"),
    "parameter-moved": Kind("note", "parameters come in another order, as no known call shows"),
    "parameter-renamed": Kind("note", "a positional parameter has another name"),
}
"""Stable: a kind never changes its meaning; new ones may come."""
