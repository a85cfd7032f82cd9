"""What stands against a requirement that the project does not have yet: other ones, the Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.project.companions import Companions
from rocmlint.published import requirements as published

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version


@dataclass(frozen=True)
class Obstacles:
    """What no release in a specifier goes with, each by itself."""

    requirements: tuple[str, ...] = ()
    python: Version | None = None

    def __bool__(self) -> bool:
        """Check whether there are any."""
        return bool(self.requirements) or self.python is not None

    @property
    def clause(self) -> str:
        """What goes on after "require `x>=2`": which else has to change, "" for nothing."""
        python = f", which does not run on Python {self.python}" if self.python else ""
        listed = [f"`{each}`" for each in self.requirements]
        if not listed:
            return python
        joined = " and ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))
        exclude = "excludes" if len(listed) == 1 else "exclude"
        return f"{python}, and move {joined}, which {exclude} it"


def obstacles(package: str, wanted: SpecifierSet, others: Companions) -> Obstacles:
    """Return which of the other requirements, and whether the Python, leave no wanted release."""
    if Companions().newest(package, wanted) is None:
        return Obstacles()  # of which nothing is known
    excluding = tuple(
        f"{name}{asked}"
        for name, asked in others.asked.items()
        if name != package
        and Companions({name: asked}).newest(package, wanted, as_of_today=True) is None
    )
    runs = Companions({}, others.python).newest(package, wanted) is not None
    return Obstacles(excluding, None if runs else others.python)


def first_offered(package: str, wanted: SpecifierSet) -> Version | None:
    """Return the oldest release in a specifier that an index offers; None if none is known."""
    fitting = (each for each in published.releases(package) if wanted.contains(each))
    return next((each for each in fitting if not published.is_yanked(package, each)), None)
