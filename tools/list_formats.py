"""Write the lists of formats outside src: names for pre-commit and for VS Code.

Run it after a change of ``FORMATS``: ``python tools/list_formats.py``. A test fails before.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from rocmlint.formats import FORMATS

ROOT = Path(__file__).parents[1]
_HOOKS = ".pre-commit-hooks.yaml"
_EDITOR = "editors/vscode/src/patterns.ts"
_FIRST = (r"\.(pyi?|pyw|ipynb)$", r"(^|/)[^./]+$")
"""What pre-commit gives besides: Python, notebooks, and names without a suffix, as of scripts."""
_ENDINGS = re.compile(r"\*\.(\w+|\{[\w,]+\})")
"""A glob for all names with some endings."""
_PYTHON = "setup_py"
"""The format of files that are listed as Python."""


def listed() -> dict[str, str]:
    """Return the text of each file with a list, by its path from the root."""
    hooks = (ROOT / _HOOKS).read_text(encoding="utf-8")
    return {_HOOKS: _with_names(hooks), _EDITOR: _patterns()}


def _with_names(hooks: str) -> str:
    """Return the hooks with the names of all formats in place of those that they had."""
    names = [*_FIRST, *(each.path.pattern for each in FORMATS if each.name != _PYTHON)]
    listed = "\n    | ".join(dict.fromkeys(names))
    return re.sub(
        r"(?<=\(\?x\)\n).*?(?=\n  types:)",
        lambda _: f"    {listed}",
        hooks,
        count=1,
        flags=re.DOTALL,
    )


def _patterns() -> str:
    """Return the module of the extension with the globs; those that are only endings are one."""
    globs = [glob for each in FORMATS if each.name != _PYTHON for glob in each.globs]
    endings = [found[1].strip("{}") for glob in globs if (found := _ENDINGS.fullmatch(glob))]
    names = [f"*.{{py,pyi,pyw,{','.join(endings)}}}", "{rocmlint,.rocmlint}.toml"]
    names += [glob for glob in globs if not _ENDINGS.fullmatch(glob)]
    lines = "".join(f'  "**/{glob}",\n' for glob in dict.fromkeys(names))
    return (
        "// Made by tools/list_formats.py.\n\n"
        "/** Patterns of all files that rocmlint lints; some match more names than it does. */\n"
        f"export const PATTERNS: readonly string[] = [\n{lines}];\n"
    )


def main() -> int:
    """Write the files, and print which of them changed."""
    for path, text in listed().items():
        file = ROOT / path
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            print(f"{path} is written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
