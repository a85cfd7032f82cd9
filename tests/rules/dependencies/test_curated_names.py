"""The curated tables of names and keywords against the index of the releases."""

from __future__ import annotations

import pytest
from packaging.version import Version

from rocmlint.published import replacements as _replacements
from rocmlint.published import requirements as published
from rocmlint.published.names import GONE_BEFORE, names_of
from rocmlint.rules.dependencies._names.published_names import has, has_successor


@pytest.mark.parametrize(("old", "replacement"), _replacements.NAMES.items())
def test_a_replacement_is_there_where_the_old_name_is_gone(
    old: str, replacement: _replacements.Replacement
) -> None:
    known = names_of(old.partition(".")[0])
    assert known is not None
    assert has(old, known.versions[-1]) is False
    if names_of(replacement.new.partition(".")[0]) is None:
        pytest.skip("the other package is not in the index")
    assert has_successor(old, replacement.new, known.versions[-1])


@pytest.mark.parametrize("old", GONE_BEFORE)
def test_what_was_gone_before_the_index_begins_is_in_none_of_its_releases(old: str) -> None:
    owner, _, name = old.rpartition(".")
    known = names_of(old.partition(".")[0])
    assert known is not None
    assert Version(GONE_BEFORE[old]) < known.versions[0]
    for found in (known.history(old), known.member(owner, name)):
        assert found is not None
        assert not found.there


@pytest.mark.parametrize("old", _replacements.ADVICE)
def test_advice_is_given_for_what_is_gone(old: str) -> None:
    package, _, name = old.partition(".")
    known = names_of(package)
    newest = known.versions[-1] if known else published.releases(package)[-1]
    modules = (
        *("", ".utils", ".optimization", ".cache_utils", ".modeling_utils"),
        ".tokenization_utils_base",
    )
    assert any(has(f"{package}{each}.{name}", newest) is False for each in modules)


@pytest.mark.parametrize(("ending", "keyword"), _replacements.KEYWORD_ADVICE)
def test_advice_is_given_for_keywords_that_are_gone(ending: str, keyword: str) -> None:
    package = {"TrainingArguments": "transformers", "hf_hub_download": "huggingface_hub"}
    known = names_of(package.get(ending, "trl"))
    assert known is not None
    assert known.keyword(f"{known.package}.{ending}", keyword).at(known.versions[-1]) is False


@pytest.mark.parametrize("keyword", _replacements.KEYWORDS)
def test_a_keyword_s_successor_is_taken_where_the_old_one_is_not(keyword: str) -> None:
    callables = (
        *("transformers.TrainingArguments", "transformers.Trainer"),
        *("transformers.masking_utils.create_causal_mask", "accelerate.Accelerator"),
        "huggingface_hub.hf_hub_download",
    )
    judged = []
    for dotted in callables:
        known = names_of(dotted.partition(".")[0])
        assert known is not None
        new = _replacements.keyword_replacement(dotted, keyword)
        if new is not None:
            newest = known.versions[-1]
            assert known.keyword(dotted, keyword).at(newest) is False
            assert known.keyword(dotted, new).at(newest) is True
            judged.append(dotted)
    assert judged
