"""The index taken apart into proofs and packed again: it says the same, also of older releases."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from packaging.version import Version

from rocmlint.published import name_data
from rocmlint.published.name_data import NameFile
from rocmlint.published.names import PackageNames
from tools.build_names import proof_file, proofs_of, read_gz, write_gz
from tools.pack_names import Table, answers_of
from tools.unpack_names import Unpacked

OLDEST = "0.0.1"


@pytest.fixture(scope="module")
def shipped() -> PackageNames:
    """Return a small package of the index."""
    return of(Path(name_data.FOLDER) / "accelerate.names")


@pytest.fixture
def work(tmp_path: Path) -> str:
    """Return a folder with the package as proofs."""
    Unpacked(NameFile(os.path.join(name_data.FOLDER, "accelerate.names"))).write(str(tmp_path))
    return str(tmp_path)


def of(path: Path) -> PackageNames:
    return PackageNames(NameFile(str(path)))


def packed(work: str) -> PackageNames:
    """Pack all proofs of a folder."""
    proofs = proofs_of(work, "accelerate")
    table = Table(
        "accelerate", proofs, [answers_of(work, "accelerate", each["version"]) for each in proofs]
    )
    path = os.path.join(work, "accelerate.names")
    name_data.write(path, table.head(), table.pieces())
    return of(Path(path))


def answers(index: PackageNames, version: Version) -> dict[str, object]:
    """Return what is known of a version: each name, and each signature."""
    found: dict[str, object] = {}
    for module in index.modules():
        for dotted in (module, *(f"{module}.{name}" for name in index.names(module))):
            history = index.history(dotted)
            state = None if history is None else history.at(version)
            found[dotted] = (state, index.signature(dotted, version))
    return found


def test_the_index_packed_again_says_the_same(shipped: PackageNames, work: str) -> None:
    again = packed(work)
    assert again.versions == shipped.versions
    for version in shipped.versions[::5]:
        assert answers(again, version) == answers(shipped, version)


def test_an_older_release_changes_nothing_that_is_known_of_the_others(
    shipped: PackageNames, work: str
) -> None:
    """A name that only the older one has is gone from modules that told all their names."""
    oldest = {**proofs_of(work, "accelerate")[0], "version": OLDEST, "told": {}, "untold": []}
    oldest["names"]["accelerate.utils.memory"]["lost_helper"] = "v"
    write_gz(proof_file(work, "accelerate", OLDEST), oldest)
    more = packed(work)
    assert more.versions == (Version(OLDEST), *shipped.versions)
    newest = shipped.versions[-1]
    known, now = answers(shipped, newest), answers(more, newest)
    assert {name: now[name] for name in known} == known
    history = more.history("accelerate.utils.memory.lost_helper")
    assert history is not None
    assert history.at(Version(OLDEST)) is True
    assert history.gone_since(newest) == shipped.versions[0]


def test_a_name_that_others_import_from_elsewhere_is_not_said_to_be_gone(
    shipped: PackageNames, work: str
) -> None:
    """The index keeps no list of what a module merely imports, so it may be there."""
    head = read_gz(proof_file(work, "accelerate", str(shipped.versions[-1])))
    foreign = next(each for each in head["untold"] if each.isidentifier() and each[0] != "_")
    oldest = {**proofs_of(work, "accelerate")[0], "version": OLDEST, "told": {}, "untold": []}
    oldest["names"]["accelerate.utils.memory"][foreign] = "v"
    write_gz(proof_file(work, "accelerate", OLDEST), oldest)
    history = packed(work).history(f"accelerate.utils.memory.{foreign}")
    assert history is not None
    assert history.at(shipped.versions[-1]) is None
