"""What users read is plain English: phrases to avoid, each with a better one.

The tests check the pages and schemas of the docs, the README and its neighbors, the string literals
of the program and of the rules (messages, help texts), and the docstrings that become pages. Each
pattern is narrow, so that ordinary English does not match it. Code in backticks is not checked.

Docstrings that only contributors read have a list of their own: `IN_DOCSTRINGS`. The rooms that do
not follow it yet are in `NOT_YET`, which shrinks.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from rocmlint.rule.documentation import summary
from rocmlint.rule.registry import load_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule.registry import RuleType

pytestmark = pytest.mark.smoke

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))
from rule_authors import authors_page  # noqa: E402 - mkdocs finds it beside its hook

BETTER = {
    # not a valid X
    r"(?<!there )(?<!There )(?<!, )\bis no (?!longer\b|more\b|less\b|different\b|better\b)": (
        "is not a (valid)"
    ),
    r"\bis none of\b": "invalid value 'x' (choose from a, b)",
    r"\bthat (?:is|are) none\b": "an invalid X",
    # verbs
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\btak(?:e|es|en|ing) (?:it |them |that |this )?away\b": "remove",
    r"\btak(?:e|es) (?:it|them|that|this|the \w+) out\b": "remove",
    r"\btid(?:y|ies|ied) up\b": "remove, clean up",
    r"\b(?:hang|hangs|hung) on\b(?! purpose)": "depends on",
    r"\bstand(?:s|ing)? against\b": "blocks, contradicts",
    r"\bstands? (?:in|at|on|beside|behind|below|above|there|here)\b": "is in, is at",
    r"\blies? (?:below|beside|behind|there|here)\b": "is in, is next to",
    r"\bpassed over\b": "ignored, skipped",
    r"\bgo(?:es)? on without\b": "continues without",
    r"\bruns on unpatched\b": "keeps running unpatched",
    r"\bruns nothing (?:there|here|on it)\b|\bwhat runs on it fails\b": "kernels fail on it",
    r"\b(?:is|are) called in another way\b": "takes different arguments",
    r"\b(?:has|have) to be given (?:it|them)\b": "pass it to X",
    r"\bputs? PyPI's \w+ over\b": "replaces X with PyPI's",
    r"\bis asked about, not\b": "this is about X, not Y",
    r"\bbrings? (?:along|ROCm|torch|its own|the libraries)\b": "includes, installs",
    r"\b(?:bear|bears|bore) witness\b": "records its state",
    r"\btells? of\b": "reports, mentions",
    r"\bgives? (?:the|a|an) (?:dtype|model|tensor|module|string)\b": "returns",
    r"\bsays? the (?:dtype|type)\b": "pass `dtype=`",
    r"\bturn(?:s|ed|ing)? (?:the )?(?:pixels|images?|photos?)\b": "rotates",
    r"\breplace[sd]? (?:[\w`]+ ){1,6}by (?:PyPI|the CUDA|that of)": "replaces X with Y",
    # nouns and adverbs
    r"\bfolders?\b": "directory",
    r"\b(?:in|on|of|at) (?:every|each|a|one) turn\b|\bturns? of the (?:\w+ )?loop\b": (
        "on every iteration"
    ),
    r"\b(?:in|at) (?:each|every) (?:training )?step\b": "on every (training) step",
    r"\bdear(?:er|est)?\b": "expensive",
    r"\banew\b": "again",
    r"\bnot told\b": "unknown",
    r"\bnobody (?:reads|knows|gets|says|asks|notices)\b": "no code reads it, unknown, silently",
    r"\bby nobody\b": "not ... by any file",
    r"\bby heart\b": "from a built-in table",
    r"\b(?:in|by|with) the way there\b": "with the chain of requirements",
    r"\bonly for want of\b": "only because it has no",
    r"\b(?:yet|a day) to come\b": "in the future",
    r"\bknown as before\b|\bstays as it was known\b": "unchanged",
    r"\buntil none is left\b": "until it is gone",
    r"\b(?:one|an) installation over another\b": "one was installed over the other",
    r"\bno time is left\b": "out of time",
    r"\bmetadata (?:are|have)\b": "metadata is, has",
    r"\ba user that\b": "a user who",
    r"\bdriver of Windows\b": "Windows driver",
    r"\bby the word of\b": "as reported by",
    r"\bto the letter\b": "exactly",
    r"\bas meant\b": "as intended",
    r"\bhalf[- ]removed\b": "partly removed",
    r"\bin the place of\b": "instead of",
    r"\b(?:files|formats) beside Python\b": "other file formats",
    r"\bthe way back\b": "roll back",
    r"\bwrong usage\b": "usage error",
    r"\bno such folder\b|\bno such file or folder\b": "no such file or directory",
    r"\b(?:fits?|go(?:es)? with) (?:torch|each other|together|this torch)\b": "is compatible with",
    r"\bas its wheel was\b": "still matches its wheel",
    r"\bCtrl-C ends\b": "(Ctrl-C to stop)",
    # one spelling
    r"\b\w*(?:chron|cogn|ntral|quant|rmal|itial|rial|ptim)is(?:e|es|ed|ing|ation)\b": "-ize",
    r"\b(?:colou?red|colours?|behaviours?|labelled|neighbours?|licence)\b(?<!colored)": (
        "color, behavior, labeled, neighbor, license"
    ),
    # where the rules come from is for contributors: docs/development/origins.md
    r"\bSeed 0\d\d\b|\bGator\b|\bseed document": "a public source",
}
IN_DOCSTRINGS = {
    r"^(?:It|What|There)\b": "begin with what it is, or with what the function returns",
    r"\b(?:told|tells?|telling)\b(?! (?:\w+ ){0,3}apart)": "report, print, say, show",
    r"\b(?:stands?|stood|standing)\b(?! for)": "is, is in",
    r"\bbeside\b": "next to, besides, and",
    r"\b(?:brings?|bringing|brought)\b": "install, include, have",
    r"\bmakes? of\b": "return for, conclude from",
    r"\b(?:go|goes|going|went) with\b": "is compatible with, belongs to",
    r"\bhand(?:s|ed|ing)? (?:\w+ )?on\b": "pass on, forward",
    r"\bfor want of\b": "without",
    r"\bthe like\b": "such as",
}
NOT_YET = [
    "rules/dependencies",
    "rules/dtype",
    "rules/export",
    "rules/features",
    "rules/patching",
    "rules/trainer",
    "rules/training",
    "rules/vision",
    "src/rocmlint/cli/parser.py",
    "src/rocmlint/disk",
    "src/rocmlint/editors/server",
    "src/rocmlint/export",
    "src/rocmlint/formats",
    "src/rocmlint/interpreter/inside/job",
    "src/rocmlint/interpreter/inside/parents",
    "src/rocmlint/lint",
    "src/rocmlint/models",
    "src/rocmlint/notebook",
    "src/rocmlint/project",
    "src/rocmlint/published",
    "src/rocmlint/rule",
    "src/rocmlint/source",
    "src/rocmlint/syntax",
    "src/rocmlint/text",
    "src/rocmlint/verify/variables",
]
"""Rooms with docstrings that do not follow it: a directory that does leaves the list."""
FAMILIES = {each.name for each in (ROOT / "rules").iterdir() if (each / "__init__.py").exists()}
PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", ".pre-commit-hooks.yaml"]
NOT_FOR_USERS = {ROOT / "docs" / "development" / "origins.md"}


LONGEST_SUMMARY = 12
HABITS = {
    "article": r"^(?:An?|The)\b",
    "relative clause for a statement": r"^(?:\S+ ){1,3}(?:that|which|where|whose|of which)\b",
    "trailing relative clause": r", (?:that|which|where|whose|of which)\b",
    "doubled word": r"\b(\w+) \1\b",
    "of upon of": r"\bof (?:\S+ ){1,3}of (?:\S+ ){1,3}of\b",
    "no full stop": r"[^.]$",
    "more than 12 words": rf"^(?:\S+ ){{{LONGEST_SUMMARY}}}\S",
}
"""What a summary of a rule is not: it is a statement, a subject with its verb, as short as one."""

_CODE = re.compile(r"``[^`\n]+``|`[^`\n]+`|--[\w-]+")
_FINDINGS = re.compile(r"```console\n\$ rocmlint fixtures.*?^```", re.DOTALL | re.MULTILINE)
"""Findings in the README: they are checked where they are written."""
_PROGRAMS = re.compile(r"^ *```\w*\n.*?^ *```$", re.DOTALL | re.MULTILINE)
_PROGRAM = re.compile(r"^import \w", re.MULTILINE)


class Text(NamedTuple):
    """A piece of text that users read, and where it is."""

    where: str
    text: str


def complaints(texts: Iterator[Text], phrases: dict[str, str] = BETTER) -> str:
    """Return a line for each phrase that there is a better one for."""
    return "\n".join(
        f"{where}: {match[0]!r}: write {better}"
        for where, text in texts
        for pattern, better in phrases.items()
        for match in re.finditer(pattern, " ".join(_CODE.sub("`code`", text).split()))
    )


@cache
def complaints_about_docstrings() -> dict[Path, str]:
    """Return what is wrong with the docstrings of each file, for those with any."""
    paths = [each for room in ("src", "rules") for each in sorted((ROOT / room).rglob("*.py"))]
    found = {path: complaints(docstrings(path), IN_DOCSTRINGS) for path in paths}
    return {path: text for path, text in found.items() if text}


def docstrings(path: Path) -> Iterator[Text]:
    """Yield the docstrings of a file, those of constants and fields too, without their programs."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                text = _PROGRAMS.sub("", node.value.value)
                yield Text(f"{path.relative_to(ROOT)}:{node.lineno}", text)


