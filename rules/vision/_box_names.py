"""The boxes that code names: those of data, and those that a model or a tensor gives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeVar

from rocmlint.rule import compile_lazily

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BOXES = compile_lazily(
    r"(?:\w+_)?(?:bbox(?:es)?|boxes|key_?points?|xyxy|grid_thw)(?:_(?!path|dir|file|format|loss)\w+)?"
)
_OF_TENSORS = frozenset({"clone", "cpu", "detach", "size", "tolist"})
_OF_MODELS = compile_lazily(r"(?:\w+_)?instances|(?:\w+_)?pred(?:ict\w*|_\w+|s)?|\w*outputs?")
_DATA = compile_lazily(r"\w*(?:Dataset|DataModule)\w*")
Wanted = TypeVar("Wanted", bound=ast.AST)


def dotted(node: ast.expr) -> str:
    """Return ``a.b.c`` for a name or a chain of attributes, else the empty text."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


def of_type(node: ast.AST, wanted: type[Wanted]) -> Iterator[Wanted]:
    """Yield the nodes of a type in a node."""
    return (each for each in ast.walk(node) if isinstance(each, wanted))


def boxes_in(node: ast.AST) -> list[str]:
    """Return the names and keys of boxes in a node."""
    return [word for word in map(_word, ast.walk(node)) if _BOXES.fullmatch(word)]


def boxes_of_data(statement: ast.stmt) -> list[str]:
    """Return the names and keys of boxes that no tensor and no prediction is read for."""
    computed = _computed(statement)
    owned = (
        each for each in ast.walk(statement) if isinstance(each, (ast.Attribute, ast.Subscript))
    )
    of_models = {part for each in owned if _names_model(each.value) for part in ast.walk(each)}
    return [
        word
        for each in ast.walk(statement)
        if _BOXES.fullmatch(word := _word(each)) and not _OF_MODELS.fullmatch(word)
        if each not in of_models and (word not in computed or isinstance(each, ast.Constant))
    ]


def _computed(statement: ast.stmt) -> set[str]:
    """Return the names that are assigned results only."""
    given: dict[str, bool] = {}
    for each in ast.walk(statement):
        if isinstance(each, (ast.Assign, ast.AnnAssign)) and each.value is not None:
            is_of_data = not is_result(each.value)
            for target in each.targets if isinstance(each, ast.Assign) else [each.target]:
                given[_word(target)] = given.get(_word(target), False) or is_of_data
    return {word for word, is_of_data in given.items() if not is_of_data}


def is_result(value: ast.AST) -> bool:
    """Check whether a value is read from a tensor, or from what a model gave."""
    called = (each.func for each in of_type(value, ast.Call))
    methods = {each.attr for each in called if isinstance(each, ast.Attribute)}
    return not methods.isdisjoint(_OF_TENSORS) or _names_model(value)


def _names_model(value: ast.AST) -> bool:
    names = (each for each in ast.walk(value) if isinstance(each, (ast.Name, ast.Attribute)))
    return any(_OF_MODELS.fullmatch(_word(each)) for each in names)


def holds_results(statement: ast.stmt, opens_image: Callable[[ast.Call], bool]) -> bool:
    """Check for a class whose items are no data set's: it opens no image for one of them."""
    if not isinstance(statement, ast.ClassDef):
        return False
    methods = {each.name: each for each in statement.body if isinstance(each, ast.FunctionDef)}
    if "__getitem__" not in methods or any(_DATA.fullmatch(_word(b)) for b in statement.bases):
        return False
    reached, waiting = set[str](), ["__getitem__"]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        words = {_word(each) for each in ast.walk(methods[name])}
        waiting += (words & methods.keys()) - reached
    return not any(
        opens_image(call) for name in reached for call in of_type(methods[name], ast.Call)
    )


def _word(node: ast.AST) -> str:
    """Return the name or key that a node is, empty where it is neither."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    for field in ("id", "attr", "arg", "name"):
        word = getattr(node, field, None)
        if isinstance(word, str):
            return word
    return ""
