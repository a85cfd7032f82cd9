"""The messages of an editor that are not valid: a request is answered, the rest is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, default_converter

from rocmlint.editors.server.documents import Documents

if TYPE_CHECKING:
    from cattrs import Converter


def converter() -> Converter:
    """Return what reads messages; it stops at the first fault.

    Otherwise it keeps an exception with a traceback for each: for a long string in place of a list,
    one for each character, 600 MB of 100 KB.
    """
    made: Converter = default_converter()  # type: ignore[no-untyped-call]
    made.detailed_validation = False
    return made


class Protocol(LanguageServerProtocol):
    """The protocol, with documents of our own."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Answer a request that is not valid, too: the editor waits for it.

        Raises JsonRpcException.
        """
        try:
            return self._structured(data)
        except JsonRpcException as error:
            if "method" in data and isinstance(data.get("id"), (str, int)):
                self._send_response(data["id"], None, error.to_response_error())
            raise

    def _structured(self, data: dict[str, Any]) -> Any:
        if "jsonrpc" in data and not isinstance(data.get("method", ""), str):
            message = "a method that is not a string"
            raise JsonRpcInvalidRequest(message)
        if "jsonrpc" in data and isinstance(data.get("id"), (dict, list)):
            message = "an id that is neither a string nor a number"
            raise JsonRpcInvalidRequest(message)
        try:
            return super().structure_message(data)
        except JsonRpcInternalError as error:  # pygls gives it for all that is not valid
            if "method" in data:
                message = f"parameters of {data['method']}: {error.__cause__}"
                raise JsonRpcInvalidParams(message) from error
            message = f"neither a request nor an answer: {error.__cause__}"
            raise JsonRpcInvalidRequest(message) from error

    def handle_message(self, message: Any) -> None:
        """Refuse what comes before `initialize`, but for the end of the conversation.

        Raises JsonRpcException for what is no message.
        """
        if not hasattr(message, "jsonrpc"):
            text = "a message without jsonrpc"
            raise JsonRpcInvalidRequest(text)
        method, number = getattr(message, "method", None), getattr(message, "id", None)
        if self._workspace is None and method not in {types.INITIALIZE, types.EXIT}:
            if method is not None and number is not None:
                refused = JsonRpcServerNotInitialized(f"{method} before initialize")
                self._send_response(number, None, refused.to_response_error())
            return
        super().handle_message(message)

    def keep_documents(self, params: types.InitializeParams) -> None:
        """Replace the documents, of which there are none yet."""
        empty = self.workspace
        folders = params.workspace_folders or []
        encoding = empty.position_encoding
        self._workspace = Documents(
            empty.root_uri, workspace_folders=folders, position_encoding=encoding
        )
