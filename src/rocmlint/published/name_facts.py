"""What the index of names answers: a history over versions, and a signature."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from packaging.version import Version


@dataclass(frozen=True)
class History:
    """In which of the proven versions something is there.

    Args:
        versions: the proven versions, ascending.
        there: the versions that have it, as bits.
        unknown: the versions of which that is not known, as bits; disjoint from `there`.
        gone: the first release without it, where that is older than all proven versions.
    """

    versions: tuple[Version, ...]
    there: int
    unknown: int
    gone: Version | None = None

    @property
    def was_ever_there(self) -> bool:
        """Whether some release had it: what never was is new, and the code's own."""
        return bool(self.there) or self.gone is not None

    @property
    def is_ever_missing(self) -> bool:
        """Whether some release is known to lack it."""
        everywhere = (1 << len(self.versions)) - 1
        return self.gone is not None or (self.there | self.unknown) != everywhere

    def at(self, version: Version) -> bool | None:
        """Return whether it is there: True; False if proven not to be; None if unknown.

        A patch release counts as its minor release. Unknown are minor releases that were not
        proven, and release candidates.
        """
        index = index_of(self.versions, version)
        state = None if index is None else self._at(index)
        return False if state is None and self.gone is not None and version >= self.gone else state

    def _at(self, index: int) -> bool | None:
        """Return the same for the version of that index, by the proof of that alone."""
        if self.there >> index & 1:
            return True
        return None if self.unknown >> index & 1 else False

    def where(self, owner: History) -> History:
        """Return the same where its owner is there, and that it is unknown elsewhere."""
        absent = ~(owner.there | owner.unknown) & (1 << len(self.versions)) - 1
        return replace(self, there=self.there & ~absent, unknown=self.unknown | absent)

    def is_missing_in(self, allowed: Callable[[Version], bool]) -> bool:
        """Return whether all proven versions that are allowed lack it."""
        return all(
            self._at(index) is False for index, each in enumerate(self.versions) if allowed(each)
        )

    def gone_since(self, version: Version) -> Version | None:
        """Return the first proven version without it, at or before `version`, after one with it.

        None where `version` has it, where that is unknown, and where no earlier version had it,
        as far as is known.
        """
        index = index_of(self.versions, version)
        if index is None or self._at(index) is not False:
            return None
        first = index
        for earlier in range(index - 1, -1, -1):
            state = self._at(earlier)
            if state:
                return self.versions[first]
            if state is False:
                first = earlier
        return self.gone

    def there_after(self, version: Version) -> Version | None:
        """Return the first proven version after ``version`` with it.

        None where ``version`` has it, where that is unknown, and where no later version has it.
        """
        index = index_of(self.versions, version)
        if index is None or self._at(index) is not False:
            return None
        later = range(index + 1, len(self.versions))
        first = next((each for each in later if self._at(each) is not False), None)
        return self.versions[first] if first is not None and self._at(first) else None


@dataclass(frozen=True)
class Signature:
    """The parameters of a callable that takes no **kwargs, without self or cls.

    Args:
        positional_only: names of those that cannot be given by keyword.
        positional: names of those that can be given by position or by keyword.
        keyword_only: names of those that must be given by keyword.
        any_positional: whether it takes *args.
    """

    positional_only: tuple[str, ...]
    positional: tuple[str, ...]
    keyword_only: tuple[str, ...]
    any_positional: bool

    @property
    def keywords(self) -> frozenset[str]:
        """All names that can be given by keyword."""
        return frozenset(self.positional + self.keyword_only)

    @classmethod
    def of(cls, text: str) -> Signature:
        """Return the signature written as "a,/,b,*args,c" or "a,/,b,*,c"."""
        parts = [each for each in text.split(",") if each]
        star = next((i for i, each in enumerate(parts) if each.startswith("*")), len(parts))
        before, after = parts[:star], parts[star + 1 :]
        slash = before.index("/") if "/" in before else -1
        return cls(
            tuple(before[: max(slash, 0)]),
            tuple(before[slash + 1 :]),
            tuple(after),
            star < len(parts) and parts[star] != "*",
        )


def index_of(versions: tuple[Version, ...], version: Version) -> int | None:
    """Return the index of the proven version that stands for a version's minor release."""
    if version.is_prerelease:
        return None
    minor = (*version.release, 0)[:2]
    for index in range(len(versions) - 1, -1, -1):
        if versions[index].release[:2] == minor:
            return index
    return None
