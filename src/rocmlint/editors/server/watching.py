"""Which files the editor is asked to watch, and what a change of one means."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lsprotocol import types

from rocmlint.config.configuration import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pygls.lsp.server import LanguageServer

GLOBS = (
    "**/*.{py,toml,cfg,txt,in,lock,yml,yaml,json,ini,md,rst,sh,def}",
    "**/{Dockerfile,Containerfile,Pipfile,Makefile}*",
    "**/.gitignore",
)
"""What findings in other files may depend on: modules, pins, images, configurations."""
_CONFIGURES = (*NAMES, ".gitignore")


async def register(server: LanguageServer) -> None:
    """Ask the editor to tell of changes."""
    watchers = [types.FileSystemWatcher(each) for each in GLOBS]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    name = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    registration = types.Registration("rocmlint-files", name, options)
    await server.client_register_capability_async(types.RegistrationParams([registration]))


def is_configuration(path: str, depends: Iterable[str]) -> bool:
    """Return whether a file is a configuration, or a local rule that was loaded.

    ``depends`` are the files and folders that settings were read from.
    """
    inside = any(path == each or path.startswith(os.path.join(each, "")) for each in depends)
    return inside or os.path.basename(path) in _CONFIGURES
