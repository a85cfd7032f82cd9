"""The environment variables that say what the command line does not: outputs and the cache.

None of them changes what is found, so that a command, an editor and a program agree.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rocmlint.cli.flags import all_flags, attribute
from rocmlint.cli.output import split_output
from rocmlint.config.option import Option, problem
from rocmlint.errors import ConfigError

if TYPE_CHECKING:
    from types import SimpleNamespace

VARIABLES = ("output-format", "output", "cache-dir", "no-cache")
"""The flags of ``check`` that have a variable."""
_BOOLEANS = {"1": True, "true": True, "0": False, "false": False}


def variable(flag: str) -> str:
    """Return the name of the variable of a flag: ``ROCMLINT_NO_CACHE``."""
    return f"ROCMLINT_{flag.upper().replace('-', '_')}"


def fill_in(flags: SimpleNamespace) -> None:
    """Set the flags that were not given from the environment, where a variable is not empty.

    Raises ConfigError, which names the variable.
    """
    for name in VARIABLES:
        text = os.environ.get(variable(name))
        if text and not getattr(flags, attribute(name)):
            setattr(flags, attribute(name), _value(variable(name), all_flags()[name], text))


def _file_output(name: str, text: str) -> str:
    """Return an output to a file: what is printed has a variable of its own."""
    given_as = f"{name}={text}"
    if split_output(text, given_as)[1] == "-":
        message = f"{given_as}: must name a file; {variable('output-format')} is what is printed"
        raise ConfigError(message)
    return text


def _value(name: str, option: Option, text: str) -> Any:
    value: object = text
    if option.type == "boolean":
        value = _BOOLEANS.get(text.lower(), text)
    elif option.type == "strings":
        value = [_file_output(name, text)]
    wrong = problem(name, option, value)
    if wrong is not None:
        raise ConfigError(wrong)
    return value
