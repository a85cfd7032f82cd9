"""Where control flow of a model depends on the content of a tensor: what the rules here share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocmlint.rule import Edit, Fix, Span, compile_lazily, once_per_file

if TYPE_CHECKING:
    import ast
    import re
    from collections.abc import Callable, Iterator

    import libcst as cst

    from rocmlint.models.control_flow.file import File as RewrittenFile
    from rocmlint.models.tensors.dependence import Dependence, What
    from rocmlint.models.tensors.inference import Inference
    from rocmlint.rule import Severity, Source

WORDS = ("def forward",)
_TORCH = compile_lazily(r"\b(?:torch|nn)\b")
_ANYTHING = compile_lazily(r"(?s).")


class Dependent(NamedTuple):
    """A node whose work depends on the content of a tensor, and what is known about that."""

    node: cst.CSTNode
    dependence: Dependence


def suspects(*what: What) -> Callable[[Source], Iterator[re.Match[str]]]:
    """Make the function that finds where a file depends on tensors in one of these ways."""

    def find(source: Source) -> Iterator[re.Match[str]]:
        for place, each in _places(source).items():
            if each.what in what and _is_exported(each):
                start = source.offset_of(place.line) + place.column - 1
                found = _ANYTHING.match(source.text, start)
                if found is not None:
                    yield found

    return find


def dependent(
    node: cst.CSTNode, asked: cst.CSTNode, source: Source, *what: What
) -> Dependent | None:
    """Return what is known of a node of which ``asked`` is the condition or what it loops over."""
    found = _places(source).get(source.span(asked))
    return Dependent(node, found) if found is not None and found.what in what else None


def severity_of(found: Dependent) -> Severity:
    """Return how bad a dependence is that the export of a model runs into."""
    return "warning" if found.dependence.reach == "dtype-gated" else "error"


def advice(found: Dependent, help: str) -> str:
    """Return what to do, and which parameter of `forward` a caller can pass instead."""
    spared_by = found.dependence.spared_by
    return (
        f"{help} Or pass `{spared_by}` to `forward`, which then skips this." if spared_by else help
    )


def rewriting(
    found: Dependent, source: Source, title: str, *, plain_torch: bool = False
) -> Fix | None:
    """Return the fix that rewrites a statement, None where that cannot be done for sure."""
    from rocmlint.models.control_flow.rewrite import replacements  # noqa: PLC0415 - only for findings

    unedited = _unedited(source)
    if unedited is None:
        return None
    made = replacements(unedited, found.dependence, plain_torch=plain_torch)
    edits = tuple(_edit(each.start, each.end, each.text, source) for each in made)
    return Fix(title, edits, safe=False) if edits else None


@once_per_file
def _unedited(source: Source) -> RewrittenFile | None:
    from rocmlint.models.control_flow.file import File  # noqa: PLC0415 - only for findings
    from rocmlint.models.control_flow.layout import Layout  # noqa: PLC0415 - only for findings

    inference = inferred(source)
    if inference is None:
        return None
    return File(Layout(source.text, inference.tree), inference)


def _edit(start: int, end: int, text: str, source: Source) -> Edit:
    line, end_line = map(source.line_of, (start, end))
    column = start - source.offset_of(line) + 1
    end_column = end - source.offset_of(end_line) + 1
    return Edit(line, column, end_line, end_column, text, was=source.text[start:end])


def is_not_exported(found: Dependent, source: Source) -> bool:
    """Code that an export does not run: outside of `forward`, in training, below `is_exporting`."""
    del source
    return not _is_exported(found.dependence)


EXCUSES = (is_not_exported,)


def _is_exported(found: Dependence) -> bool:
    return found.reach in {"live", "dtype-gated"}


@once_per_file
def inferred(source: Source) -> Inference | None:
    """Return what is known of the expressions of a file, None if it is not Python."""
    from rocmlint.models.tensors.inference import NotPythonError, infer  # noqa: PLC0415 - few files need it

    try:
        return infer(source.text)
    except NotPythonError:
        return None


@once_per_file
def _places(source: Source) -> dict[Span, Dependence]:
    """Return the dependences of a file by the place of what they ask."""
    if not _TORCH.search(source.text):
        return {}
    inference = inferred(source)
    places: dict[Span, Dependence] = {}
    for each in inference.dependences if inference is not None else ():
        place = span_of(each.expression, source)
        known = places.get(place)
        if known is None or known.what == "read":
            places[place] = each
    return {
        place: each
        for place, each in places.items()
        if each.what != "read" or not _is_within(each, place, places)
    }


def _is_within(found: Dependence, place: Span, places: dict[Span, Dependence]) -> bool:
    """Check whether a read is part of something that is reported itself."""
    start, end = place[:2], place[2:]
    return any(
        above[:2] <= start and end <= above[2:] and each is not found and _is_exported(each)
        for above, each in places.items()
    )


def span_of(node: ast.expr | ast.stmt, source: Source) -> Span:
    """Return where a node is, in characters; ``ast`` counts bytes."""
    end_line, end_offset = node.end_lineno or node.lineno, node.end_col_offset or 0
    return Span(
        node.lineno,
        _characters(node.lineno, node.col_offset, source) + 1,
        end_line,
        _characters(end_line, end_offset, source) + 1,
    )


def _characters(line: int, offset: int, source: Source) -> int:
    text = source.lines[line - 1]
    return offset if text.isascii() else len(text.encode()[:offset].decode(errors="ignore"))
