"""A model, its inputs, and its exported program: builds the first two, hands over to the rest."""

from __future__ import annotations

import importlib
import logging
import os
from contextlib import suppress
from typing import Any

from . import CannotAnswerError, own_package, progress, search
from .factory import found, torch_of_the_job
from .model import configured, inputs
from .model.parts import SEED, versions

_AGREEMENT = "rocmlint.export.agreement"


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Answer one step of ``rocmlint verify export``. Raises CannotAnswerError."""
    _limit(request.get("memory"))
    search.as_program()
    torch = torch_of_the_job()
    _refuse_old(torch)
    own_package.load()
    if "TORCH_LOGS" not in os.environ:
        logging.getLogger("torch").setLevel(logging.CRITICAL)  # a failure is told as a result
    torch.manual_seed(SEED)
    notes: list[str] = []
    model, scenarios = _subject(request, notes)
    child = importlib.import_module(f"{_AGREEMENT}.child")
    facts: dict[str, Any] = child.answered(model, scenarios, request, progress.report)
    return {"model": type(model).__name__, "notes": [*versions(), *notes], **facts}


def _limit(gigabytes: float | None) -> None:
    """Have an allocation fail instead of the machine, where a limit is given."""
    if gigabytes:
        with suppress(ImportError, OSError, ValueError):
            resource = importlib.import_module("resource")
            limit = int(gigabytes * 1e9)
            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _refuse_old(torch: Any) -> None:
    """Raise CannotAnswerError for a torch without what is asked of it."""
    export: Any = None
    with suppress(ImportError):
        export = importlib.import_module("torch.export")
    if not hasattr(export, "ShapesCollection") or not hasattr(export.Dim, "DYNAMIC"):
        message = f"torch {torch.__version__} cannot be asked; this check needs torch 2.6 or later"
        raise CannotAnswerError(message)


def _subject(request: dict[str, Any], notes: list[str]) -> tuple[Any, Any]:
    given: tuple[Any, ...]
    if request.get("config"):
        parts = configured.parts_of_folder(request["config"], weights=True, processor=False)
        notes += parts.notes
        made = importlib.import_module(f"{_AGREEMENT}.configured")
        error = made.NoInputsError
        model = parts.model
        prepare, given = made.scenarios, (model, inputs.of_grids, inputs.layout(model))
    else:
        factory = importlib.import_module(f"{_AGREEMENT}.given")
        error = factory.NotAFactoryError
        prepare, given = factory.of_factory, (_made(request["factory"]), request["factory"])
    try:
        model, scenarios = prepare(*given)
    except error as why:
        raise CannotAnswerError(str(why)) from why
    return model, scenarios


def _made(factory: str) -> Any:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    build = found(factory)
    if not callable(build):
        message = f"{factory} is {type(build).__name__}, and cannot be called"
        raise CannotAnswerError(message)
    return build()
