"""The parts that a factory returns, sorted by what each is."""

from __future__ import annotations

import dataclasses
import importlib
import sys
from typing import TYPE_CHECKING, Any

from .. import CannotAnswerError, search
from ..factory import found, torch_of_the_job

if TYPE_CHECKING:
    from collections.abc import Mapping

SEED = 0


@dataclasses.dataclass
class ModelParts:
    """The parts that a factory can return, None where it does not."""

    model: Any = None
    processor: Any = None
    """Or a tokenizer, or an image processor."""
    inputs: Any = None
    """Keyword arguments (a mapping) or positional ones (a tuple) of a forward."""
    optimizer: Any = None
    trainer: Any = None
    step: Any = None
    """A callable that makes one training step; it may take the number of the step."""
    notes: list[str] = dataclasses.field(default_factory=list)
    """Notes for a reader of the result on where these come from."""

    @property
    def name(self) -> str:
        """Return what a result is about."""
        named = (self.model, self.trainer, self.processor, self.step)
        one = next((each for each in named if each is not None), None)
        return getattr(one, "__name__", None) or type(one).__name__

    @property
    def tokenizer(self) -> Any:
        """Return the tokenizer of the processor, or what is one itself."""
        inner = getattr(self.processor, "tokenizer", None)
        if inner is not None:
            return inner
        return self.processor if hasattr(self.processor, "convert_tokens_to_ids") else None

    @property
    def image_processor(self) -> Any:
        """Return the image processor of the processor, or what is one itself."""
        inner = getattr(self.processor, "image_processor", None)
        if inner is not None:
            return inner
        names = getattr(self.processor, "model_input_names", None) or ()
        return self.processor if any("pixel" in str(each) for each in names) else None

    def needed(self, part: str, what: str) -> Any:
        """Return a part, or say that the check cannot do without it. Raises CannotAnswerError."""
        value = getattr(self, part)
        if value is None:
            message = f"this check needs {what}, and the factory returns none"
            raise CannotAnswerError(message)
        return value


_NAMES = tuple(each.name for each in dataclasses.fields(ModelParts) if each.name != "notes")


def parts_of(
    request: dict[str, Any], *, weights: bool = True, processor: bool = True
) -> ModelParts:
    """Return the parts of ``factory`` (``package.module:callable``) or of the folder ``config``.

    ``device`` is where the model goes (None: where it is). Without ``weights`` the model of a
    folder has tensors without data, without ``processor`` it has no processor. Raises what the
    factory does, and CannotAnswerError.
    """
    search.as_program()
    torch = torch_of_the_job()
    torch.manual_seed(SEED)
    if request.get("config"):
        configured = importlib.import_module("..configured", __name__)
        parts: ModelParts = configured.parts_of_folder(
            request["config"], weights=weights, processor=processor
        )
    else:
        parts = sorted_out(_made(request["factory"]), request["factory"])
    if parts.trainer is not None:
        _add_parts_of_trainer(parts)
    if request.get("device") and parts.model is not None:
        parts.model = parts.model.to(request["device"])
    parts.model = getattr(parts.model, "_orig_mod", parts.model)  # what torch.compile wraps
    return parts


def _made(factory: str) -> Any:
    made = found(factory)
    if _kind(made) in {"model", "processor", "trainer"} or not callable(made):
        return made
    return made()


def sorted_out(made: Any, factory: str) -> ModelParts:
    """Sort what a factory has returned. Raises CannotAnswerError for what is not known."""
    if isinstance(made, dict) and set(made) & set(_NAMES):
        return _parts_by_name(made, factory)
    several = isinstance(made, (tuple, list)) and _kind(made[0] if made else None) != "inputs"
    parts = ModelParts()
    for each in made if several else (made,):
        kind = _kind(each)
        if kind is None or getattr(parts, kind) is not None:
            again = "" if kind is None else f" (a second {kind})"
            message = (
                f"{factory} returned {type(each).__name__}{again}; it must return a model, a "
                f"processor, (model, processor), or a dictionary with {', '.join(_NAMES)}"
            )
            raise CannotAnswerError(message)
        setattr(parts, kind, each)
    return parts


def _parts_by_name(made: Mapping[str, Any], factory: str) -> ModelParts:
    unknown = sorted(str(each) for each in made if each not in _NAMES)
    if unknown:
        message = (
            f"{factory} returned a dictionary with {', '.join(unknown)}; the names are "
            f"{', '.join(_NAMES)}"
        )
        raise CannotAnswerError(message)
    return ModelParts(**made)


def _kind(value: Any) -> str | None:
    """Return which part something is; None for what is none."""
    torch = torch_of_the_job()
    if value is None or isinstance(value, (str, bytes, int, float)):
        return None
    if isinstance(value, torch.nn.Module):
        return "model"
    if isinstance(value, type):
        return None  # to be called
    if hasattr(value, "param_groups"):
        return "optimizer"
    if hasattr(value, "compute_loss"):
        return "trainer"
    if any(hasattr(value, each) for each in _OF_PROCESSORS):
        return "processor"
    if hasattr(value, "keys") or isinstance(value, (tuple, list)):
        return "inputs"
    return "step" if callable(value) else None


_OF_PROCESSORS = ("image_processor", "convert_tokens_to_ids", "tokenizer", "model_input_names")


def _add_parts_of_trainer(parts: ModelParts) -> None:
    """Take from a Trainer what the factory does not return by itself."""
    for part, names in _OF_TRAINERS.items():
        held = (getattr(parts.trainer, each, None) for each in names)
        if getattr(parts, part) is None:
            setattr(parts, part, next((each for each in held if each is not None), None))


_OF_TRAINERS = {
    "model": ("model",),
    "optimizer": ("optimizer",),
    "processor": ("processing_class", "processor", "tokenizer"),
}


def versions() -> list[str]:
    """Return the versions on which an answer rests."""
    found = []
    for name in ("torch", "transformers"):
        module: Any = sys.modules.get(name)
        if module is not None:
            found.append(f"{name} {getattr(module, '__version__', 'of unknown version')}")
    return found
