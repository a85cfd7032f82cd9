"""Questions about the files around one: an answer that stays the same invalidates nothing.

A question is a function whose last argument is a view of the disk, and whose others are texts. What
it reads is noted with the question, and who asks notes only the answer. When something of that has
changed, the question is put once more, for all files of a run, and the answers are compared.
"""

from __future__ import annotations

import json
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from rocmlint.disk.state import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Answers = TypeVar("Answers", bound=Callable[..., Any])

_MARK = "?"
"""How the name of a question begins, which no path does that is absolute."""
_ROOMS = ("rocmlint.project.", "rocmlint.source.", "rocmlint.rule.", "rocmlint.rules.")
"""Where questions are: a cache may name no other module, as somebody may have written into it."""


def question(answers: Answers) -> Answers:
    """Note for whoever calls the function only its answer, which has a ``repr`` that tells all."""
    name = f"{answers.__module__}:{answers.__qualname__}"

    @wraps(answers)
    def ask(*arguments: Any) -> Any:
        *texts, view = arguments
        return view.ask(ask, tuple(texts))

    vars(ask).update(question=name, answers=answers)
    return cast("Answers", ask)


def key_of(ask: Callable[..., Any], texts: Sequence[str]) -> str:
    """Return what stands for a question among the paths that were consulted."""
    return _MARK + json.dumps([vars(ask)["question"], *texts])


def is_question(key: str) -> bool:
    """Return whether something that was consulted is a question, and no path."""
    return key.startswith(_MARK)


def question_of(key: str) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """Return the function and the texts that a key stands for.

    Raises ValueError, LookupError, TypeError, AttributeError or ImportError for what stands for
    none.
    """
    name, *texts = json.loads(key.removeprefix(_MARK))
    module, _, function = name.partition(":")
    if not module.startswith(_ROOMS):
        raise ValueError(module)
    ask = getattr(import_module(module), function)
    if vars(ask)["question"] != name or not all(isinstance(each, str) for each in texts):
        raise ValueError(name)
    return ask, tuple(texts)


def fingerprint(answer: Any) -> str:
    """Return what differs for different answers."""
    return digest(repr(answer).encode(errors="surrogatepass"))
