"""ROC301, disabled-feature-toggle."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from rocmlint.rule import Comment, Option, PythonRule, Text, comments, compile_lazily
from rocmlint.rule.claims import fast_path

from ._commented_code import indent_of, passages_around
from ._live_code import block_around, indent_of_neighbour, live_lines
from ._toggles import ATTENTION, WORDS, find_toggle

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rocmlint.rule import Finding, On, Source

    from ._commented_code import Passage
    from ._toggles import Toggle

_REASON = compile_lazily(
    r"://|#\d+\b|\bgh-\d|n't\b|\b(?:because|since|due to|so (?:that|we|it|the|i)"
    r"|as (?:it|this|the|they|we)|avoid|otherwise|instead|until|unless|when|only|already|not|cannot"
    r"|no longer|without|never|fail\w*|errors?|crash\w*|break\w*|broken|bugs?|issues?|problems?"
    r"|oom|out of memory|slow\w*|nans?|wrong|incorrect|incompatib\w*|conflict\w*|unsupported"
    r"|deprecated|remove\w*|disable\w*|turn(?:ed)? off|temporar\w*|for now|workaround|hack|if you"
    r"|your|uncomment\w*|comment out|optional\w*|recommend\w*|needs?|needed|requires?|required|must"
    r"|yet|too|debug\w*|hangs?|deadlocks?|leaks?|unstable|usage|examples?|e\.g|i\.e|equivalent|note"
    r"|if using|if torch)\b|^if\b",
    re.IGNORECASE | re.MULTILINE,
)
_LONG_EXPLANATION = 20
_DEAD_LINES = 4
_REACH = 6
_SHOWN = 50
_REACH_IN_CALL = 40
_OTHER_HARDWARE = compile_lazily(r"\b(?:torch_)?(?:npu|xpu|hpu|mps|mlx|tpu)\b")
_NOTEBOOK = compile_lazily(r"^# ?(?:In ?\[[ \d]*\]|%%)", re.MULTILINE)
_LABEL = compile_lazily(r"(?:^|[(,\[{])\s*(?:True|False|None|[\d.]+),$")


def _comments_with(words: tuple[str, ...]) -> On:
    where = "#.*(?:" + "|".join(map(re.escape, words)) + ")"
    return comments(where, words, "comments that name a fast path")


class DisabledFeatureToggle(PythonRule[Comment]):
    """A fast path that is switched off by a comment sign, with no word of why.

    ## Why it matters
    ``# set_use_aiter_attention(True)`` or ``# attn_implementation="flash_attention_2"`` is what
    is left when a call failed and somebody wanted the script to run: the function is missing
    because a patched or newer file is not the one that is loaded, the kernel because a package
    was built for another PyTorch. The run goes on two to four times slower, nothing says so, and
    published numbers are those of the slow path.

    ## Instead
    Find out what failed: ``inspect.getfile`` tells which file is loaded, ``pip show`` which
    package. Mend that and restore the line. If it stays off, write the reason or the issue's
    link into the comment, or delete it.

    Found are comments that read as one statement, or as arguments of a call, that switch
    attention, AITER, TF32, Liger or fused kernels on. With ``--preview`` also torch.compile,
    gradient checkpointing, offloading, slicing and tiling, which are often left off on purpose.
    Nothing is said where a reason stands beside the comment, where live code around it does the
    same, in long blocks of dead code, in tests and in exported notebooks. There is no fix: to
    bring the line back is to hide the cause once more.

    ## Options
    - ``toggles``: further names of functions, arguments, attributes and environment variables
      that switch a fast path on.

    ## Source
    Seed 000, "Never Fake Checks or Disable Features".
    """

    code = "ROC301"
    name = "disabled-feature-toggle"
    since = "0.1.0"
    severity = "warning"
    on = _comments_with(WORDS)
    skips = frozenset({"test", "docs"})
    options = {  # noqa: RUF012 - a constant of the class, like its code
        "toggles": Option("strings", (), "further names that switch a fast path on")
    }

    def __init__(self, *, settings: Mapping[str, object], preview: bool = False) -> None:
        """Look for the toggles of the user as well."""
        super().__init__(settings=settings, preview=preview)
        names = settings["toggles"]
        self._more = tuple(names) if isinstance(names, (list, tuple)) else ()
        if self._more:
            self.on = self.on | _comments_with(self._more)

    def check(self, node: Comment, source: Source) -> Iterator[Finding]:
        """Find comments that are a toggle, and see whether they may stand as they are."""
        passages = passages_around(node, source)
        here = next((each for each in passages if node in each.comments), None)
        toggle = find_toggle(here.code, self._more) if here is not None else None
        if here is None or toggle is None or here.first + toggle.line - 1 != node.line:
            return
        if (toggle.doubtful or toggle.feature.doubtful) and not self.with_preview:
            return
        if _OTHER_HARDWARE.search(here.text) or _NOTEBOOK.search(source.text):
            return
        if _is_explained(here, passages, source) or _is_dead(here, passages):
            return
        if not _is_part_of_live_code(here, toggle, source):
            return
        text = re.sub(r"\s+", " ", node.body.rstrip(",").strip())
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        message = (
            f"`{shown}` is commented out and nothing says why, so {toggle.feature.title} is off. "
            "Restore it, or write the reason (an issue's link) beside it."
        )
        if not toggle.feature.doubtful:
            message += " If it fails, `inspect.getfile` tells which files are loaded."
        claims = () if toggle.feature.doubtful else (fast_path(toggle.key, toggle.value),)
        yield self.finding(node, source, message, claims=claims)


def _is_explained(here: Passage, passages: Sequence[Passage], source: Source) -> bool:
    """Say whether a reason stands in or beside the comment; a heading is none."""
    others = [each.text for each in passages if each is not here]
    inside = [each.body for each in Text(here.text).comments]
    beside = [
        each.body
        for each in source.comments
        if each.line in {here.first - 1, here.last + 1} and not each.own_line
    ]
    text = "\n".join([*others, *inside, *beside])
    prose = " ".join(each.text for each in passages if not each.code)
    return (
        _REASON.search(text) is not None
        or any(letter.isalpha() for letter in text if not letter.isascii())
        or len(prose.split()) > _LONG_EXPLANATION
    )


def _is_dead(here: Passage, passages: Sequence[Passage]) -> bool:
    """Say whether the toggle is one line of many that are commented out together."""
    others = [each for each in passages if each.code and each is not here]
    return sum(len(each.comments) for each in others if not find_toggle(each.code)) > _DEAD_LINES


def _is_part_of_live_code(here: Passage, toggle: Toggle, source: Source) -> bool:
    """Say whether the toggle would do something where it stands, and nothing else does it."""
    lines, comment = live_lines(source), here.comments[0]
    indent, inside = comment.column - 1, indent_of(comment)
    if not comment.own_line:
        before = lines[comment.line - 1].rstrip()
        argument = isinstance(here.code[0], ast.keyword) and before.endswith((",", "("))
        if not argument or _LABEL.search(before):
            return False
        indent = len(before) - len(before.lstrip())
    elif inside > 2:
        outside = indent_of_neighbour(lines, here.first, here.last)
        if abs(indent + 1 + inside - outside) > 1:
            return False
        indent = outside
    return not (
        _is_replaced(here, toggle, lines, indent)
        or _is_superseded(toggle, lines)
        or _names_what_is_gone(toggle, source)
    )


def _is_replaced(here: Passage, toggle: Toggle, lines: list[str], indent: int) -> bool:
    """Say whether live code beside the comment does the same, or gives the target a value."""
    is_argument = isinstance(toggle.node, ast.keyword)
    reach = _REACH_IN_CALL if is_argument else _REACH
    around = list(block_around(lines, here.first, here.last, indent, reach))
    if not here.comments[0].own_line:
        around.append(lines[here.first - 1])
    same = rf"\b_*{re.escape(toggle.key)}\b"
    if toggle.feature.live and (is_argument or toggle.feature.doubtful):
        same += f"|{toggle.feature.live}"
    if any(re.search(same, line) for line in around):
        return True
    if not isinstance(toggle.node, ast.Assign):
        return False
    target = re.escape(ast.unparse(toggle.node.targets[0]))
    assigned = re.compile(rf"\s*{target}\s*=(?!=)(?!.*\b{target}\b)")
    return any(map(assigned.match, lines[here.last : here.last + 1]))


def _is_superseded(toggle: Toggle, lines: Sequence[str]) -> bool:
    """Say whether the switch is elsewhere by now: a patch has become an option of transformers.

    Or the flag is one of ``self`` that nothing reads, or the user's option is read by other code.
    """
    node = toggle.node
    if toggle.feature is ATTENTION and toggle.key.startswith(("replace_", "patch_", "apply_")):
        return any("attn_implementation" in line for line in lines)
    if isinstance(node, (ast.Assign, ast.keyword)) and isinstance(node.value, ast.Attribute):
        return any(ast.unparse(node.value) in line for line in lines)
    if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Call):
        flag = ast.unparse(node.targets[0])
        return flag.startswith("self.") and not any(
            re.search(rf"\b{re.escape(flag)}\b", line) for line in lines
        )
    return False


def _names_what_is_gone(toggle: Toggle, source: Source) -> bool:
    """Say whether the toggle needs a name that no live code has: more is gone than a toggle."""
    called = {each.func for each in ast.walk(toggle.node) if isinstance(each, ast.Call)}
    names = {
        each.id
        for each in ast.walk(toggle.node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each not in called
    }
    return not all(re.search(rf"(?<![\w.]){name}\b", source.code) for name in names)
