"""Call what should warn or raise in the installed torch; for read_deprecations.py.

python prove_deprecations.py NAMES.json prints the names that were proven, with how: those that
"warns" of their deprecation when called with some simple arguments, or "raises" that they are
removed, or have a docstring that says so ("documented").
--torchvision prints for each builder of a model which old keyword stands for which weights, taken
from the closures of the builders themselves.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import os
import signal
import sys
import warnings
from typing import Any

import torch

LIMIT = 20  # seconds for one call


def main() -> None:
    """Print one line of JSON."""
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if sys.argv[1] == "--torchvision":
        answer: object = builders()
    else:
        torch.set_warn_always(True)
        with open(sys.argv[1], encoding="utf-8") as file:
            wanted = json.load(file)
        proofs = {name: proof(name, state) for name, state in wanted.items()}
        answer = {name: how for name, how in proofs.items() if how}
    sys.stdout.flush()
    print(json.dumps(answer, sort_keys=True), flush=True)
    os._exit(0)


def late(*_: object) -> None:
    """End a call that hangs."""
    raise TimeoutError


def arguments() -> list[tuple[Any, ...]]:
    """Return simple arguments that some function may take."""
    square = torch.eye(3)
    linear = torch.nn.Linear(2, 2)
    return [
        (square,), (square, square), (square, square, square), (linear,), (linear, "weight"),
        (_one,), (_total, square), (_total, (square,)), (_one, (square,), (square,)),
        (0, 3), (1.0, 2.0), ([linear.weight], 1.0), ((square,), (square,)), ([linear, linear],),
        (), (square, 1), ("a",), ("cpu",), (dict, _one, _first),
    ]  # fmt: skip


def _one(x: Any) -> Any:
    return x


def _total(x: Any) -> Any:
    return x.sum()


def _first(x: Any, _: Any) -> Any:
    return x


def proof(name: str, state: str) -> str:
    """How a function says what its text says: "" if it does not."""
    signal.signal(signal.SIGALRM, late)
    module, _, last = name.rpartition(".")
    with warnings.catch_warnings(record=True), contextlib.suppress(Exception):
        value = getattr(importlib.import_module(module), last)
        if state == "raises":
            return "raises" if any(answers(value, each, state) for each in arguments()) else ""
        if "__deprecated__" in getattr(value, "__dict__", ()):
            return "warns"
        if any(answers(value, each, state) for each in arguments()):
            return "warns"
        return "documented" if "deprecated" in (value.__doc__ or "") else ""
    return ""


def answers(value: Any, given: tuple[Any, ...], state: str) -> bool:
    """Whether one call does what it should."""
    raised = ""
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        signal.alarm(LIMIT)
        try:
            made = value(*given)
            if inspect.isgenerator(getattr(made, "gen", None)):
                with made:
                    pass
        except Exception as error:  # noqa: BLE001 - most of the arguments do not fit
            raised = str(error)
        finally:
            signal.alarm(0)
    if state == "raises":
        return "removed" in raised
    return any("deprecat" in str(each.message).lower() for each in caught)


def builders() -> dict[str, dict[str, list[str]]]:
    """Return, of torchvision's builders of models, old keyword -> new one and its weights."""
    from tools.prove_names import ready_torchvision  # noqa: PLC0415

    ready_torchvision()
    found: dict[str, dict[str, list[str]]] = {}
    packages = ("", ".detection", ".segmentation", ".video", ".optical_flow", ".quantization")
    for package in packages:
        module = importlib.import_module(f"torchvision.models{package}")
        for name, value in sorted(vars(module).items()):
            legacy = legacy_of(value)
            if legacy:
                found[f"torchvision.models{package}.{name}"] = legacy
    return found


def legacy_of(value: Any) -> dict[str, list[str]]:
    """Return what the wrapper `handle_legacy_interface` of a builder holds."""
    while inspect.isfunction(value):
        cells = dict(zip(value.__code__.co_freevars, value.__closure__ or (), strict=False))
        weights = cells["weights"].cell_contents if "weights" in cells else None
        if isinstance(weights, dict):
            return {
                old: [new, default.name if hasattr(default, "name") else ""]
                for new, (old, default) in weights.items()
            }
        value = getattr(value, "__wrapped__", None)
    return {}


if __name__ == "__main__":
    main()
