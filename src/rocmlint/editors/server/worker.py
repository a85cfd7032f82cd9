"""The child that lints: it reads requests from standard input and answers each, in order."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
import traceback
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, BinaryIO

from rocmlint.editors.server.messages import LENGTH, framed
from rocmlint.editors.server.session import Session

if TYPE_CHECKING:
    from rocmlint.editors.server.messages import Options


def main() -> None:
    """Answer requests until standard input ends.

    A request is the name of a method of :class:`Session` and its arguments; the first are the
    options. An answer is the result and None, or None and what went wrong.
    """
    requests, answers = _streams()
    waiting: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    threading.Thread(target=_read, args=(requests, waiting), daemon=True).start()
    session: Session | None = None
    while True:
        task, arguments = waiting.get()
        try:
            if session is None:
                session, result = _started(*arguments), None
            else:
                result = getattr(session, task)(*arguments)
            answer = framed((result, None))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            answer = framed((None, str(error) if session is None else traceback.format_exc()))
        answers.write(answer)
        answers.flush()


def _started(options: Options) -> Session:
    session = Session(options)
    session.load()
    gc.collect()
    gc.freeze()  # it stays, and need not be looked at again
    gc.set_threshold(100_000, 50, 50)  # trees are many small objects that live together
    return session


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """Return the streams of the conversation; what local rules read and print must not be in it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, answers


def _read(requests: BinaryIO, waiting: SimpleQueue[tuple[str, Any]]) -> None:
    """Read requests; when there will be no more, whoever asked is gone, so whatever runs ends."""
    while True:
        head = requests.read(LENGTH.size)
        if len(head) < LENGTH.size:
            os._exit(0)
        waiting.put(pickle.loads(requests.read(*LENGTH.unpack(head))))  # noqa: S301 - the parent's
