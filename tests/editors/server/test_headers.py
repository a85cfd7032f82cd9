"""What an editor sends that is no message, and what comes too early: the server says so at once."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pygls")

from rocmlint.editors.server.headers import MessageStream

INITIALIZE: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}
BODY = b'{"jsonrpc": "2.0", "id": 5, "method": "shutdown"}'
SIZE = b"%d" % len(BODY)
READ = {
    "as the protocol writes it": b"Content-Length: N\r\n\r\n",
    "in lower case": b"content-length: N\r\n\r\n",
    "without a blank": b"Content-Length:N\r\n\r\n",
    "with leading zeros": b"Content-Length: 000N\r\n\r\n",
    "with plain line ends": b"Content-Length: N\n\n",
    "behind another header": b"Content-Type: text; charset=utf-8\r\nContent-Length: N\r\n\r\n",
    "in front of another header": b"Content-Length: N\r\nContent-Type: text\r\n\r\n",
    "behind empty lines": b"\r\n\r\nContent-Length: N\r\n\r\n",
}
REFUSED = {
    "a word": b"Content-Length: abc\r\n\r\n",
    "a sign": b"Content-Length: +N\r\n\r\n",
    "a negative number": b"Content-Length: -N\r\n\r\n",
    "a fraction": b"Content-Length: N.0\r\n\r\n",
    "nothing": b"Content-Length:\r\n\r\n",
    "zero": b"Content-Length: 0\r\n\r\n",
    "digits that are not ASCII": "Content-Length: ٣\r\n\r\n".encode(),
    "more than memory": b"Content-Length: 99999999999999999999\r\n\r\n",
    "more digits than Python takes": b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n",
    "two lengths": b"Content-Length: N\r\nContent-Length: 3\r\n\r\n",
    "no length": b"Content-Type: text\r\n\r\n" * 30,
    "no header": b"\x00\xff\xfe\r\n\r\n",
    "no line end": b"x" * 100_000,
    "a length that is too short": b"Content-Length: 20\r\n\r\n",
    "a length that is too long": b"Content-Length: 80\r\n\r\n",
}


def with_size(header: bytes) -> bytes:
    """Return a header with the length of the body for a lone N."""
    return re.sub(rb"\bN\b|(?<=0)N", SIZE, header)


@pytest.mark.parametrize("header", READ.values(), ids=READ)
def test_a_header_is_read(header: bytes) -> None:
    stream = MessageStream(io.BytesIO(with_size(header) + BODY + with_size(header) + BODY))
    for _ in range(2):
        assert stream.readline() == b"Content-Length: %d\r\n" % len(BODY)
        assert stream.readline() == b"\r\n"
        assert stream.read(len(BODY)) == BODY
    assert (stream.readline(), stream.problem) == (b"", "")


@pytest.mark.parametrize("header", REFUSED.values(), ids=REFUSED)
def test_a_damaged_header_ends_the_server_with_one_line(header: bytes) -> None:
    message = b"Content-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
    ended = serve(message_of("initialize", 1, INITIALIZE) + with_size(header) + BODY + message * 9)
    assert ended.returncode == 2
    assert ended.stderr.startswith(b"error: the editor sent ")
    assert ended.stderr.count(b"\n") == 1


@given(st.binary(max_size=300))
def test_whatever_is_sent_the_stream_ends_or_has_a_message(data: bytes) -> None:
    stream = MessageStream(io.BytesIO(data))
    while line := stream.readline():
        size = int(line.removeprefix(b"Content-Length: "))
        assert stream.readline() == b"\r\n"
        if not stream.read(size):
            break


@pytest.mark.parametrize("method", ["textDocument/hover", "shutdown", "workspace/nothing"])
def test_a_request_before_initialize_is_refused_as_the_protocol_says(method: str) -> None:
    document = {"uri": "file:///a.py", "languageId": "python", "version": 1, "text": ""}
    hover = {"textDocument": document, "position": {"line": 0, "character": 0}}
    early = message_of(method, 7, hover if "hover" in method else None)
    early += message_of("textDocument/didOpen", None, {"textDocument": document})
    rest = message_of("initialize", 8, INITIALIZE) + message_of("shutdown", 9, None)
    ended = serve(early + rest + message_of("exit", None, None))
    answers = {each["id"]: each for each in answers_in(ended.stdout) if "id" in each}
    assert answers[7]["error"]["code"] == -32002
    assert "capabilities" in answers[8]["result"]
    assert answers[9]["result"] is None
    assert ended.returncode == 0


@pytest.mark.parametrize("params", [{}, [1], None, {"textDocument": 5}, "x" * 9])
def test_a_request_with_invalid_parameters_is_answered(params: object) -> None:
    wrong = message_of("textDocument/hover", 7, params)
    ended = serve(message_of("initialize", 1, INITIALIZE) + wrong + message_of("shutdown", 9, None))
    answers = {each["id"]: each for each in answers_in(ended.stdout) if "id" in each}
    assert answers[7]["error"]["code"] == -32602
    assert answers[9]["result"] is None


def test_the_first_fault_of_a_message_is_enough() -> None:
    wrong = "x" * 100_000  # in place of a list: each character is one fault
    ended = serve(message_of("initialize", 1, {**INITIALIZE, "workspaceFolders": wrong}))
    (answer,) = (each for each in answers_in(ended.stdout) if "id" in each)
    assert answer["error"]["code"] == -32602
    assert len(ended.stderr) < 10_000


NOT_VALID = {
    "no JSON": (b'{"jsonrpc" "2.0"}', None),
    "no UTF-8": (b'{"jsonrpc": "2.0", "method": "\xff"}', None),
    "nothing in it": (b"{}", None),
    "no method and no id": (b'{"jsonrpc": "2.0", "params": {}}', None),
    "parameters of another method": (b'{"jsonrpc": "2.0", "method": "textDocument/didOpen"}', None),
    "a method that is a number": (b'{"jsonrpc": "2.0", "method": 1.5, "params": {}}', None),
    "a method that is a list": (b'{"jsonrpc": "2.0", "id": 7, "method": []}', -32600),
    "an id that is a list": (b'{"jsonrpc": "2.0", "id": [], "method": "shutdown"}', None),
    "nested too deeply": (b'{"a":' * 50_000 + b"1" + b"}" * 50_000, None),
}
"""Messages, and the code of the answer to those that ask for one."""


@pytest.mark.parametrize(("body", "code"), NOT_VALID.values(), ids=NOT_VALID)
def test_a_message_that_is_not_valid_is_one_line_of_the_log(body: bytes, code: int | None) -> None:
    wrong = b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    ended = serve(message_of("initialize", 1, INITIALIZE) + wrong + message_of("shutdown", 9, None))
    answers = {each["id"]: each for each in answers_in(ended.stdout) if "id" in each}
    (logged,) = (each["params"] for each in answers_in(ended.stdout) if "params" in each)
    assert logged["message"].startswith("the editor sent what is not valid: ")
    assert answers.get(7, {}).get("error", {}).get("code") == code
    assert answers[9]["result"] is None


@pytest.mark.parametrize(
    ("method", "name", "changes"),
    [
        ("textDocument/didChange", "textDocument", {"contentChanges": [{"text": "a"}]}),
        ("notebookDocument/didChange", "notebookDocument", {"change": {"metadata": {"a": 1}}}),
    ],
)
def test_a_change_of_what_is_not_open_changes_nothing(
    method: str, name: str, changes: dict[str, Any]
) -> None:
    change = message_of(method, None, {name: {"uri": "file:///a.ipynb", "version": 2}, **changes})
    ended = serve(
        message_of("initialize", 1, INITIALIZE) + change + message_of("shutdown", 9, None)
    )
    told = [each for each in answers_in(ended.stdout) if each.get("method") == "window/logMessage"]
    assert told == []


def test_an_exit_before_initialize_ends_the_server() -> None:
    assert serve(message_of("exit", None, None)).returncode == 1


def serve(data: bytes) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "rocmlint", "server"]
    return subprocess.run(command, input=data, capture_output=True, check=False, timeout=120)


def message_of(method: str, number: int | None, params: object) -> bytes:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    body = json.dumps(message if number is None else {**message, "id": number}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def answers_in(data: bytes) -> list[dict[str, Any]]:
    found = []
    while data:
        header, _, data = data.partition(b"\r\n\r\n")
        size = int(header.partition(b"Content-Length: ")[2].split(b"\r\n")[0])
        found.append(json.loads(data[:size]))
        data = data[size:]
    return found
