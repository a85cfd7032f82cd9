"""Each rewritten function in files of its own: before, after, and the difference."""

from __future__ import annotations

import os
from difflib import unified_diff
from typing import TYPE_CHECKING

from rocmlint.disk.write import write_atomically
from rocmlint.errors import ConfigError
from rocmlint.models.control_flow.functions import changed_functions

if TYPE_CHECKING:
    from rocmlint.models.control_flow.rewrite import Rewritten


def dump(folder: str, path: str, rewritten: Rewritten) -> None:
    """Write the functions that changed in a file. Raises ConfigError where that fails.

    The files are called after the module and the function, such as
    ``modeling_bart.BartEncoderLayer.forward.diff``.
    """
    module = os.path.basename(path).partition(".")[0]
    for before, after in changed_functions(rewritten):
        name = os.path.join(folder, f"{module}.{before.name}")
        old, new = (each.text.splitlines(keepends=True) for each in (before, after))
        difference = "".join(unified_diff(old, new, f"{path}:{before.line}", "rewritten"))
        texts = {"original.py": before.text, "rewritten.py": after.text, "diff": difference}
        try:
            os.makedirs(folder, exist_ok=True)
            for kind, text in texts.items():
                write_atomically(f"{name}.{kind}", f"{text.rstrip()}\n".encode())
        except OSError as error:
            message = f"--dump {folder}: cannot be written: {error.strerror}"
            raise ConfigError(message) from error
