"""Checks that a version may be released, and prints what the changelog says about it.

    python tools/release.py 0.2.0 > notes.md

The version must be that of the package and of the VS Code extension, and have a dated section in
CHANGELOG.md. Requires only the standard library.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
_VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
_SECTION = re.compile(r"^## \[(?P<version>[^\]]+)\](?P<date>.*)$", re.MULTILINE)
_LINKS = re.compile(r"^\[[^\]]+\]: ", re.MULTILINE)


def versions(root: Path) -> dict[str, str]:
    """Return the version that each file of the repository states."""
    found = {}
    package = root / "src" / "rocmlint" / "version.py"
    match = _VERSION.search(package.read_text(encoding="utf-8"))
    found[package.relative_to(root).as_posix()] = match[1] if match else "none"
    for name in ("package.json", "package-lock.json"):
        manifest = root / "editors" / "vscode" / name
        stated = json.loads(manifest.read_text(encoding="utf-8"))["version"]
        found[manifest.relative_to(root).as_posix()] = str(stated)
    return found


def notes(changelog: str, version: str) -> str | None:
    """Return the section of a version, without its heading; None if it has none with a date."""
    sections = list(_SECTION.finditer(changelog))
    ends = [*(each.start() for each in sections[1:]), len(changelog)]
    for section, end in zip(sections, ends, strict=True):
        if section["version"] == version and re.match(r" - \d{4}-\d{2}-\d{2}\b", section["date"]):
            return _LINKS.split(changelog[section.end() : end])[0].strip()
    return None


def main(arguments: list[str]) -> int:
    """Print the notes; return 1, and say why, if the version must not be released."""
    (version,) = arguments
    stated = versions(ROOT)
    problems = [f"{path} says {each}" for path, each in stated.items() if each != version]
    text = notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if not text:
        problems.append(f"CHANGELOG.md has no section '## [{version}] - YYYY-MM-DD'")
    for problem in problems:
        print(f"{version} cannot be released: {problem}", file=sys.stderr)
    if text and not problems:
        print(text)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
