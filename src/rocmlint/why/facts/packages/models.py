"""Facts about models of transformers: ``model_since('qwen2_vl')``, the same as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.why.facts.packages.installed import version
from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    from packaging.version import Version

    from rocmlint.why.facts.context import Context


def model_since(context: Context, model_type: str) -> Version | UnreadFact | None:
    """Return the first release of transformers with a model type; None if none is known.

    A model type with a module of another name (``qwen2_5_vl_text``) is not found.
    """
    from rocmlint.published.names import names_of  # noqa: PLC0415 - reads a large table

    names = names_of("transformers")
    if names is None:
        return UnreadFact("the index of names of transformers", "rocmlint stack update")
    history = names.history(f"transformers.models.{model_type.replace('-', '_')}")
    if history is None:
        return None
    first = next((each for each in history.versions if history.at(each)), None)
    if first is not None:
        context.saw(f"model type {model_type}", f"since transformers {first}", "names index")
    return first


def model_release(context: Context, model_type: str) -> str | UnreadFact | None:
    """Return the same as text, for a requirement."""
    first = model_since(context, model_type)
    return first if first is None or isinstance(first, UnreadFact) else str(first)


def installed_as(context: Context, package: str) -> str | UnreadFact | None:
    """Return the version of an installed package as text, for a requirement."""
    found = version(context, package)
    return found if found is None or isinstance(found, UnreadFact) else str(found)


FACTS = {"model_since": model_since, "model_release": model_release, "installed_as": installed_as}
