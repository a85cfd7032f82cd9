"""A small editor: it starts the language server, opens files in it, and keeps what it is told.

It knows the protocol itself, so that the server's library cannot agree with itself alone.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    Json = dict[str, Any]

SECONDS = 60
"""How long an answer may take before a test fails; on a busy machine most takes longer."""
_UNITS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
_WIDTH = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


class ServerError(Exception):
    """The answer to a request that the server refused."""


class Editor:
    """A server and the folder that is open in it."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        capabilities: Json | None = None,
        options: object = None,
        settings: object = None,
    ) -> None:
        """Start a server; ``settings`` is what it is answered when it asks for them."""
        self.folder = folder
        self.settings = settings
        self.published: dict[str, Json] = {}
        self.logged: list[str] = []
        self.progress: list[Json] = []
        self.registered: list[Json] = []
        self.refreshes = 0
        self.transcript: list[tuple[str, Json]] = []
        self._versions: dict[str, int] = {}
        self._answers: dict[int, Json] = {}
        self._next = 0
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rocmlint", "server", *arguments],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        threading.Thread(target=self._read, daemon=True).start()
        root = {"uri": folder.as_uri(), "name": folder.name}
        self.server = self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": root["uri"],
                "workspaceFolders": [root],
                "capabilities": capabilities or {},
                "initializationOptions": options,
            },
        )["capabilities"]
        self.notify("initialized", {})

    def close(self) -> int:
        """End the server as an editor does, and return its exit code."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.process.wait(SECONDS)

    # Messages

    def request(self, method: str, params: object) -> Any:
        """Ask, and return the answer. Raises ServerError."""
        return self.answer(self.ask(method, params))

    def ask(self, method: str, params: object) -> int:
        """Ask, and return the number of the request."""
        self._next += 1
        self._send({"id": self._next, "method": method, "params": params})
        return self._next

    def answer(self, number: int) -> Any:
        """Wait for the answer to a request. Raises ServerError."""
        self.wait(lambda: number in self._answers)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise ServerError(answer["error"])
        return answer["result"]

    def notify(self, method: str, params: object) -> None:
        """Tell."""
        self._send({"method": method, "params": params})

    def wait(self, is_so: Callable[[], object]) -> None:
        """Wait until something is so."""
        with self._changed:
            assert self._changed.wait_for(is_so, SECONDS), f"it never was: {self.logged}"

    # Documents

    def uri(self, name: str) -> str:
        """Return the address of a file."""
        return name if ":" in name else (self.folder / name).as_uri()

    def open(self, name: str, text: str | None = None, language: str = "") -> None:
        """Open a file, which need not exist where its text is given."""
        uri = self.uri(name)
        if text is None:
            text = (self.folder / name).read_text()
        self._versions[uri] = 1
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, name: str, *changes: Json) -> None:
        """Change an open file: all its text, or a range."""
        uri = self.uri(name)
        self._versions[uri] += 1
        document = {"uri": uri, "version": self._versions[uri]}
        params = {"textDocument": document, "contentChanges": changes}
        self.notify("textDocument/didChange", params)

    def save(self, name: str) -> None:
        """Say that a file was saved; what is written is for the test to write."""
        self.notify("textDocument/didSave", {"textDocument": {"uri": self.uri(name)}})

    def shut(self, name: str) -> None:
        """Close a file."""
        self.notify("textDocument/didClose", {"textDocument": {"uri": self.uri(name)}})

    def diagnostics(self, name: str) -> list[Json]:
        """Return what is shown in a file as it is now."""
        uri = self.uri(name)
        self.wait(lambda: self.published.get(uri, {}).get("version") == self._versions[uri])
        found: list[Json] = self.published[uri]["diagnostics"]
        return found

    def codes(self, name: str) -> list[str]:
        """Return the codes of what is shown in a file as it is now."""
        return [each["code"] for each in self.diagnostics(name)]

    def wait_for_codes(self, name: str, *codes: str) -> None:
        """Wait until these are shown in a file whose text stays as it is."""
        uri = self.uri(name)

        def shown() -> list[str]:
            return [each["code"] for each in self.published.get(uri, {}).get("diagnostics", ())]

        self.wait(lambda: uri in self.published and shown() == [*codes])

    def actions(
        self, name: str, range_: Json | None = None, only: Sequence[str] = ()
    ) -> list[Json]:
        """Return the actions for a range, else for the first line."""
        start = {"line": 0, "character": 0}
        context: Json = {"diagnostics": []} | ({"only": [*only]} if only else {})
        params = {
            "textDocument": {"uri": self.uri(name)},
            "range": range_ or {"start": start, "end": start},
            "context": context,
        }
        return self.request("textDocument/codeAction", params) or []

    def hover(self, name: str, line: int, character: int) -> Json | None:
        """Return what a place, from 0, says."""
        position = {"line": line, "character": character}
        params = {"textDocument": {"uri": self.uri(name)}, "position": position}
        found: Json | None = self.request("textDocument/hover", params)
        return found

    # The other side

    def _send(self, message: Json) -> None:
        assert self.process.stdin is not None
        self.transcript.append(("->", message))
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self._sending:
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
            self.process.stdin.flush()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while head := stream.readline():
            length = re.match(rb"Content-Length: (\d+)", head)
            while head.strip():
                head = stream.readline()
                length = length or re.match(rb"Content-Length: (\d+)", head)
            assert length is not None
            message = json.loads(stream.read(int(length[1])))
            self.transcript.append(("<-", message))
            self._take(message)
            with self._changed:
                self._changed.notify_all()

    def _take(self, message: Json) -> None:
        method, params = message.get("method"), message.get("params") or {}
        if method is None:
            self._answers[message["id"]] = message
        elif method == "textDocument/publishDiagnostics":
            self.published[params["uri"]] = params
        elif method == "window/logMessage":
            self.logged.append(params["message"])
        elif method == "$/progress":
            self.progress.append(params["value"])
        if method is not None and "id" in message:
            self._send({"id": message["id"], "result": self._reply(method, params)})

    def _reply(self, method: str, params: Json) -> object:
        if method == "client/registerCapability":
            self.registered += params["registrations"]
        elif method == "workspace/diagnostic/refresh":
            self.refreshes += 1
        elif method == "workspace/configuration":
            return [self.settings for _ in params["items"]]
        return None


def applied(text: str, edits: Sequence[Mapping[str, Any]], encoding: str = "utf-16") -> str:
    """Return a text with edits of the protocol."""
    for each in sorted(edits, key=lambda edit: _key(edit["range"]["start"]), reverse=True):
        start, end = (_offset(text, each["range"][side], encoding) for side in ("start", "end"))
        text = text[:start] + each["newText"] + text[end:]
    return text


def marked(text: str, range_: Mapping[str, Any], encoding: str = "utf-16") -> str:
    """Return what stands in a range."""
    start, end = (_offset(text, range_[side], encoding) for side in ("start", "end"))
    return text[start:end]


def _key(position: Mapping[str, int]) -> tuple[int, int]:
    return position["line"], position["character"]


def _offset(text: str, position: Mapping[str, int], encoding: str) -> int:
    lines = [*re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text), ""]
    above = sum(map(len, lines[: position["line"]]))
    units = lines[position["line"]].encode(_UNITS[encoding])
    return above + len(units[: position["character"] * _WIDTH[encoding]].decode(_UNITS[encoding]))
