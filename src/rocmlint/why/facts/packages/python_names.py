"""Names of Python's own modules that a release of Python added or removed."""

from __future__ import annotations

from typing import NamedTuple

_COLLECTIONS = (
    *("Mapping", "MutableMapping", "Sequence", "MutableSequence", "Set", "MutableSet", "Iterable"),
    *("Iterator", "Callable", "Hashable", "Sized", "Container", "Generator", "Awaitable"),
    *("MappingView", "KeysView", "ItemsView", "ValuesView", "Coroutine", "ByteString"),
)
_CAME = {
    "3.10": {
        "typing": "ParamSpec TypeAlias TypeGuard Concatenate is_typeddict",
        "itertools": "pairwise",
    },
    "3.11": {
        "typing": "Self Never LiteralString Required NotRequired Unpack TypeVarTuple assert_never"
        " assert_type reveal_type dataclass_transform",
        "enum": "StrEnum verify ReprEnum",
        "datetime": "UTC",
        "asyncio": "TaskGroup Runner timeout",
        "contextlib": "chdir",
        "hashlib": "file_digest",
    },
    "3.12": {"typing": "override TypeAliasType", "itertools": "batched"},
    "3.13": {"typing": "TypeIs ReadOnly NoDefault", "warnings": "deprecated", "copy": "replace"},
}
_WENT = {
    "3.8": {"time": "clock"},
    "3.9": {"base64": "encodestring decodestring", "fractions": "gcd"},
    "3.10": {"collections": " ".join(_COLLECTIONS)},
    "3.11": {"inspect": "getargspec formatargspec", "asyncio": "coroutine", "random": "jumpahead"},
    "3.12": {
        "pkgutil": "ImpImporter ImpLoader",
        "configparser": "SafeConfigParser",
        "ssl": "wrap_socket match_hostname",
        "locale": "format",
    },
    "3.13": {"unittest": "makeSuite findTestCases", "locale": "resetlocale"},
    "3.14": {"ast": "Str Num Bytes NameConstant Ellipsis", "pkgutil": "find_loader get_loader"},
}
_INSTEAD = {
    **{f"collections.{name}": f"collections.abc.{name}" for name in _COLLECTIONS},
    "time.clock": "time.perf_counter",
    "fractions.gcd": "math.gcd",
    "base64.encodestring": "base64.encodebytes",
    "base64.decodestring": "base64.decodebytes",
    "inspect.getargspec": "inspect.getfullargspec",
    "configparser.SafeConfigParser": "configparser.ConfigParser",
    "locale.format": "locale.format_string",
    "ast.Str": "ast.Constant",
    "ast.Num": "ast.Constant",
}
_BACKPORTED = ("typing", "warnings")
"""Modules whose new names typing_extensions has for older Pythons."""


class PythonName(NamedTuple):
    """When a name of Python's came or went, and what there is instead."""

    came: str = ""
    went: str = ""
    instead: str = ""


def python_name(module: str, name: str) -> PythonName | None:
    """Return what is known of a name of Python's own; None if nothing is."""
    for python, modules in _CAME.items():
        if name in modules.get(module, "").split():
            instead = f"typing_extensions.{name}" if module in _BACKPORTED else ""
            return PythonName(came=python, instead=instead)
    for python, modules in _WENT.items():
        if name in modules.get(module, "").split():
            return PythonName(went=python, instead=_INSTEAD.get(f"{module}.{name}", ""))
    return None
