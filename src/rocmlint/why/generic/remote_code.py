"""A model's own code that fails while it is loaded: it was written for another transformers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.text.written import minor_release
from rocmlint.why.facts.packages.package_names import release_of
from rocmlint.why.facts.project.remote_code import saved_with
from rocmlint.why.generic.parts import innermost, older_remote_code

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.version import Version

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context

_MESSAGE = re.compile(
    r"(?:KeyError: (?P<key>['\"][\w.]+['\"])|AttributeError: '(?P<type>NoneType|dict|list|str)' "
    r"object has no attribute '\w+'|TypeError: 'NoneType' object is not \w+)\s*\Z"
)
_LOADING = re.compile(r"(?:from_pretrained|from_config|get_class_in_module|from_dict|to_dict)\Z")
_WEIGHT = 16


def read(text: str, context: Context) -> Iterator[Explanation]:
    """Explain a value that remote code does not find in what transformers gives it."""
    found, place = _MESSAGE.match(text), innermost(context)
    remote = next(
        (each for each in map(context.owner, reversed(context.frames)) if each.kind == "hub"), None
    )
    if found is None or place is None or remote is None or not _is_loading(context):
        return
    release, saved = release_of(context, "transformers"), saved_with(context)
    if saved is not None and _minor(saved) == _minor(release.version):
        return
    if place.owner.kind == "hub":
        key = found["key"]
        what = f"does not find {key}" if key else "gets no value where it needs one"
        cause = f"{remote} {what} while {release} loads the model: it is for another release"
    elif place.distribution == "transformers" and found["type"]:
        cause = f"{release} gets a {found['type']} from {remote}, which is for another release"
    else:
        return
    yield older_remote_code(
        context,
        "remote-code",
        cause,
        weight=_WEIGHT,
        remote=remote,
        message=found[0],
    )


def _minor(version: Version | None) -> str:
    return "" if version is None else minor_release(version)


def _is_loading(context: Context) -> bool:
    """Return whether transformers was loading the model, so that no input of the user counts."""
    for frame in context.frames:
        is_library = context.owner(frame).name == "transformers"
        if is_library and _LOADING.search(frame.function):
            return True
    return False
