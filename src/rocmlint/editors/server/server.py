"""The language server: what the editor tells and asks, and who answers it."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcMethodNotFound
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from rocmlint.editors.server import actions, watching
from rocmlint.editors.server.diagnostics import shown_in
from rocmlint.editors.server.documents import Documents, Placed
from rocmlint.editors.server.hover import selector_at
from rocmlint.editors.server.options import is_enabled, laid_over
from rocmlint.editors.server.process import Worker, WorkerError
from rocmlint.editors.server.protocol import Protocol, converter
from rocmlint.editors.server.schedule import Schedule
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable

    from rocmlint.editors.server.diagnostics import Shown
    from rocmlint.editors.server.messages import Options
    from rocmlint.editors.server.schedule import Result

_SECTION = "rocmlint"
_GROUP = 0.05
"""Seconds that are waited for more changes on disk."""
_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [
        types.NotebookDocumentFilterWithNotebook(
            notebook=types.NotebookDocumentFilterNotebookType("jupyter-notebook")
        )
    ]
)
_PULL = types.DiagnosticOptions(
    inter_file_dependencies=True, workspace_diagnostics=False, identifier=_SECTION
)
_ACTIONS = types.CodeActionOptions([types.CodeActionKind.QuickFix, actions.FIX_ALL])


class Server(LanguageServer):
    """Keeps what belongs to one editor: its documents, its options, the child that lints."""

    protocol: Protocol

    def __init__(self, options: Options) -> None:
        """Take the options of the command. Nothing is started."""
        super().__init__(
            _SECTION,
            __version__,
            notebook_document_sync=_NOTEBOOKS,
            protocol_cls=Protocol,
            converter_factory=converter,
        )
        self.given = self.options = options
        self.enabled = True
        self.pulls = self.was_shut_down = False
        self.worker = Worker(options)
        self.schedule = Schedule(lambda: self.documents, self.worker, self.show)
        self._shown: dict[str, dict[str, Shown]] = {}
        self._told: set[str] = set()
        self._changed: list[str] = []
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def documents(self) -> Documents:
        """The open documents."""
        workspace = self.workspace
        assert isinstance(workspace, Documents)  # since the first request
        return workspace

    def can(self, *path: str) -> bool:
        """Return whether the editor has a capability, named part by part."""
        found: Any = self.client_capabilities
        for each in path:
            found = getattr(found, each, None)
        return bool(found)

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that takes time, beside the conversation; what goes wrong is logged."""

        async def done() -> None:
            try:
                await work
            except WorkerError as error:
                self.log(str(error))

        task = asyncio.ensure_future(done())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # What the editor is told

    def show(self, subject: str, result: Result) -> None:
        """Show a new result, and tell once of each problem."""
        self._shown[subject] = shown = shown_in(subject, self.documents, result.linted)
        for problem in result.linted.problems:
            self.log(problem)
        for remark in result.linted.remarks:
            self.log(remark, types.MessageType.Info)
        is_notebook = self.documents.get_notebook_document(notebook_uri=subject) is not None
        if self.pulls and not is_notebook:
            return
        for address, found in shown.items():
            self._publish(address, [each for _, each in found])

    def _publish(self, address: str, found: list[types.Diagnostic]) -> None:
        version = self.documents.get_text_document(address).version
        found = found if self.enabled else []
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(address, found, version)
        )

    def clear(self, *addresses: str) -> None:
        """Show nothing any more for documents that were closed."""
        for address in addresses:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(address, []))

    def closed(self, subject: str) -> None:
        """Forget a document or a notebook."""
        self.schedule.drop(subject)
        self._shown.pop(subject, None)

    def shown(self, subject: str, address: str) -> Shown:
        """Return what is shown in a document."""
        return self._shown.get(subject, {}).get(address, []) if self.enabled else []

    def log(self, message: str, kind: types.MessageType = types.MessageType.Error) -> None:
        """Write a line to the editor's log, once."""
        if message not in self._told and not self.was_shut_down:
            self._told.add(message)
            self.window_log_message(types.LogMessageParams(kind, message))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log what should not happen; whoever asked gets an answer that says so.

        pygls gives JsonRpcException itself as the source for what cannot be read.
        """
        if source is JsonRpcException:
            self.log(f"the editor sent what is not valid: {error}")
        elif not isinstance(error, JsonRpcMethodNotFound):
            self.log(f"internal error, please report it: {source.__name__}: {error}")

    # What has changed

    async def load(self) -> None:
        """Start the child, and show that it loads."""
        token = "rocmlint-load"  # noqa: S105 - of the protocol
        progress = self.work_done_progress
        has_progress = self.can("window", "work_done_progress")
        if has_progress:
            await progress.create_async(token)
            progress.begin(token, types.WorkDoneProgressBegin("rocmlint: loading the rules"))
        try:
            await self.worker.start(self.options)
        finally:
            if has_progress:
                progress.end(token, types.WorkDoneProgressEnd())
                progress.tokens.pop(token, None)

    async def reload(self) -> None:
        """Start over with what is configured now, and lint everything again."""
        self._told.clear()
        try:
            await self.worker.start(self.options)
        finally:
            await self.refresh()

    async def refresh(self) -> None:
        """Lint everything again; an editor that asks for findings is told to."""
        self.schedule.want_all()
        if self.pulls and self.can("workspace", "diagnostics", "refresh_support"):
            await self.workspace_diagnostic_refresh_async(None)

    async def configure(self) -> None:
        """Ask the editor for its settings, and start over if they have changed."""
        if not self.can("workspace", "configuration"):
            return
        item = types.ConfigurationItem(section=_SECTION)
        sent = await self.workspace_configuration_async(types.ConfigurationParams([item]))
        await self.set(sent[0] if sent else None)

    async def set(self, sent: object) -> None:
        """Take settings of the editor."""
        before = self.options, self.enabled
        self.options, self.enabled = laid_over(self.given, sent), is_enabled(sent)
        if (self.options, self.enabled) != before:
            await self.reload()

    async def changed_on_disk(self, addresses: Iterable[str]) -> None:
        """Lint again what may depend on files that have changed.

        Changes come in groups: a file is saved, and then seen to have changed.
        """
        is_first, depends = not self._changed, self.schedule.depends()
        self._changed += filter(None, map(to_fs_path, addresses))
        if not is_first:
            return
        await asyncio.sleep(_GROUP)
        paths, self._changed = self._changed, []
        if any(watching.is_configuration(path, depends) for path in paths):
            await self.reload()
        elif paths:
            await self.refresh()


def make_server(options: Options) -> Server:
    """Make a server with all its features."""
    server = Server(options)
    for name, handler, *given in _FEATURES:
        server.feature(name, *given)(handler)
    return server


def _initialize(server: Server, params: types.InitializeParams) -> None:
    server.protocol.keep_documents(params)
    sent = params.initialization_options
    server.given = server.options = laid_over(server.given, sent, start=True)
    server.enabled = is_enabled(sent)
    server.pulls = server.can("text_document", "diagnostic")


def _initialized(server: Server, _: types.InitializedParams) -> None:
    server.run(server.load())
    server.run(server.configure())
    if server.can("workspace", "did_change_watched_files", "dynamic_registration"):
        server.run(watching.register(server))


def _shutdown(server: Server, _: None) -> None:
    server.was_shut_down = True
    server.worker.end()


def _changed(
    server: Server, params: types.DidOpenTextDocumentParams | types.DidChangeTextDocumentParams
) -> None:
    server.schedule.want(params.text_document.uri)


def _saved(server: Server, params: types.DidSaveTextDocumentParams) -> None:
    server.run(server.changed_on_disk([params.text_document.uri]))


def _closed(server: Server, params: types.DidCloseTextDocumentParams) -> None:
    server.closed(params.text_document.uri)
    server.clear(params.text_document.uri)


def _notebook_changed(
    server: Server,
    params: types.DidOpenNotebookDocumentParams | types.DidChangeNotebookDocumentParams,
) -> None:
    cells = getattr(getattr(params, "change", None), "cells", None)
    structure = None if cells is None else cells.structure
    server.clear(*(each.uri for each in (structure and structure.did_close) or ()))
    server.schedule.want(params.notebook_document.uri)


def _notebook_saved(server: Server, params: types.DidSaveNotebookDocumentParams) -> None:
    server.run(server.changed_on_disk([params.notebook_document.uri]))


def _notebook_closed(server: Server, params: types.DidCloseNotebookDocumentParams) -> None:
    server.closed(params.notebook_document.uri)
    server.clear(*(each.uri for each in params.cell_text_documents))


def _watched(server: Server, params: types.DidChangeWatchedFilesParams) -> None:
    server.run(server.changed_on_disk([each.uri for each in params.changes]))


def _configured(server: Server, params: types.DidChangeConfigurationParams) -> None:
    if server.can("workspace", "configuration"):
        server.run(server.configure())
    elif isinstance(params.settings, dict) and _SECTION in params.settings:
        server.run(server.set(params.settings[_SECTION]))


async def _diagnostic(
    server: Server, params: types.DocumentDiagnosticParams
) -> types.DocumentDiagnosticReport:
    address = params.text_document.uri
    if server.documents.subject_of(address) != address or not server.enabled:
        return types.RelatedFullDocumentDiagnosticReport([])  # cells are told of with the notebook
    result = await server.schedule.result_of(address)
    identity = str(result.number)
    if params.previous_result_id == identity:
        return types.RelatedUnchangedDocumentDiagnosticReport(identity)
    found = [diagnostic for _, diagnostic in server.shown(address, address)]
    return types.RelatedFullDocumentDiagnosticReport(found, result_id=identity)


async def _code_action(
    server: Server, params: types.CodeActionParams
) -> list[types.CodeAction] | None:
    address = params.text_document.uri
    subject = server.documents.subject_of(address)
    result = await server.schedule.result_of(subject)
    if result.file is None or not result.linted.findings or not server.enabled:
        return None
    about = actions.Subject(
        subject,
        result.file,
        server.shown(subject, address),
        result.linted.findings,
        server.can("workspace", "workspace_edit", "document_changes"),
    )
    made = await actions.actions(about, params, server.documents, server.worker)
    # Meanwhile the text may have changed, and the places of the edits with it.
    return made if server.documents.unsaved(subject) == result.file else None


async def _hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    if not server.documents.is_open(params.text_document.uri):
        return None
    document = server.documents.get_text_document(params.text_document.uri)
    placed = Placed.of(document)
    line, offset = placed.place(params.position)
    found = selector_at(document.path, placed.lines, line, offset)
    if found is None:
        return None
    selector, start = found
    page = await server.worker.ask("page", selector, os.path.dirname(document.path))
    if page is None:
        return None
    ends = (placed.position(line, start + 1), placed.position(line, start + 1 + len(selector)))
    content = types.MarkupContent(types.MarkupKind.Markdown, page)
    return types.Hover(content, types.Range(*ends))


_FEATURES: tuple[Any, ...] = (
    (types.INITIALIZE, _initialize),
    (types.INITIALIZED, _initialized),
    (types.SHUTDOWN, _shutdown),
    (types.TEXT_DOCUMENT_DID_OPEN, _changed),
    (types.TEXT_DOCUMENT_DID_CHANGE, _changed),
    (types.TEXT_DOCUMENT_DID_SAVE, _saved),
    (types.TEXT_DOCUMENT_DID_CLOSE, _closed),
    (types.NOTEBOOK_DOCUMENT_DID_OPEN, _notebook_changed),
    (types.NOTEBOOK_DOCUMENT_DID_CHANGE, _notebook_changed),
    (types.NOTEBOOK_DOCUMENT_DID_SAVE, _notebook_saved),
    (types.NOTEBOOK_DOCUMENT_DID_CLOSE, _notebook_closed),
    (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, _watched),
    (types.WORKSPACE_DID_CHANGE_CONFIGURATION, _configured),
    (types.TEXT_DOCUMENT_DIAGNOSTIC, _diagnostic, _PULL),
    (types.TEXT_DOCUMENT_CODE_ACTION, _code_action, _ACTIONS),
    (types.TEXT_DOCUMENT_HOVER, _hover),
)