def habits(sentence: str) -> list[str]:
    """Return what keeps a summary from being a short statement."""
    return [name for name, pattern in HABITS.items() if re.search(pattern, sentence)]


def of_pages() -> Iterator[Text]:
    published = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs" / "schema").glob("*.json")]
    for path in [*map(ROOT.joinpath, PAGES), *sorted(published)]:
        if path not in NOT_FOR_USERS:
            text = _FINDINGS.sub("", path.read_text())
            for number, paragraph in enumerate(text.split("\n\n"), 1):
                yield Text(f"{path.relative_to(ROOT)}, paragraph {number}", paragraph)


def of_literals(folder: Path) -> Iterator[Text]:
    """Yield the string literals of several words in a directory, but no docstrings."""
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text())
        own = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = node.values
                own |= {id(part) for part in parts}
                words = [str(p.value) if isinstance(p, ast.Constant) else "{}" for p in parts]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                words = [node.value] if id(node) not in own else []
            else:
                continue
            text = "".join(words)
            if " " in text.strip() and not _PROGRAM.search(text):
                yield Text(f"{path.relative_to(ROOT)}:{node.lineno}", text)


def of_rules() -> Iterator[Text]:
    """Yield the documentation of the rules, of their tiers, excuses and doubts."""
    for rule in load_rules():
        yield Text(f"{rule.code}, its page", inspect.getdoc(rule) or "")
        for severity, line in rule.tiers.items():
            yield Text(f"{rule.code}, {severity}", line)
        for each in (*rule.excuses, *rule.doubts):
            yield Text(f"{rule.code}, {each.__name__}", inspect.getdoc(each) or "")


