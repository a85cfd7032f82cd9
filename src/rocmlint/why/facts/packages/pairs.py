"""Facts about packages that belong together: ``fitting_torchvision()``, ``build_of('torch')``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published.rocm_wheels import row
from rocmlint.text.written import minor_release
from rocmlint.why.facts.packages.installed import version
from rocmlint.why.facts.value import UnreadFact

if TYPE_CHECKING:
    from rocmlint.why.facts.context import Context


def fitting_torchvision(context: Context) -> str | UnreadFact | None:
    """Return the minor release of torchvision for the installed torch; None if it is not known."""
    torch = version(context, "torch")
    if torch is None or isinstance(torch, UnreadFact):
        return torch
    found = row(str(torch))
    return found.torchvision or None if found is not None else None


def minor(context: Context, package: str) -> str | UnreadFact | None:
    """Return the minor release of an installed package: "2.4"; None if it is not installed."""
    found = version(context, package)
    return found if found is None or isinstance(found, UnreadFact) else minor_release(found)


def build_of(context: Context, package: str) -> str | UnreadFact | None:
    """Return the label of an installed build: "rocm6.2", "cu121", "cpu"; "" for one without."""
    found = version(context, package)
    return found if found is None or isinstance(found, UnreadFact) else found.local or ""


def unread(_: Context, fact: str, command: str) -> UnreadFact:
    """Return a fact that only a command can read: an answer that needs it is likely at most."""
    return UnreadFact(fact, command)


def packages_at(context: Context) -> str | UnreadFact:
    """Return the folder of the installed packages."""
    folders = context.packages.folders
    if not folders or context.is_elsewhere:
        return UnreadFact("where the packages are installed", "python -m pip --version")
    return folders[0]


FACTS = {
    "fitting_torchvision": fitting_torchvision,
    "minor": minor,
    "build_of": build_of,
    "unread": unread,
    "packages_at": packages_at,
}
