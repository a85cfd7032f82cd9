"""Environments whose packages or start-up code lead an import of a patched module elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.support.environments import Environment
from tests.support.patched import checked, manifest_of

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.verify.result import Result
    from tests.support.verdicts import Truth

PATCHED = "def f():\n    return 'RIGHT'\n"
WRONG = PATCHED.replace("RIGHT", "WRONG")
INSTALLED = {"pk/__init__.py": "", "pk/sub/__init__.py": "", "pk/sub/mod.py": PATCHED}
MODULE = "pk/sub/mod.py"
FORMS = (
    "import pk.sub.mod as m",
    "from pk.sub import mod as m",
    "import importlib, pk; m = importlib.import_module('pk.sub.mod')",
    "import pk; import pk.sub.mod as m",
)
"""How programs import the module; each in a process of its own."""


@dataclass
class Hostile:
    """An environment with the package, and beside it a folder OTHER with the wrong module.

    OTHER has ``sub/mod.py`` and ``mod.py``, for paths of ``pk`` and of ``pk.sub``.
    """

    environment: Environment
    other: Path
    variables: dict[str, str] = field(default_factory=dict)

    @classmethod
    def made(cls, folder: Path, files: dict[str, str]) -> Hostile:
        """Install the package with these files in place of its own; OTHER in them is the folder."""
        other = folder / "other"
        (other / "sub").mkdir(parents=True)
        (other / "sub" / "__init__.py").touch()
        for place in (other / "sub" / "mod.py", other / "mod.py"):
            place.write_text(WRONG)
        environment = Environment(folder / "environment")
        texts = {name: text.replace("OTHER", str(other)) for name, text in files.items()}
        environment.install("pk", "1.0", {**INSTALLED, **texts})
        return cls(environment, other)

    def truth(self) -> Truth:
        """Import the module in each form, and call what that gives."""
        called = [f"{form}; print(m.f())" for form in FORMS]
        runs = [self.environment.run("-c", each, variables=self.variables) for each in called]
        assert runs[0].stdout in {"RIGHT\n", "WRONG\n"}, runs[0].stderr
        return "holds" if all(each.stdout == "RIGHT\n" for each in runs) else "broken"

    def result(self) -> Result:
        """Return what ``verify patches`` says of the module."""
        manifest = manifest_of({MODULE: PATCHED}, package="pk")
        return checked(self.environment, manifest, **self.variables)[MODULE]
