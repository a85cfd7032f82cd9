"""The entries of a trace in JSON one after the other: of torch.profiler's, and of rocprofv3's.

torch.profiler writes ``{"traceEvents": [...]}``, or the bare list. rocprofv3 writes one object for
each process (``--output-format json``, rocprofiler-sdk source/lib/output/generateJSON.cpp at
029ff02, of ROCm 6.4; those of ROCm 6.2 to 7 have the same names)::

    {"rocprofiler-sdk-tool": [{"kernel_symbols": [{"kernel_id": 7, ...}, ...],
                               "buffer_records": {"kernel_dispatch": [...], ...}, ...}]}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from rocmlint.verify.trace.json_stream import JsonText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Kind = Literal["event", "process", "symbol", "dispatch"]
    Entry = tuple[Kind, Any]

ROCPROFV3 = "rocprofiler-sdk-tool"


def entries(read: Callable[[], str]) -> Iterator[Entry]:
    """Yield each entry and what it is; ``process`` comes before those of one process.

    ``read`` gives some more of the text, nothing only at the end. Raises BrokenError.
    """
    text = JsonText(read)
    if text.next() == "[":
        yield from _each("event", text)
    else:
        for name in text.names():
            if name == "traceEvents" and text.next() == "[":
                yield from _each("event", text)
            elif name == ROCPROFV3:
                yield from _processes(text)
            else:
                text.skip()
    if text.next():
        raise text.broken("there is more data after the end")


def _each(kind: Kind, text: JsonText) -> Iterator[Entry]:
    for entry in text.items():
        yield kind, entry


def _processes(text: JsonText) -> Iterator[Entry]:
    if text.next() != "[":
        yield from _process(text)
        return
    for _ in text.places():
        yield from _process(text)


def _process(text: JsonText) -> Iterator[Entry]:
    yield "process", None
    if text.next() != "{":
        text.skip()
        return
    for name in text.names():
        opened = text.next()
        if name == "kernel_symbols" and opened == "[":
            yield from _each("symbol", text)
        elif name == "buffer_records" and opened == "{":
            for kind in text.names():
                if kind == "kernel_dispatch" and text.next() == "[":
                    yield from _each("dispatch", text)
                else:
                    text.skip()
        else:
            text.skip()
