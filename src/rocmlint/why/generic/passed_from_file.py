"""Keywords that a package reads from a file and passes to its own class, which does not take them.

The file was written by another release: no call has to change, but the file or the release.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmlint.published.names import names_of
from rocmlint.text.written import minor_release
from rocmlint.why.answer import Action
from rocmlint.why.facts.packages.package_names import table
from rocmlint.why.generic.parts import made, where

if TYPE_CHECKING:
    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.packages.package_names import NameChange, Release
    from rocmlint.why.generic.parts import OwnedFrame

_FILES = (
    ("peft/config.py", "adapter_config.json"),
    ("accelerate/commands/config/config_args.py", "accelerate's default_config.yaml"),
    ("transformers/generation/configuration_utils.py", "generation_config.json"),
    ("transformers/configuration_utils.py", "config.json"),
    ("transformers/tokenization_utils_base.py", "tokenizer_config.json"),
    ("transformers/image_processing_base.py", "preprocessor_config.json"),
    ("transformers/feature_extraction_utils.py", "preprocessor_config.json"),
    ("transformers/processing_utils.py", "processor_config.json"),
    ("diffusers/configuration_utils.py", "config.json"),
)
"""Files of packages that read another file, and that one."""
_UNPACKS = re.compile(r"\(.*\*\*\w+")
_WEIGHT = 28


def file_passed(place: OwnedFrame | None) -> str:
    """Return the file whose keys a frame passes as keywords; empty where it does not."""
    if place is None or not _UNPACKS.search(place.frame.code):
        return ""
    path = place.frame.file.replace("\\", "/")
    return next((file for ending, file in _FILES if path.endswith(f"/{ending}")), "")


def writer(file: str, change: NameChange) -> str:
    """Return which release wrote a file that has a key which the installed one does not take."""
    return f"{'an older' if change.gone is not None else 'a newer'} release wrote it to {file}"


def without(file: str, keyword: str) -> Action:
    """Return the edit of the file."""
    return Action(f"or delete {keyword} from {file}, if its value there is false or null")


def of_no_release(  # noqa: PLR0913, PLR0917 - what the message, the frame and the index say
    context: Context, place: OwnedFrame, dotted: str, release: Release, keyword: str, message: str
) -> Explanation | None:
    """Explain a key that no release in the index takes; None where one may take it."""
    known, file = names_of(dotted.partition(".")[0]), file_passed(place)
    history = known.keyword(dotted, keyword) if known is not None else None
    if history is None or not file or release.version is None or history.there:
        return None
    first, last = map(minor_release, (history.versions[0], history.versions[-1]))
    if (
        history.at(history.versions[0]) is not False
        or history.at(history.versions[-1]) is not False
    ):
        return None
    name = dotted.rpartition(".")[2]
    context.saw(f"{name}({keyword}=)", f"in no release from {first} to {last}", table())
    return made(
        context,
        "signature",
        f"{file} has {keyword}, which {name} of {release} does not take: a release older than"
        f" {release.name} {first}, or another package, wrote it",
        weight=_WEIGHT,
        where=where(place),
        actions=(
            Action(f"delete {keyword} from {file}, if what it sets is not needed"),
            Action(f"or load it with the {release.name} that wrote it: no newer one takes it"),
        ),
        missing=(release.unread,),
        table=table(),
        message=message,
    )
