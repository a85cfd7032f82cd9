"""What the code of a project claims of the running system, for ``rocmlint verify``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.formats import is_python
from rocmlint.lint.check import claims
from rocmlint.lint.discover import discover
from rocmlint.lint.scan import Scanner
from rocmlint.rule.registry import load_claim_rules
from rocmlint.source.python import Source
from rocmlint.syntax.unparsable import UnparsableError
from rocmlint.text.text import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocmlint.config.settings import Settings
    from rocmlint.findings import Claim


def find_claims(
    paths: Sequence[str], settings_for: Callable[[str], Settings]
) -> tuple[list[Claim], list[str]]:
    """Give the claims of the code below some paths, sorted by place, and what went wrong.

    A file that cannot be read or parsed is a problem, and hides no claim of the others.
    """
    files, problems, notes = discover(paths, settings_for)
    problems += notes
    files = [each for each in files if is_python(each.path)]
    scanner = Scanner(load_claim_rules())
    found: list[Claim] = []
    for file in files:
        try:
            with open(file.path, "rb") as stream:
                data = stream.read()
            if rules := scanner.scan(data):
                found += claims(Source(file.path, decode(data)), rules)
        except OSError as error:
            problems.append(f"{file.path}: cannot be read: {error.strerror}")
        except UnparsableError as error:
            problems.append(f"{file.path}:{error.line}: cannot be parsed: {error.reason}")
        except (SyntaxError, ValueError) as error:
            problems.append(f"{file.path}: cannot be decoded: {error}")
    return sorted(found, key=lambda claim: (claim.path, claim.line, claim)), problems
