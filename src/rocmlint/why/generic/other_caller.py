"""An attribute that one package asks of another one's class, which no longer sets it.

What an instance gets when it is made is in no index. Whether the caller is from before the release
that it calls, or from soon after it, is known by the days on which both came out.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.published import requirements as published
from rocmlint.published.names import names_of
from rocmlint.text.written import minor_release, version_of
from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.moved import modules_with
from rocmlint.why.facts.packages.package_names import indexed, is_absent, release_of
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.generic.parts import innermost, install, later_importer, made, where

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from packaging.version import Version

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.packages.package_names import Release

_SOON = timedelta(days=30)
"""A release of the caller that came this soon after the other was not written for that one."""
_WRAPPERS = ("peft.PeftModel", "accelerate.Accelerator", "trl.AutoModelForCausalLMWithValueHead")
"""Classes whose attributes are missed where an object should have been one of them."""
_WEIGHT = 20


def of_other_caller(
    context: Context, holder: str, attribute: str, message: str
) -> Iterator[Explanation]:
    """Explain it where the caller is a package from before, or soon after, the class's release."""
    place = innermost(context)
    version = version_of(place.owner.version) if place is not None else None
    if place is None or version is None or _is_of_wrapper(attribute):
        return
    release = _release_with(context, holder, place.distribution)
    came = published.published_on(place.distribution, version)
    if release is None or release.version is None or came is None:
        return
    before = _newest_on(release.name, came - _SOON)
    if before is None or minor_release(before) == minor_release(release.version):
        return
    if before > release.version or not modules_with(release.name, holder, before):
        return
    context.evidence.clear()  # of what the other packages are, nothing matters
    release = release_of(context, release.name)
    context.saw(f"{place.owner}", f"came out on {came}", f"requirements of {published.AS_OF}")
    later = later_importer(place, release.name, release.version)
    newer = f"upgrade {place.owner.name}" + (f": {later} is from after {release}" if later else "")
    bound = f"{release.name}<{before.major}.{before.minor + 1}"
    yield made(
        context,
        "missing-attribute",
        f"{place.owner} asks {holder} of {release} for {attribute}, which it does not have: it was"
        f" written for an older {release.name}",
        weight=_WEIGHT,
        sure=False,
        where=where(place),
        actions=(Action(newer), install(context, bound)),
        missing=(
            release.unread,
            UnreadFact(f"whether an older {release.name} sets {attribute}"),
        ),
        message=message,
    )


def _is_of_wrapper(attribute: str) -> bool:
    for dotted in _WRAPPERS:
        known = names_of(dotted.partition(".")[0])
        history = known.member(dotted, attribute) if known is not None else None
        if history is not None and history.there:
            return True
    return False


def _release_with(context: Context, holder: str, caller: str) -> Release | None:
    """Return the one installed release, of another package than the caller, with a class."""
    found = []
    for package in indexed():
        if is_absent(context, package) or context.packages.get(package) is None:
            continue
        release = release_of(context, package)
        if modules_with(package, holder, release.version):
            found.append(release)
    is_one = len(found) == 1 and canonicalize_name(found[0].name) not in {caller, "torch"}
    return found[0] if is_one else None


def _newest_on(name: str, day: date) -> Version | None:
    """Return the newest release of a package that there was on a day."""
    for each in reversed(published.releases(canonicalize_name(name))):
        came = published.published_on(canonicalize_name(name), each)
        if came is not None and came <= day and not published.is_yanked(name, each):
            return each
    return None
