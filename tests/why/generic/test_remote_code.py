"""A model's own code that fails while it is loaded, with and without config.json in the cache."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rocmlint.why.report import lines_of
from tests.support.fake_site import FakeSite

if TYPE_CHECKING:
    from pathlib import Path

REVISION = "0123456789abcdef"


def log(home: Path, last: str, *, loader: str = "from_pretrained", inner: str = "") -> str:
    folder = f"{home}/modules/transformers_modules/acme/chat_hyphen_8B/{REVISION}"
    return (
        "Traceback (most recent call last):\n"
        '  File "PROJECT/demo.py", line 3, in <module>\n    model = load()\n'
        f'  File "SITE/transformers/models/auto/auto_factory.py", line 593, in {loader}\n'
        "    return model_class.from_pretrained(\n"
        f'  File "{folder}/configuration_chat.py", line 90, in __init__\n'
        f"    if llm_config['architectures'][0] == 'Llama':\n{inner}{last}\n"
    )


def configured(home: Path, version: str) -> None:
    folder = home / "hub" / "models--acme--chat-8B" / "snapshots" / REVISION
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"transformers_version": version}))


@pytest.mark.parametrize(
    ("saved", "verdict", "says"),
    [
        ("", "likely", "not read  transformers_version in config.json"),
        ("4.37.2", "likely", "transformers==4.37.2"),
        ("4.53.1", "unknown", ""),
    ],
)
def test_config_json_says_which_transformers_the_code_is_for(
    saved: str, verdict: str, says: str, tmp_path: Path
) -> None:
    if saved:
        configured(tmp_path / "hf", saved)
    site = FakeSite(tmp_path / "job", {"transformers": "4.53.0"})
    answer = site.why(log(tmp_path / "hf", "KeyError: 'architectures'"))
    shown = "\n".join(lines_of(answer))
    assert answer.verdict == verdict, shown
    assert says in shown


def test_the_library_gets_another_type_from_the_model(tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"transformers": "5.2.0"})
    inner = '  File "SITE/transformers/modeling_utils.py", line 9, in post_init\n    x.keys()\n'
    last = "AttributeError: 'list' object has no attribute 'keys'"
    answer = site.why(log(tmp_path, last, inner=inner))
    assert "transformers 5.2.0 gets a list from remote code of acme/chat-8B" in "\n".join(
        lines_of(answer)
    )


@pytest.mark.parametrize(
    ("last", "loader"),
    [
        ("KeyError: 'spans'", "generate"),
        ("KeyError: 3", "from_pretrained"),
        ("ValueError: no architectures", "from_pretrained"),
        ("AttributeError: 'Thing' object has no attribute 'x'", "from_pretrained"),
    ],
)
def test_other_failures_of_remote_code_stay_unknown(last: str, loader: str, tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"transformers": "4.53.0"})
    answer = site.why(log(tmp_path, last, loader=loader))
    assert answer.verdict == "unknown", "\n".join(lines_of(answer))