def of_reference() -> Iterator[Text]:
    """Yield the docstrings that the reference of the Python API shows, as it reads them."""
    griffe = pytest.importorskip("griffe")
    package = griffe.load("rocmlint", search_paths=[ROOT / "src"], allow_inspection=False)
    pages = [ROOT / "docs" / name for name in ("api.md", "testing-rules.md")]
    for name, members in directives("\n".join([authors_page(), *(p.read_text() for p in pages)])):
        shown = package[name.removeprefix("rocmlint.")]
        yield from of_object(shown, members=not members)
        for member in (shown[each] for each in members):
            yield from of_object(member.final_target if member.is_alias else member, members=True)


def directives(page: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what each directive for mkdocstrings shows: a name, and the members if it says so."""
    pattern = r"^::: (\S+)(?:\n    options:\n      members: \[(.*)\])?"
    for name, members in re.findall(pattern, page, re.MULTILINE):
        yield name, members.split(", ") if members else []


def of_object(shown: Any, *, members: bool) -> Iterator[Text]:
    if shown.docstring:
        yield Text(shown.path, shown.docstring.value)
    for name, each in shown.members.items() if members and shown.is_class else ():
        if not name.startswith("_") and not each.is_alias:
            yield from of_object(each, members=True)


def test_the_reference_is_in_plain_english() -> None:
    texts = list(of_reference())
    assert len(texts) > 200
    assert complaints(iter(texts)) == ""


def test_pages_are_in_plain_english() -> None:
    assert complaints(of_pages()) == ""


def test_messages_and_help_texts_are_in_plain_english() -> None:
    assert complaints(of_literals(ROOT / "src")) == ""


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_messages_of_rules_are_in_plain_english(family: str) -> None:
    assert complaints(of_literals(ROOT / "rules" / family)) == ""


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.name)
def test_the_summary_of_a_rule_is_a_short_statement(rule: RuleType) -> None:
    assert habits(summary(rule)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A flag that is set by hand.", ["article", "relative clause for a statement"]),
        ("Requirements that no releases can meet.", ["relative clause for a statement"]),
        ("Two variables of which one is ignored.", ["relative clause for a statement"]),
        ("Tensor is passed to `log`, which writes JSON.", ["trailing relative clause"]),
        ("Images are handed on on every step.", ["doubled word"]),
        ("Wheel of the index of a version of ROCm is old.", ["of upon of"]),
        ("Fast path is commented out", ["no full stop"]),
        (" ".join(["Fast path"] * 7) + ".", ["more than 12 words"]),
        ("Patch sets an attribute that the package no longer has.", []),
    ],
)
def test_a_habit_in_a_summary_is_found(text: str, found: list[str]) -> None:
    assert habits(text) == found


def test_pages_of_rules_are_in_plain_english() -> None:
    assert complaints(of_rules()) == ""


def test_docstrings_are_in_plain_english() -> None:
    rooms = [ROOT / each for each in NOT_YET]
    wrong = complaints_about_docstrings().items()
    assert [text for path, text in wrong if not {path, *path.parents} & {*rooms}] == []


@pytest.mark.parametrize("room", NOT_YET)
def test_a_room_in_plain_english_leaves_the_list(room: str) -> None:
    assert any(ROOT / room in {path, *path.parents} for path in complaints_about_docstrings())


@pytest.mark.parametrize(
    ("docstring", "words"),
    [
        ("What a wheel brings beside torch.", ["What", "beside", "brings"]),
        ("Return what stands in a file.", ["stands"]),
        ("Return the name that a letter stands for, and tell two files apart.", []),
        ("Hand it on, or use `tell`; besides, nothing is made of it.", []),
        ("Return what pip hands on to a build, and the like.", ["hands on", "the like"]),
    ],
)
def test_a_word_for_better_ones_in_a_docstring_is_found(docstring: str, words: list[str]) -> None:
    found = complaints(iter([Text("here", docstring)]), IN_DOCSTRINGS).splitlines()
    assert [each.split("'")[1] for each in found] == words


@pytest.mark.parametrize(
    "text",
    [
        "There is no GPU on this machine, and it is no longer supported.",
        "torch is not installed; pip install torch",
        "Something hangs on purpose.",
        "Turn the rule off, or turn on preview.",
        "the file was replaced by train.py:11",
        "The result depends on the environment, and goes on to the next step.",
        "It tells pip which index to use.",
    ],
)
def test_ordinary_english_is_left_alone(text: str) -> None:
    assert complaints(iter([Text("here", text)])) == ""


@pytest.mark.parametrize(
    "text",
    [
        "'x' is no requirement",
        "it is none of auto, always, never",
        "take it away, or the comment hides the next real problem",
        "the results that hang on it",
        "runs in every turn of the training loop",
        "An install that can replace the ROCm build of torch by PyPI's",
        "copied one folder too high",
    ],
)
def test_what_has_a_better_word_is_found(text: str) -> None:
    assert complaints(iter([Text("here", text)])) != ""
