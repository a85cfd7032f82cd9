"""The events of a trace, however the text is cut into pieces, and whatever somebody put into it."""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmlint.verify.trace import trace_files
from rocmlint.verify.trace.events import entries
from rocmlint.verify.trace.json_stream import BrokenError
from rocmlint.verify.trace.trace_files import TraceError, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

KERNEL = '{"ph": "X", "cat": "kernel", "name": "gemm", "dur": 2}'
GIGABYTE = 1 << 30

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)

dictionaries = st.dictionaries(st.text(max_size=3), values, max_size=3)


def events(read: Callable[[], str]) -> Iterator[Any]:
    return (entry for kind, entry in entries(read) if kind == "event")


def found(text: str, size: int) -> list[Any]:
    """Read a text that comes in pieces of a size."""
    pieces = iter([text[at : at + size] for at in range(0, len(text), size)])
    return list(events(lambda: next(pieces, "")))


def trace(tmp_path: Path, text: str | bytes, name: str = "t.json") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@given(
    st.lists(values, max_size=5), st.dictionaries(st.text(), values), st.integers(1, 40), st.data()
)
def test_events_are_those_that_json_itself_reads(
    expected: list[Any], others: dict[str, Any], size: int, data: st.DataObject
) -> None:
    others.pop("traceEvents", None)
    names = data.draw(st.permutations([*others, "traceEvents"]))
    document = {name: others.get(name, expected) for name in names}
    indent = data.draw(st.none() | st.just(1))
    ascii_only = data.draw(st.booleans())
    for each in (document, expected):
        text = json.dumps(each, indent=indent, ensure_ascii=ascii_only)
        assert found(text, size) == expected


@given(st.lists(dictionaries, min_size=1, max_size=4), st.integers(1, 40), st.data())
def test_a_text_that_is_cut_gives_what_is_whole_and_then_an_error(
    expected: list[Any], size: int, data: st.DataObject
) -> None:
    text = json.dumps({"traceEvents": expected})
    cut = data.draw(st.integers(1, len(text) - 1))
    pieces = iter([text[at : min(at + size, cut)] for at in range(0, cut, size)])
    got: list[Any] = []
    with pytest.raises(BrokenError, match=r"it ends in the middle"):
        got.extend(events(lambda: next(pieces, "")))
    assert got == expected[: len(got)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[{}, {", "it ends in the middle"),
        ('[{"name": "a', "it ends in the middle"),
        ('[{"name": tru', "it ends in the middle"),
        ('{"traceEvents": [{}]', "it ends in the middle"),
        ('[{"name": what?, "dur": 1}, {}, {}]', "Expecting value"),
        ("[{} {}]", ", or ] is missing"),
        ("[{}] []", "there is more data after the end"),
        ("{5: []}", "a name is missing"),
    ],
)
def test_it_is_said_what_is_wrong(text: str, why: str) -> None:
    with pytest.raises(BrokenError) as caught:
        found(text, 3)
    assert str(caught.value) == why


def test_an_event_without_an_end_is_not_read_for_ever() -> None:
    read_so_far = 0

    def endless() -> str:
        nonlocal read_so_far
        read_so_far += 1 << 20
        return ('[{"name": "' if read_so_far == 1 << 20 else "") + "a" * (1 << 20)

    with pytest.raises(BrokenError, match=r"more than 16,777,216 characters"):
        list(events(endless))
    assert read_so_far <= 1 << 26


@pytest.mark.parametrize("digits", [4_300, 4_301, 8_000, 100_000, 5_000_000])
def test_a_number_with_many_digits_is_no_duration(tmp_path: Path, digits: int) -> None:
    number = "9" * digits
    event = '{"ph": "X", "cat": "kernel", "name": "gemm", "ts": NUMBER, "dur": NUMBER}'
    path = trace(tmp_path, f"[{KERNEL}, {event}, {KERNEL}]".replace("NUMBER", number))
    (ran,) = read(str(path)).kernels
    assert (ran.calls, ran.nanoseconds) == (3, 4000.0)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "true", '"5"', "[5]"])
def test_what_is_no_duration_does_not_spoil_the_sum(tmp_path: Path, number: str) -> None:
    odd = KERNEL.replace("2}", f"{number}}}")
    (ran,) = read(str(trace(tmp_path, f"[{KERNEL}, {odd}]"))).kernels
    assert ran.calls == 2
    assert ran.nanoseconds in {2000.0, 3000.0}


@pytest.mark.parametrize("opened", ["[", '{"a":', '[{"a":'], ids=["lists", "objects", "both"])
@pytest.mark.parametrize("start", ["", '{"traceEvents": ', '{"traceEvents": [', '{"other": '])
def test_a_million_brackets_fit_into_a_gigabyte(tmp_path: Path, start: str, opened: str) -> None:
    path = trace(tmp_path, start + opened * 1_000_000)
    done = subprocess.run(
        [sys.executable, "-m", "rocmlint", "verify", "trace", str(path), str(tmp_path / "none")],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (GIGABYTE, GIGABYTE)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "contains no traceEvents" in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_came_before_too_many_brackets_counts(tmp_path: Path) -> None:
    found = read(str(trace(tmp_path, f"[{KERNEL}, {'[' * 1_000_000}")))
    assert found.kernels[0].calls == 1
    assert found.cut == "the JSON stops after 1 event: brackets are nested too deeply"


@pytest.mark.slow  # decodes a gigabyte
def test_a_compressed_trace_is_not_decoded_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace_files, "LARGEST_DECODED", 1 << 30)
    packed = gzip.compress(b"["), gzip.compress(b" " * (1 << 24), 9) * 65
    path = trace(tmp_path, b"".join(packed), "t.json.gz")
    with pytest.raises(TraceError) as caught:
        read(str(path))
    assert str(caught.value) == (
        f"{path}: decompresses to more than 1 GiB; if that is intended, unpack it first (gunzip)"
    )
