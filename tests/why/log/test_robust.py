"""Any text is read without an exception, in time and memory that grow no faster than it does."""

from __future__ import annotations

import io
import random
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.why.log.log_reader import UnreadableLogError, read_stream, read_text

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = [
    "Traceback (most recent call last):", '  File "/w/a.py", line 3, in f', "    code()", "\\n",
    "ImportError: x", "[rank0]:", "[rank1]: ", "(f pid=1)", "0: ", "> ", "| ", "  | ", "E   ",
    "  + Exception Group Traceback (most recent call last):", "+-+---- 1 ----", "+---- 2 -----",
    "The above exception was the direct cause of the following exception:", "a.py:3: Error",
    "2025-01-01 00:00:00", "ERROR", "\x1b[31m", "\r", "---> 3 x", "from user code:", "```",
    "because of the following error: ", "RuntimeError:", ": ", '"', "{", "}", "\\", "\n", "\n",
    "Root Cause (first observed failure):", "rank : 1", "exitcode : 1 (pid: 3)", "\u2502 ", "\n",
    "terminate called after throwing an instance of 'c10::Error'", "  what():  no", "\ufeff",
    "srun: error: n: task 1: x", "\ud800", "\0", "\u00e9",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=8), max_size=60))
def test_any_text_is_read(pieces: list[str]) -> None:
    text = "".join(pieces)
    log = read_text(text)
    assert all(each.raised for each in log.chains)
    assert not any("\x1b" in line or "\r" in line for line in log.lines)


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(UnreadableLogError):
        assert read_stream(io.BytesIO(data)).size == len(data)


