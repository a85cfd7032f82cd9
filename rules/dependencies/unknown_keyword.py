"""ROC205, unknown-keyword."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from rocmlint.published.replacements import keyword_advice, keyword_replacement
from rocmlint.rule import Fix, PythonRule, last_name, nodes, walk
from rocmlint.rule.put_aside import is_kept_only

from ._names.cures import bound_for, is_excluded, to_require
from ._names.keywords import (
    KEYWORD_EXCUSES,
    settings_for,
    suspected_calls,
    unknown_keywords,
)
from ._names.missing import enumerated, first_fitting
from ._names.published_names import keyword_history, names
from ._names.reached_code import is_for_some_versions, is_leftover
from ._names.two_lists import disputed
from ._names.uses import WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocmlint.published.name_facts import Signature
    from rocmlint.published.replacements import KeywordAdvice
    from rocmlint.rule import Finding, Source

    from ._names.keywords import UnknownKeywordUse
    from ._names.missing import Missing

_ALIKE = 0.85
"""How alike a misspelled keyword and the right one are, as `difflib` measures it."""


class UnknownKeyword(PythonRule["cst.Call"]):
    """Function does not take this keyword in the version in use.

    ## Why it matters
    ``TrainingArguments(evaluation_strategy=...)`` is a ``TypeError: unexpected keyword argument``
    since transformers 4.51. Which version counts, and how sure that is, is told as for
    removed-name (ROC204).

    Looked at are calls of functions and classes that are imported from accelerate, diffusers,
    huggingface_hub, peft, transformers and trl, and ``super().__init__(...)`` in classes that have
    one of these as their only base. A signature with ``**kwargs`` takes every keyword, and one
    that a decorator may change is not known. All such keywords of a call are one finding for each
    package that took them, at the first of them; so are those that other calls of the file share.

    ## Example
    ```text
    transformers>=4.50
    ```
    ```python
    from transformers import TrainingArguments

    arguments = TrainingArguments(output_dir="out", evaluation_strategy="steps")
    ```

    ## Use instead
    Use the keyword that took its place, or require a version that takes this one.
    ```python
    from transformers import TrainingArguments

    arguments = TrainingArguments(output_dir="out", eval_strategy="steps")
    ```

    ## Fix safety
    Safe where only the name of the keyword changed and all versions that the requirement allows
    take the new one; else unsafe.

    ## References
    - https://huggingface.co/docs/transformers/main_classes/trainer
    """

    code = "ROC205"
    name = "unknown-keyword"
    since = "0.1.0"
    on = nodes(
        "Call",
        words=WORDS,
        opening=True,
        suspects=suspected_calls,
        described="calls, with keywords, of what is imported from "
        "accelerate, diffusers, huggingface_hub, peft, transformers and trl",
    )
    tiers = {  # noqa: RUF012 - a constant of the class, like its code
        "error": "no version that the requirement allows takes the keyword",
        "warning": "the newest version does not take it, or that which only a README names",
        "note": "two lists of the project disagree on the version (once a project)",
    }
    excuses = (*KEYWORD_EXCUSES, is_kept_only)
    doubts = (is_leftover, is_for_some_versions)

    def check(self, node: cst.Call, source: Source) -> Iterator[Finding]:
        """Judge the keywords of a call, package by package: configurations inherit some."""
        by_package: dict[str, list[UnknownKeywordUse]] = {}
        for each in unknown_keywords(node, source):
            if not (each.missing.is_declared or each.missing.is_disputed):
                continue  # reported by undeclared-package
            if self.is_excused(each, source):
                continue
            if each.missing.is_disputed:
                yield disputed(self, each, each.argument, source)
            else:
                by_package.setdefault(each.missing.package, []).append(each)
        for unknown in by_package.values():
            surest = max((each.missing for each in unknown), key=lambda each: each.certain)
            is_doubtful = any(doubt(unknown[0], source) for doubt in self.doubts)
            finding = self.finding(
                unknown[0].argument,
                source,
                _message(unknown),
                help=_advice(unknown, node, source),
                fix=_fix(unknown, node, source),
                severity="note" if is_doubtful else surest.severity,
            )
            names_of = " ".join(sorted(each.name for each in unknown))
            yield replace(finding, once=f"{self.code} {source.path} {unknown[0].called} {names_of}")


def _message(unknown: Sequence[UnknownKeywordUse]) -> str:
    first = unknown[0]
    version, package = first.missing.version, first.missing.package
    inherited = not first.called.startswith(f"{package}.")
    begun = f"`{first.called.rpartition('.')[2]}` takes no"
    where = f"{'with' if inherited else 'in'} {package} {version}"
    listed = enumerated([each.name for each in unknown], "or")
    if len(unknown) == 1:
        told = first.missing.since
        return first_fitting(f"{begun} {listed} {where} ({told})", f"{begun} {listed} {where}")
    others = f"`{first.name}` and other keywords"
    return first_fitting(
        f"{begun} {listed} {where}", f"{begun} {others} {where}", f"{begun} {others}"
    )


def _advice(unknown: Sequence[UnknownKeywordUse], call: cst.Call, source: Source) -> str:
    told = [_instead(each, call, source) for each in unknown]
    bounds = [each.missing.requirement for each in unknown]
    first = unknown[0].missing
    is_cured = not any(_spread(each, call, source) for each in unknown)
    bound = bound_for(bounds, first, source) if is_cured else ""
    if not any(told) and _takes_nothing_now(unknown, call):
        told = (
            [] if bound else [f"do without `{_class(unknown[0])}`: it takes no arguments any more"]
        )
    elif any(told) or ">=" not in bound:
        left = [each.name for each, said in zip(unknown, told, strict=True) if not said]
        told += [_without(left, unknown[0], call)] if left else []
    said = "; ".join(dict.fromkeys(filter(None, told)))
    if bound and (not said or not is_excluded(bound, first, source)):
        required = f"require {to_require(bound, first, source)}"
        if ";" in said:
            said = f"{said}; or {required} and change nothing"
        else:
            said = f"{said}, or {required}" if said else required
    return f"{first.runs_with} {said[0].upper()}{said[1:]}."


def _without(left: Sequence[str], used: UnknownKeywordUse, call: cst.Call) -> str:
    """Advise to leave keywords out; what the call must have then, if it has nothing else."""
    listed = enumerated(left, "and")
    signature = _signature(used)
    taken = () if signature is None else signature.positional
    given = {last_name(each.keyword) if each.keyword else "*" for each in call.args}
    if taken and not given & {"*", *taken}:
        return f"pass what it takes instead of {listed}: {enumerated(taken[:3], 'and')}"
    return f"leave out {listed}"


def _takes_nothing_now(unknown: Sequence[UnknownKeywordUse], call: cst.Call) -> bool:
    """Return whether a class that is left takes nothing of what it took: it does nothing, too."""
    found = _signature(unknown[0])
    return (
        found is not None
        and not (found.positional_only or found.positional or found.keyword_only)
        and len(unknown) == len(call.args) > 1
        and _class(unknown[0])[:1].isupper()
    )


def _class(used: UnknownKeywordUse) -> str:
    return used.called.rpartition(".")[2]


def _signature(used: UnknownKeywordUse) -> Signature | None:
    """Return how what is called is called in the judged release; None where that is not known."""
    known = names(used.dotted)
    return known.signature(used.dotted, used.missing.version) if known is not None else None


def _instead(unknown: UnknownKeywordUse, call: cst.Call, source: Source) -> str:
    """Return what to write for one keyword, "" where that is not known."""
    dotted, keyword, missing = unknown.dotted, unknown.name, unknown.missing
    new = _new_keyword(missing)
    advice = keyword_advice(dotted, keyword)
    if _is_given(new or (advice.new if advice is not None else ""), call):
        return f"leave out `{keyword}`"
    if new:
        return f"write `{new}` instead of `{keyword}`"
    if advice is not None:
        return _told(advice, missing)
    whole = _spread(unknown, call, source)
    if whole:
        others = ", with what `args` has now," if _is_given("args", call) else ""
        return f"pass `args={whole}`{others} instead of its fields"
    settings = settings_for(dotted, keyword, missing.version)
    if settings is not None:
        return f"pass `{keyword}` to `{settings}`"
    alike = _alike(unknown, call)
    return f"write `{alike}` instead of `{keyword}`" if alike else ""


def _alike(unknown: UnknownKeywordUse, call: cst.Call) -> str:
    """Return the parameter that a misspelled keyword is meant for, "" where none is alike."""
    from difflib import get_close_matches  # noqa: PLC0415 - few files need it

    signature, known = _signature(unknown), unknown.missing.history
    if signature is None or (known is not None and known.was_ever_there):
        return ""
    taken = (*signature.positional, *signature.keyword_only)
    left = [each for each in taken if not _is_given(each, call)]
    return next(iter(get_close_matches(unknown.name, left, n=1, cutoff=_ALIKE)), "")


def _spread(unknown: UnknownKeywordUse, call: cst.Call, source: Source) -> str:
    """Return the configuration for a keyword whose fields a call takes by ``**``, "" for none.

    It has the keyword, too: given twice, that fails with every release.
    """
    settings = settings_for(unknown.dotted, unknown.name, unknown.missing.version)
    for each in call.args:
        for node in walk(each.value) if settings is not None and each.star == "**" else ():
            value = source.value_of(node) if isinstance(node, cst.Name) else None
            if isinstance(value, cst.Call) and source.resolve(value.func) == settings:
                return "" if node is each.value else source.text_of(node)
    return ""


def _told(advice: KeywordAdvice, missing: Missing) -> str:
    """Add the release that an advice needs, where an older one may be installed."""
    from packaging.version import Version  # noqa: PLC0415 - few files need it

    lowest = [each.lowest for each in missing.candidates]
    works = not advice.since or all(
        each is not None and each >= Version(advice.since) for each in lowest
    )
    return (
        advice.text if works else f"{advice.text}, and require `{missing.package}>={advice.since}`"
    )


def _new_keyword(missing: Missing) -> str | None:
    """Return the keyword that took its place, if all versions that count take that."""
    new = keyword_replacement(missing.dotted, missing.name)
    taken = keyword_history(missing.dotted, new).at if new else None
    if taken is None or any(taken(each.version) is not True for each in missing.candidates):
        return None
    return new


def _fix(unknown: Sequence[UnknownKeywordUse], call: cst.Call, source: Source) -> Fix | None:
    """Rename what only changed its name; what else is unknown stays, for the user to judge."""
    edits, renamed, safe = [], [], True
    for each in unknown:
        new = _new_keyword(each.missing)
        if new is None or each.argument.keyword is None or _is_given(new, call):
            continue
        edits.append(source.replace(each.argument.keyword, new))
        renamed.append(f"`{new}`")
        safe = safe and each.missing.is_there_throughout(keyword_history(each.dotted, new))
    return Fix(f"Use {' and '.join(renamed)}", tuple(edits), safe=safe) if edits else None


def _is_given(keyword: str, call: cst.Call) -> bool:
    return any(
        each.keyword is not None and last_name(each.keyword) == keyword for each in call.args
    )
