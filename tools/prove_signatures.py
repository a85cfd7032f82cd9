"""How functions and classes are called, as far as that is certain; for prove_names.py."""

from __future__ import annotations

import enum
import functools
import inspect
import os
import types
from typing import Any

# Wrappers that hand every keyword on: end of the file's path, name of its code -> where the old
# keywords stand that they take out first: the start of the name of a function that they call for
# it (each word that it holds counts), or "*" for the wrapper's own variable `old_name`.
TRANSPARENT = {
    ("torch/utils/_contextlib.py", "decorate_context"): (),
    ("contextlib.py", "inner"): (),
    ("contextlib.py", "helper"): (),
    ("huggingface_hub/utils/_validators.py", "_inner_fn"): ("smoothly_deprecate_",),
    ("huggingface_hub/utils/_http.py", "_inner"): (),
    ("huggingface_hub/utils/_deprecation.py", "inner_f"): (),
    ("transformers/utils/deprecation.py", "wrapped_func"): ("*",),
    ("diffusers/configuration_utils.py", "inner_init"): (),
}


def open_class(value: type) -> bool:
    """Whether a metaclass answers for attributes that no class of it lists."""
    return any(
        "__getattr__" in vars(kind) for kind in type.mro(type(value)) if kind is not enum.EnumMeta
    ) or (type(value).__getattribute__ is not type.__getattribute__)


def call(value: type) -> str | None:
    """Return the signature of a class as it is called; None where two functions share the work."""
    if type(value).__call__ is not type.__call__:
        return None
    empty: dict[str, Any] = {}
    makes = next((vars(each) for each in value.__mro__ if "__new__" in vars(each)), empty)
    begins = next((vars(each) for each in value.__mro__ if "__init__" in vars(each)), empty)
    new, init = makes.get("__new__"), begins.get("__init__")
    plain_new = new is object.__new__ or new is vars(object)["__new__"]
    plain_init = init is vars(object)["__init__"]
    if plain_new:
        return "" if plain_init else signature(init, bound=True)
    if "Generic" in str(getattr(new, "__qualname__", "")):
        return signature(init, bound=True)
    inner = new.__func__ if isinstance(new, staticmethod) else new
    return signature(inner, bound=True) if plain_init else None


def signature(value: Any, *, bound: bool = False) -> str | None:
    """Return the parameters as "a,b,/,c,*,d"; None for what takes **kwargs or cannot be read."""
    if isinstance(value, classmethod):
        value = value.__func__
    elif isinstance(value, staticmethod):
        value, bound = value.__func__, False
    extra: list[str] = []
    while True:
        if isinstance(value, functools._lru_cache_wrapper):  # noqa: SLF001
            value = value.__wrapped__
            continue
        if not isinstance(value, types.FunctionType):
            return None
        taken = transparent(value)
        if taken is None:
            break
        extra += taken
        value = value.__wrapped__  # type: ignore[attr-defined]
    return written(value.__code__, extra, bound=bound)


def transparent(value: types.FunctionType) -> list[str] | None:
    """Keywords that a wrapper of TRANSPARENT takes out; None where it is none of them."""
    if not hasattr(value, "__wrapped__"):
        return None
    path = value.__code__.co_filename.replace(os.sep, "/")
    for (ending, name), taken in TRANSPARENT.items():
        if value.__code__.co_name == name and path.endswith("/" + ending):
            if "*" not in taken:
                return [word for start in taken for word in words(value, start)]
            cells = dict(zip(value.__code__.co_freevars, value.__closure__ or (), strict=False))
            old = cells["old_name"].cell_contents if "old_name" in cells else None
            return [old] if isinstance(old, str) else None
    return None


def words(value: types.FunctionType, start: str) -> list[str]:
    """Return the words in the code of the functions of that name that a wrapper calls."""
    helpers = [value.__globals__.get(each) for each in value.__code__.co_names]
    return [
        word
        for helper in helpers
        if isinstance(helper, types.FunctionType) and helper.__name__.startswith(start)
        for word in helper.__code__.co_consts
        if isinstance(word, str) and word.isidentifier()
    ]


def written(code: types.CodeType, extra: list[str], *, bound: bool) -> str | None:
    """Return the parameters of code, without self or cls where it is bound."""
    if code.co_flags & inspect.CO_VARKEYWORDS:
        return None
    every = code.co_varnames
    positional = list(every[: code.co_argcount])
    only = positional[: code.co_posonlyargcount]
    either = positional[code.co_posonlyargcount :]
    named = [*every[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]]
    named += [each for each in extra if each not in {*either, *named}]
    if bound:
        first = only or either
        if first:
            del first[0]
        elif not code.co_flags & inspect.CO_VARARGS:
            return None
    parts = [*only, "/"] if only else []
    parts += either
    if code.co_flags & inspect.CO_VARARGS:
        parts += ["*" + every[code.co_argcount + code.co_kwonlyargcount]]
    elif named:
        parts += ["*"]
    return ",".join(parts + named)