CAUSE = "The above exception was the direct cause of the following exception:"
HEAD = "Traceback (most recent call last):\n"
FRAME = '  File "/w/a.py", line 3, in f\n    g()\n'
GROWING: dict[str, Callable[[int], str]] = {
    "a line": lambda n: "x" * n,
    "a line of words": lambda n: "Error " * (n // 6),
    "a name with dots": lambda n: "a." * (n // 2),
    "colons": lambda n: "Error: " * (n // 7),
    "blanks": lambda n: " " * n + "x",
    "brackets": lambda n: "[rank0]:" * (n // 8),
    "parentheses": lambda n: "(a " * (n // 3),
    "names of processes": lambda n: "(a_" + "b_ " * (n // 3),
    "bars": lambda n: " | " * (n // 3),
    "quotes": lambda n: "> " * (n // 2),
    "escapes": lambda n: "\x1b[31m" * (n // 5),
    "an escape without an end": lambda n: "\x1b]" * (n // 2),
    "ends of lines in a repr": lambda n: "\\n" * (n // 2),
    "backslashes": lambda n: "\\n\\\\" * (n // 8) + "\n" + "\\ \n" * (n // 6),
    "JSON that is cut": lambda n: '{"a":' * (n // 5),
    "lines of JSON": lambda n: '{"log":"Error: a\\n"}\n' * (n // 20),
    "progress": lambda n: "\r 10%" * (n // 5),
    "empty lines": lambda n: "\n" * n,
    "short lines": lambda n: "a\n" * (n // 2),
    "frames": lambda n: HEAD + FRAME * (n // len(FRAME)) + "E: x\n",
    "tracebacks": lambda n: f"{HEAD}{FRAME}Error: x\n" * (n // 100),
    "begins of tracebacks": lambda n: HEAD * (n // len(HEAD)),
    "exceptions": lambda n: "".join(f"ValueError: {each}\n" for each in range(n // 20)),
    "a long message": lambda n: "ValueError: x\n" + "  more\n" * (n // 7),
    "causes": lambda n: f"ValueError: x\n\n{CAUSE}\n" * (n // 80),
    "quoting messages": lambda n: "ValueError: x:\n" * (n // 15),
    "quoted errors": lambda n: "ValueError: because of the following error:\n a\n" * (n // 48),
    "groups": lambda n: "".join(
        f"{'  ' * min(each, 30)}+ Exception Group Traceback (most recent call last):\n"
        f"{'  ' * min(each, 30)}| ExceptionGroup: x\n{'  ' * min(each, 30)}+-+---- 1 ------\n"
        for each in range(n // 120)
    ),
    "ranks": lambda n: "".join(f"[rank{each}]: ValueError: x\n" for each in range(n // 28)),
    "names of hosts": lambda n: "".join(f"h{each}: {HEAD}" for each in range(n // 45)),
    "pytest": lambda n: "a.py:3: in f\nE   ValueError: x\n" * (n // 32),
    "one traceback in a line": lambda n: HEAD.strip() + ' File "a", line 3, in f' * (n // 23),
    "addresses": lambda n: "https://a:b@c " * (n // 14),
    "one address": lambda n: "https://" + "a:" * (n // 2),
    "secrets": lambda n: "token=" * (n // 6),
    "root causes": lambda n: "Root Cause (first observed failure):\n" * (n // 37),
}


@pytest.mark.parametrize("text", GROWING.values(), ids=GROWING)
def test_time_grows_like_the_text(text: Callable[[int], str]) -> None:
    """Four times the text may take four times as long, and as much again for a busy machine."""
    size = 50_000
    base = min(seconds(text(size)) for _ in range(2))
    while base < 0.02 and size < 1_600_000:
        size *= 2
        base = min(seconds(text(size)) for _ in range(2))
    assert min(seconds(text(4 * size)) for _ in range(2)) < 9 * base + 0.05


def seconds(text: str) -> float:
    began = time.process_time()
    read_text(text)
    return time.process_time() - began


def test_a_hundred_thousand_frames_keep_the_innermost() -> None:
    frames = "".join(f'  File "/w/a.py", line {each}, in f\n' for each in range(100_000))
    (chain,) = read_text(f"{HEAD}{frames}RecursionError: too deep\n").chains
    assert chain.raised[0].frames[-1].line == 99_999
    assert len(chain.raised[0].frames) < 1_000


def test_an_error_in_the_middle_of_a_giant_line_is_found() -> None:
    line = "x" * 5_000_000 + " ImportError: cannot import name 'a' from 'b' " + "y" * 5_000_000
    chains = read_stream(io.BytesIO(line.encode())).chains
    assert chains[0].raised[0].message.startswith("cannot import name 'a' from 'b'")


NOISE = b"step 17 loss 2.31 lr 1e-05 tokens/s 10234 mem 61.2 GiB grad norm 0.87 eta 3:12:07\n"
DENSE = b"ERROR 11-28 12:00:00 [core.py:12] request 17 was retried, nothing else happened here\n"
BURIED = b"""Traceback (most recent call last):
  File "/w/train.py", line 3, in <module>
    from b import a
ImportError: cannot import name 'a' from 'b'
"""


@pytest.mark.parametrize("noise", [NOISE, DENSE], ids=["sparse", "dense"])
@pytest.mark.parametrize("place", [0.0, 0.5, 1.0])
def test_a_traceback_anywhere_in_a_large_log_is_found(noise: bytes, place: float) -> None:
    lines = 12_000_000 // len(noise)
    before = int(lines * place)
    log = read_stream(io.BytesIO(noise * before + BURIED + noise * (lines - before)))
    messages = [each.raised[0].message.partition("\n")[0] for each in log.chains]
    assert messages == ["cannot import name 'a' from 'b'"]
    assert log.chains[0].raised[0].frames[0].file == "/w/train.py"


def test_a_text_that_an_entry_looks_for_is_kept() -> None:
    data = NOISE * 20_000 + b"GPU hung itself up\n" + NOISE * 20_000
    assert "GPU hung itself up" in read_stream(io.BytesIO(data), ["hung itself"]).lines
    assert "GPU hung itself up" not in read_stream(io.BytesIO(data)).lines


def test_blocks_may_end_anywhere() -> None:
    whole = NOISE * 20_000 + BURIED + NOISE * 20_000

    class Dribble(io.BytesIO):
        def read(self, _: int | None = -1, /) -> bytes:
            return super().read(chance.randrange(1, 300_000))

    chance = random.Random(1)  # noqa: S311 - sizes of blocks
    assert read_stream(Dribble(whole)) == read_stream(io.BytesIO(whole))


PROGRAM = """
import resource, sys
from rocmlint.why.log.log_reader import read_stream
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
log = read_stream(sys.stdin.buffer)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, len(log.chains))
"""
ROWS = {
    "sparse": (NOISE, 400_000),
    "dense": (DENSE, 400_000),
    "one line": (b"Error: x ", 4_000_000),
    "one line without a word": (b"x", 36_000_000),
    "tracebacks": (BURIED, 250_000),
}
"""What a log is full of, and how often."""


@pytest.mark.slow
@pytest.mark.parametrize(("row", "times"), ROWS.values(), ids=ROWS)
def test_memory_does_not_grow_with_the_log(row: bytes, times: int) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], input=row * times, capture_output=True, check=True
    )
    kilobytes, _ = map(int, ran.stdout.split())
    assert kilobytes < 150_000


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the log is empty"),
        (b" \n\n", "the log is empty"),
        (b"\x7fELF" + bytes(range(256)) * 40, "is not a text"),
        (b"\0" * 5_000, "is not a text"),
        (b"\x1f\x8b\x08\x00abc", "is compressed; unpack it: gunzip -c FILE"),
    ],
)
def test_what_is_not_a_text_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(UnreadableLogError, match=message):
        read_stream(io.BytesIO(data))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_encodings_of_windows(encoding: str) -> None:
    data = f"é\n{BURIED.decode()}".encode(encoding)
    for each in (data, data + f"{NOISE.decode() * 20_000}".encode(encoding.removesuffix("-sig"))):
        assert read_stream(io.BytesIO(each)).chains[0].raised[0].type == "ImportError"


def test_a_log_that_was_cut_while_it_was_written() -> None:
    assert read_stream(io.BytesIO(b"\0" * 5_000 + BURIED)).chains
