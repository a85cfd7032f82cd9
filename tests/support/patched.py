"""A patched file in a real environment, and what ``verify patches`` says of it."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from rocmlint.interpreter.ask import Interpreter
from rocmlint.verify.manifest.read import Manifest, ManifestFile
from rocmlint.verify.patches.patches import check
from tests.support.environments import Environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocmlint.verify.result import Result

OLD, NEW = "answer = 'old'\n", "answer = 'new'\n"
INSTALLED = {"tiny/__init__.py": "", "tiny/mod.py": OLD}
FINDER = """\
import sys
from importlib.machinery import PathFinder, SourceFileLoader
class Loader(SourceFileLoader): pass
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "tiny.mod":
            {body}
sys.meta_path.insert(0, Finder)
"""


def manifest_of(
    files: Mapping[str, str], requires: str = "==1.0", package: str = "tiny"
) -> Manifest:
    hashed = (ManifestFile(path, sha256(text.encode()).hexdigest()) for path, text in files.items())
    return Manifest(package, requires, tuple(hashed))


def checked(
    environment: Environment, manifest: Manifest | None = None, **variables: str
) -> dict[str, Result]:
    given = manifest or manifest_of({"tiny/mod.py": NEW})
    plain = {"PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "", **variables}
    asked = Interpreter(str(environment.python), 60, plain)
    return {each.subject: each for each in check(given, asked)}


def of_file(environment: Environment, **variables: str) -> Result:
    return checked(environment, None, **variables)["tiny/mod.py"]


def seen_in(result: Result, name: str) -> list[str]:
    return [each.value for each in result.evidence if each.name == name]
