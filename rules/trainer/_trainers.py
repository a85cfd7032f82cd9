"""Which classes are Trainers of transformers: through several classes, and files of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import libcst as cst

from rocmlint.rule import defined_elsewhere, dotted_text, last_name, once_per_file, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import Source

_TRAINERS = {
    "transformers": frozenset({"Trainer", "Seq2SeqTrainer"}),
    "trl": frozenset(
        {
            *("BCOTrainer", "CPOTrainer", "DPOTrainer", "GKDTrainer", "GRPOTrainer"),
            *("KTOTrainer", "ORPOTrainer", "PRMTrainer", "RewardTrainer", "SFTTrainer"),
        }
    ),
    "sentence_transformers": frozenset({"SentenceTransformerTrainer"}),
}
"""Classes, by the package that they are imported from, whose training loop is that of Trainer."""
_HOPS = 5
"""How many classes of the project are followed from one to the next."""


class OwnClass(NamedTuple):
    """A class of the project, perhaps without some of its members, and its file."""

    node: cst.ClassDef
    source: Source

    def method(self, name: str) -> cst.FunctionDef | None:
        """Return the method that the class itself defines, however it is indented."""
        whole = self.source.whole_class(self.node.body) or self.node
        own = (each for each in statements(whole.body) if isinstance(each, cst.FunctionDef))
        return next((each for each in own if each.name.value == name), None)


def trainer_classes(node: cst.CSTNode, source: Source) -> tuple[OwnClass, ...]:
    """Return the class around a node, and those of the project between it and Trainer.

    None where it is no Trainer of transformers, or where that is not known.
    """
    around = source.enclosing(node, cst.ClassDef)
    return () if around is None else _lineage(around, source)


@once_per_file
def _lineage(node: cst.ClassDef, source: Source) -> tuple[OwnClass, ...]:
    return _up(OwnClass(node, source), _HOPS)


def _up(own: OwnClass, hops: int) -> tuple[OwnClass, ...]:
    for base in own.node.bases:
        value = base.value.value if isinstance(base.value, cst.Subscript) else base.value
        if own.source.resolve(value) is not None and _is_trainer(value, own.source):
            return (own,)
        above = next(_own_classes(value, own.source), None) if hops else None
        found = () if above is None else _up(above, hops - 1)
        if found:
            return (own, *found)
    return ()


def _is_trainer(base: cst.BaseExpression, source: Source) -> bool:
    """Return whether a base is a Trainer of a package that the project does not hold itself."""
    package, _, name = (source.resolve(base) or "").partition(".")
    named = name.rpartition(".")[2] in _TRAINERS.get(package, ())
    return named and not source.is_first_party(package)


def _own_classes(base: cst.BaseExpression, source: Source) -> Iterator[OwnClass]:
    """Yield the class of the project that a base is, from this file or another one."""
    name = dotted_text(base)
    own = source.declaration(name) if name is not None else None
    if isinstance(own, cst.ClassDef):
        yield OwnClass(own, source)
    found = defined_elsewhere(source.resolve(base) or "", source) if own is None else None
    other = None if found is None else found.source.declaration(found.name)
    if found is not None and isinstance(other, cst.ClassDef):
        yield OwnClass(other, found.source)


def is_method(node: cst.FunctionDef, source: Source) -> bool:
    """Return whether a function stands directly in a class, under no condition, undecorated."""
    block = source.parent(node)
    holder = None if block is None else source.parent(block)
    plain = all(last_name(each.decorator) in {"override", "overrides"} for each in node.decorators)
    return isinstance(holder, cst.ClassDef) and plain
