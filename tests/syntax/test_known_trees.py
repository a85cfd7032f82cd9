"""A file that is linted version by version has the findings of one that is linted alone."""

from __future__ import annotations

from rocmlint.config.configuration import Configuration
from rocmlint.lint.linter import Linter
from rocmlint.syntax.known_trees import KnownTrees

HEAD = "from PIL import Image, ImageOps\n\n\n"
LOSES = """\
def f(path):
    image = Image.open(path)
    ImageOps.exif_transpose(image)
    return image


"""
KEEPS = LOSES.replace("    ImageOps.", "    image = ImageOps.")
VERSIONS = (
    HEAD + LOSES + KEEPS,
    HEAD + LOSES + LOSES + KEEPS,
    HEAD + KEEPS + LOSES + LOSES,
    "\n" + HEAD + KEEPS + LOSES,
    HEAD + "def f(:\n" + LOSES,
    HEAD + LOSES + LOSES + LOSES,
    "",
    HEAD + LOSES + KEEPS,
)


def test_the_findings_of_each_version_are_those_of_the_text_alone() -> None:
    linter = Linter(Configuration(isolated=True).settings_for("/"))
    known = KnownTrees()
    found = []
    for text in VERSIONS:
        with known.used():
            found.append(linter.lint_text("a.py", text).findings)
    assert found == [linter.lint_text("a.py", text).findings for text in VERSIONS]
    assert [len(each) for each in found] == [1, 2, 2, 1, 1, 3, 0, 1]


def test_only_what_has_changed_is_parsed_again() -> None:
    known = KnownTrees()
    parsed: list[str] = []

    def parse(text: str) -> object:
        parsed.append(text)
        return object()

    for texts in (["a", "b", "a"], ["a", "c", "a", "a"], ["c"]):
        with known.used():
            trees = [known.tree_of(each, parse) for each in texts]  # type: ignore[arg-type]
        assert len({*map(id, trees)}) == len(texts)
    assert parsed == ["a", "b", "a", "c", "a"]
