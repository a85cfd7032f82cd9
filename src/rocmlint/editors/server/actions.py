"""Code actions: fixes, all safe fixes at once, and a comment that hides a finding."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types

from rocmlint.editors.server.edits import text_edits
from rocmlint.text.text import with_plain_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.editors.server.diagnostics import Shown
    from rocmlint.editors.server.documents import Documents
    from rocmlint.editors.server.messages import Unsaved
    from rocmlint.editors.server.process import Worker
    from rocmlint.findings import Finding

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.rocmlint"
REASON = "TODO: say why"
_QUICK_FIX = types.CodeActionKind.QuickFix.value
_MOST = 10
"""Findings for which actions are made at once: each is tried, and people read no longer menu."""


class Subject(NamedTuple):
    """What actions are about: a document, or a notebook with all its cells."""

    address: str
    file: Unsaved
    shown: Shown
    """What is shown in the document from which the actions are asked for."""
    findings: Sequence[Finding]
    """All findings of the subject."""
    has_versions: bool
    """Whether the editor takes edits with the versions of documents."""


async def actions(
    subject: Subject, params: types.CodeActionParams, documents: Documents, worker: Worker
) -> list[types.CodeAction]:
    """Return the actions for a range. Raises WorkerError."""
    made: list[types.CodeAction] = []
    only = params.context.only
    near = [each for each in subject.shown if _overlap(each[1].range, params.range)]
    if _wants(_QUICK_FIX, only):
        for finding, diagnostic in near[:_MOST]:
            async for title, after, safe in _for(finding, subject.file, worker):
                edit = _edit(subject, after, documents)
                if edit is not None:
                    kind = types.CodeActionKind.QuickFix
                    made.append(
                        types.CodeAction(title, kind, [diagnostic], is_preferred=safe, edit=edit)
                    )
    # Whoever asks for all kinds asks at every step of the cursor.
    fixable = subject.findings if only else [finding for finding, _ in near]
    if _wants(FIX_ALL, only) and _has_safe_fix(fixable):
        after = await worker.ask("fix_all", subject.file)
        edit = None if after is None else _edit(subject, after, documents)
        if edit is not None:
            title = "Apply all safe fixes of rocmlint"
            made.append(types.CodeAction(title, FIX_ALL, edit=edit))
    return made


async def _for(finding: Finding, file: Unsaved, worker: Worker) -> Any:
    """Yield the title of each action for a finding, the text after it, and whether it is safe."""
    if finding.fix is not None:
        after = await worker.ask("fix", file, finding)
        if after is not None:
            marked = finding.code if finding.fix.safe else f"{finding.code}, unsafe"
            yield f"{finding.fix.title} ({marked})", after, finding.fix.safe
    after = await worker.ask("ignore", file, finding, REASON)
    if after is not None:
        yield f"Ignore {finding.code} here, with a reason", after, False


def _has_safe_fix(findings: Sequence[Finding]) -> bool:
    return any(each.fix is not None and each.fix.safe for each in findings)


def _edit(subject: Subject, after: str, documents: Documents) -> types.WorkspaceEdit | None:
    """Return the edit that makes a subject what is given; None where it stays as it is."""
    changes = {
        address: edits
        for address, text in _texts(subject.address, after, documents)
        if (edits := text_edits(documents.get_text_document(address), text))
    }
    if not changes:
        return None
    if not subject.has_versions:
        return types.WorkspaceEdit(changes=changes)
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(_versioned(address, documents), edits)
            for address, edits in changes.items()
        ]
    )


def _versioned(address: str, documents: Documents) -> types.OptionalVersionedTextDocumentIdentifier:
    version = documents.get_text_document(address).version
    return types.OptionalVersionedTextDocumentIdentifier(uri=address, version=version)


def _texts(address: str, after: str, documents: Documents) -> Iterator[tuple[str, str]]:
    """Yield the documents that a changed subject is made of, and their texts."""
    notebook = documents.get_notebook_document(notebook_uri=address)
    if notebook is None:
        yield address, after
        return
    for cell, changed in zip(notebook.cells, json.loads(after)["cells"], strict=True):
        yield cell.document, with_plain_ends(changed["source"])


def _wants(kind: str, only: Sequence[str] | None) -> bool:
    """Return whether an editor asks for actions of a kind; a kind has parts, which have dots."""
    return only is None or any(f"{kind}.".startswith(f"{_value(each)}.") for each in only)


def _value(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _overlap(one: types.Range, other: types.Range) -> bool:
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character
