"""Starting the server: the options of the command are checked before the editor is answered."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from rocmlint.config.configuration import Configuration
from rocmlint.editors.server.headers import MessageStream
from rocmlint.editors.server.messages import Options
from rocmlint.editors.server.server import make_server
from rocmlint.errors import RocmlintError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def start(options: Mapping[str, Any], *, config: Sequence[str], isolated: bool) -> int:
    """Talk to an editor over standard input and output until it ends, and give the exit code.

    Whatever else is printed goes to standard error. Raises ConfigError, and
    RocmlintError for what is no message.
    """
    Configuration(options, config=config, isolated=isolated)
    server = make_server(Options(options, tuple(config), isolated))
    stdout = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    messages = MessageStream(sys.stdin.buffer)
    try:
        server.start_io(stdin=cast("BinaryIO", messages), stdout=stdout)
    finally:
        server.worker.end()
    if messages.problem:
        raise RocmlintError(messages.problem)
    return 0 if server.was_shut_down else 1
