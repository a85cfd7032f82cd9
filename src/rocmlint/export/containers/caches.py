"""Caches of transformers as containers of tensors: how torch.export takes them apart.

The children of a cache are its keys, a list with one tensor for each layer, then its values; so
``dynamic_shapes`` of a cache are ``[[keys of layer 0, ...], [values of layer 0, ...]]``, as in
transformers' own registration of ``DynamicCache``. A third list has what else the layers hold:
states of linear attention, the counters of static layers. The children of an
``EncoderDecoderCache`` are its two caches. What is not a tensor must be the same in each call.

A layer with a sliding window keeps the last tokens only, and counts all in a Python integer. Here
its keys have the length of that count: those that it dropped are zeros. So the size tells the
count, one dimension is the length of all layers, and a program is not tied to the length that was
traced. Nothing attends to the zeros: the mask of such a layer hides them.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from rocmlint.export.containers.packing import pack, unpack
from rocmlint.export.containers.registration import Registration

if TYPE_CHECKING:
    from collections.abc import Iterator

DERIVED = {
    *("dtype", "device", "_sliding_window_tensor", "batch_size", "max_batch_size"),
    *("num_heads", "head_dim", "k_head_dim", "v_head_dim"),
}
"""What a layer knows from its keys: not compared, so that a program runs with other batches."""
KEYS, VALUES, REST = "key_cache", "value_cache", "states"


def registrations(model: Any = None) -> list[Registration]:
    """Return how the caches of the installed transformers are taken apart.

    With a model, caches that only its own modules define are among them. Returns nothing if
    transformers is not loaded: then no value can be one of its caches.
    """
    utils: Any = sys.modules.get("transformers.cache_utils")
    if utils is None:
        return []
    pair = getattr(utils, "EncoderDecoderCache", None)
    known = list(_below(utils.Cache))
    own = [] if model is None else [each for each in _of_model(model) if each not in known]
    return [_of_pair(each) if pair and issubclass(each, pair) else _of_layers(each)
            for each in known] + [_of_state(each) for each in own]  # fmt: skip


def _below(cls: type) -> Iterator[type]:
    subclasses: list[type] = cls.__subclasses__()
    for each in dict.fromkeys(subclasses):
        yield each
        yield from _below(each)


def _of_model(model: Any) -> Iterator[type]:
    """Yield classes with a name that ends in Cache, from the modules that define the model."""
    torch: Any = importlib.import_module("torch")
    for name in dict.fromkeys(type(each).__module__ for each in model.modules()):
        for each in vars(sys.modules.get(name, object())).values() if name in sys.modules else ():
            if (
                isinstance(each, type)
                and each.__module__ == name
                and each.__name__.endswith("Cache")
            ):
                if not issubclass(each, torch.nn.Module):
                    yield each


def _of_layers(cls: type) -> Registration:
    return Registration(cls, _flatten, _unflatten, _flatten_with_keys)


def _flatten(cache: Any) -> tuple[list[Any], Any]:
    children, context = _take_apart(cache)
    return [each for _, each in children], context


def _flatten_with_keys(cache: Any) -> tuple[list[tuple[Any, Any]], Any]:
    key = importlib.import_module("torch.utils._pytree").MappingKey
    children, context = _take_apart(cache)
    return [(key(name), each) for name, each in children], context


def _take_apart(cache: Any) -> tuple[list[tuple[str, Any]], Any]:
    keys: list[Any] = []
    values: list[Any] = []
    rest: list[Any] = []
    layers = []
    for layer in cache.layers:
        state = {name: each for name, each in vars(layer).items() if name not in DERIVED}
        has = [state.pop("keys", None) is not None, state.pop("values", None) is not None]
        if _slides(layer):
            del state["cumulative_length"]
        keys += [_whole(layer, layer.keys)] if has[0] else []
        values += [_whole(layer, layer.values)] if has[1] else []
        layers.append([pack(type(layer), rest), has, pack(state, rest)])
    others = {name: each for name, each in vars(cache).items() if name != "layers"}
    context = [pack(type(cache), rest), layers, pack(others, rest)]
    children = [(KEYS, keys), (VALUES, values)]
    return children + ([(REST, rest)] if rest else []), context


def _unflatten(children: Any, context: Any) -> Any:
    kind, layers, others = context
    keys, values = iter(children[0]), iter(children[1])
    rest = children[2] if len(children) > 2 else []
    cache = _new(unpack(kind, rest), unpack(others, rest))
    cache.layers = [_layer(each, keys, values, rest) for each in layers]
    return cache


def _layer(context: Any, keys: Iterator[Any], values: Iterator[Any], rest: Any) -> Any:
    kind, (has_keys, has_values), state = context
    cls = unpack(kind, rest)
    layer = _new(cls, unpack(state, rest))
    layer.keys = next(keys) if has_keys else None
    layer.values = next(values) if has_values else None
    if _slides(layer):
        _slide(layer)
    _derive(layer)
    return layer


def _new(cls: type, state: dict[str, Any]) -> Any:
    """Return an object with that state: constructors of caches would make new, empty layers."""
    made: Any = object.__new__(cls)
    vars(made).update(state)
    return made


def _slides(layer: Any) -> bool:
    """Tell whether the layer drops old tokens and counts all of them in an integer."""
    utils = sys.modules["transformers.cache_utils"]
    cls = getattr(utils, "DynamicSlidingWindowLayer", None)
    return cls is not None and isinstance(layer, cls)


def _whole(layer: Any, states: Any) -> Any:
    """Return keys or values of all tokens that the layer has seen, zeros for those it dropped."""
    if not _slides(layer) or states.ndim < 4:
        return states
    missing = layer.cumulative_length - states.shape[-2]
    if _is_zero(missing):
        return states
    torch: Any = importlib.import_module("torch")
    batch, heads, _, width = states.shape
    return torch.cat([states.new_zeros(batch, heads, missing, width), states], dim=-2)


def _slide(layer: Any) -> None:
    """Set the count of a layer, and drop what its window does not hold.

    While a program is traced all tokens stay: which are dropped would depend on their number.
    """
    layer.cumulative_length = 0
    if layer.keys is None or layer.keys.ndim < 4:
        return
    layer.cumulative_length = layer.keys.shape[-2]
    if not is_traced(layer.keys):
        start = -layer.sliding_window + 1
        layer.keys = layer.keys[:, :, start:, :]
        layer.values = layer.values[:, :, start:, :]


def _derive(layer: Any) -> None:
    """Set what the layer knows from its tensors."""
    tensors = [layer.keys, *_tensors(getattr(layer, "conv_states", None)),
               *_tensors(getattr(layer, "recurrent_states", None))]  # fmt: skip
    first = next((each for each in tensors if each is not None), None)
    if hasattr(layer, "sliding_window") and _slides(layer):
        torch: Any = importlib.import_module("torch")
        layer._sliding_window_tensor = torch.tensor(layer.sliding_window)  # noqa: SLF001
    if first is None:
        return
    layer.dtype, layer.device = first.dtype, first.device
    if layer.keys is not None and layer.keys.ndim == 4 and hasattr(layer, "max_cache_len"):
        layer.batch_size, layer.num_heads = layer.keys.shape[:2]
        layer.max_batch_size = layer.batch_size
        layer.k_head_dim = layer.head_dim = layer.keys.shape[-1]
        layer.v_head_dim = layer.values.shape[-1]


def _tensors(states: Any) -> list[Any]:
    if isinstance(states, dict):
        return list(states.values())
    return list(states) if isinstance(states, (list, tuple)) else [states]


def is_traced(tensor: Any) -> bool:
    """Tell whether a tensor stands for tensors of many sizes, while a program is traced."""
    torch: Any = importlib.import_module("torch")
    fake: Any = importlib.import_module("torch._subclasses.fake_tensor")
    return isinstance(tensor, torch.Tensor) and fake.is_fake(tensor)


def _is_zero(size: Any) -> bool:
    if isinstance(size, int):
        return size <= 0
    symbolic: Any = importlib.import_module("torch.fx.experimental.symbolic_shapes")
    return bool(symbolic.statically_known_true(size == 0))


def _of_pair(cls: type) -> Registration:
    """Return how a cache of an encoder and a decoder is taken apart: into its two caches."""
    names = ("self_attention_cache", "cross_attention_cache")

    def flatten(cache: Any) -> tuple[list[Any], Any]:
        state = {name: each for name, each in vars(cache).items() if name not in names}
        return [getattr(cache, name) for name in names], pack(state, [])

    def unflatten(children: Any, context: Any) -> Any:
        return _new(cls, {**unpack(context, []), **dict(zip(names, children, strict=True))})

    def flatten_with_keys(cache: Any) -> tuple[list[tuple[Any, Any]], Any]:
        key = importlib.import_module("torch.utils._pytree").MappingKey
        children, context = flatten(cache)
        return [(key(name), each) for name, each in zip(names, children, strict=True)], context

    return Registration(cls, flatten, unflatten, flatten_with_keys)


def _of_state(cls: type) -> Registration:
    """Return how any other cache is taken apart: into the tensors of its state, in order."""

    def flatten(cache: Any) -> tuple[list[Any], Any]:
        tensors: list[Any] = []
        state = {name: each for name, each in vars(cache).items() if name not in DERIVED}
        return tensors, pack(state, tensors)

    def unflatten(children: Any, context: Any) -> Any:
        cache = _new(cls, unpack(context, list(children)))
        first = next(iter(children), None)
        if first is not None:
            cache.dtype, cache.device = first.dtype, first.device
        return cache

    def flatten_with_keys(cache: Any) -> tuple[list[tuple[Any, Any]], Any]:
        key = importlib.import_module("torch.utils._pytree").SequenceKey
        children, context = flatten(cache)
        return [(key(index), each) for index, each in enumerate(children)], context

    return Registration(cls, flatten, unflatten, flatten_with_keys)
