"""``rocmlint verify ranks`` on witnesses that differ in one thing, or that are broken."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.project import Project
from tests.support.verify_jobs import MODULE, Job, Results, ranks

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ranks")]


class Folder(Project):
    """Witnesses that can be changed before they are read."""

    def __init__(self, root: Path, witness: dict[str, Any], size: int = 4) -> None:
        super().__init__(root)
        self.ranks = [
            {**copy.deepcopy(witness), "rank": rank, "world_size": size, "pid": 1000 + rank}
            for rank in range(size)
        ]

    def put(self, witness: dict[str, Any], name: str = "") -> Path:
        name = name or f"rank{witness['rank']}"
        return self.write(f"kept/witness.{name}.json", json.dumps(witness))

    def judged(self, *arguments: str) -> Results:
        for each in self.ranks:
            self.put(each)
        return ranks(self, "kept", *(arguments or ("--module", "patched")))


@pytest.fixture(scope="session")
def witness(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the witness of a real process."""
    job = Job(tmp_path_factory.mktemp("job"))
    job.script("import patched")
    (found,) = job.watch(MIOPEN_FIND_MODE="1").witnesses
    return dict(found)


@pytest.fixture
def folder(tmp_path: Path, witness: dict[str, Any]) -> Folder:
    return Folder(tmp_path, witness)


def test_many_ranks_are_told_together(tmp_path: Path, witness: dict[str, Any]) -> None:
    folder = Folder(tmp_path, witness, 100)
    del folder.ranks[5]
    for each in folder.ranks:
        each["environment"] = {"NCCL_ALGO": str(each["rank"])}
    found = folder.judged()
    assert found.one("99 processes", MODULE)["subject"] == "ranks 0-4, 6-99 (99 processes)"
    (evidence,) = found.one("ranks", "variables that choose")["evidence"]
    assert evidence["value"].endswith("\nand 83 more values")


def test_of_a_process_with_two_witnesses_the_last_counts(folder: Folder) -> None:
    before = copy.deepcopy(folder.ranks[0])
    before["began"] -= 1
    before["modules"]["patched"]["now"]["sha256"] = "0"
    folder.put(before, "before")
    assert folder.judged().code == 0


def test_ranks_that_are_alike_and_right_are_proven(folder: Folder) -> None:
    found = folder.judged()
    assert found.code == 0, [each for each in found.all if each["verdict"] != "proven"]


DIFFERENCES = {
    "interpreter": ("the same interpreter", {"binary": "/other/python"}, "binary"),
    "prefix": ("the same interpreter", {"prefix": "/other"}, "prefix"),
    "Python": ("the same interpreter", {"python": "3.13.1"}, "python"),
    "flags": ("interpreter flags", {"flags": {"optimize": 2}}, "sys.flags.optimize"),
    "version": ("versions installed", {"versions": {"numpy": "1.26.4"}}, "numpy"),
    "variable": (
        "variables that choose",
        {"environment": {"MIOPEN_FIND_MODE": "3"}},
        "MIOPEN_FIND_MODE",
    ),
    "unset variable": ("that choose", {"environment": {}}, "MIOPEN_FIND_MODE"),
    "library": (
        "libraries mapped",
        {"libraries": [{"path": "/usr/lib/x86_64-linux-gnu/libc.so.6", "build": "other"}]},
        "libc.so",
    ),
}


@pytest.mark.parametrize(("claim", "change", "name"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_a_rank_that_differs_is_named_with_the_others(
    folder: Folder, claim: str, change: dict[str, Any], name: str
) -> None:
    folder.ranks[2].update(change)
    found = folder.judged()
    (result,) = [
        each for each in found.all if claim in each["claim"] and each["verdict"] != "proven"
    ]
    assert found.code == 1
    lines = {each["name"]: each["value"].splitlines() for each in result["evidence"]}
    assert [line.partition(":")[0] for line in lines[name]] == ["ranks 0-1, 3", "rank 2"]


def gpu(**device: str) -> dict[str, Any]:
    known = {"name": "AMD Instinct MI300X", "architecture": "gfx942:sramecc+:xnack-"}
    return {"version": "2.13.0", "hip": "7.2.26015", "device": {**known, **device}}


@pytest.mark.parametrize(
    ("torch", "name"),
    [
        (gpu(uuid="2", architecture="gfx90a:sramecc+:xnack-"), "architecture"),
        ({**gpu(uuid="2"), "hip": "6.4.43482"}, "HIP"),
    ],
)
def test_another_architecture_or_hip_in_one_rank_is_named(
    folder: Folder, torch: dict[str, Any], name: str
) -> None:
    for rank, each in enumerate(folder.ranks):
        each["torch"] = gpu(uuid=str(rank))
    folder.ranks[2]["torch"] = torch
    result = folder.judged().one("ranks", "the same torch, HIP")
    assert [each["name"] for each in result["evidence"]] == [name]


def test_ranks_with_a_gpu_each_are_proven_to_have_it(folder: Folder) -> None:
    for rank, each in enumerate(folder.ranks):
        each["torch"] = gpu(uuid=str(rank))
    assert folder.judged().verdicts("a GPU of its own") == {"ranks 0-3": "proven"}


def test_two_ranks_on_one_gpu_are_named(folder: Folder) -> None:
    for each, uuid in zip(folder.ranks, "0110", strict=True):
        each["torch"] = gpu(uuid=uuid)
    folder.ranks[3]["host"] = "other"
    assert folder.judged().verdicts("a GPU of its own") == {"ranks 1-2": "contradicted"}


def test_devices_and_caches_may_differ_by_rank(folder: Folder) -> None:
    for rank, each in enumerate(folder.ranks):
        each["environment"] = {"HIP_VISIBLE_DEVICES": str(rank), "TRITON_CACHE_DIR": f"/{rank}"}
    assert folder.judged().code == 0


def test_one_build_may_lie_in_another_folder(folder: Folder) -> None:
    for each in folder.ranks[2]["libraries"]:
        each["path"] = f"/other{each['path']}"
    result = folder.judged().one("ranks", "libraries mapped")
    assert result["verdict"] == "proven", result


def test_two_copies_of_a_rocm_library_in_one_process_are_named(folder: Folder) -> None:
    for name in ("/opt/rocm/lib/libamdhip64.so.7.2", "/site/torch/lib/libamdhip64.so"):
        library = {"path": name, "inode": 1, "deleted": False, "build": None}
        folder.ranks[1]["libraries"].append(library)
    assert folder.judged().one("rank 1", "libamdhip64.so is mapped once")["seen"] == "2 copies"


def test_a_library_that_was_replaced_since_it_was_loaded_is_named(folder: Folder) -> None:
    folder.ranks[3]["libraries"][0]["deleted"] = True
    assert folder.judged().one("rank 3", "on disk")["verdict"] == "contradicted"


def test_the_manifest_is_right_against_three_of_four_ranks(folder: Folder, job: Job) -> None:
    for each in folder.ranks[1:]:
        for when in ("at_import", "now"):
            each["modules"]["patched"][when]["sha256"] = "0" * 64
    found = folder.judged("--manifest", str(job.root / "patched.toml"))
    assert list(found.verdicts(MODULE).values()) == ["proven", *["contradicted"] * 3]


def test_missing_ranks_are_named(folder: Folder) -> None:
    del folder.ranks[1], folder.ranks[2]
    found = folder.judged()
    assert found.code == 3
    assert found.verdicts("is there") == {"rank 1": "unproven", "rank 3": "unproven"}


def test_an_unknown_number_of_ranks_is_not_proven(folder: Folder) -> None:
    for each in folder.ranks:
        each["world_size"] = None
    assert folder.judged().one("the job", "all ranks are there")["verdict"] == "unproven"
    assert folder.judged("--world-size", "4", "--module", "patched").code == 0


def test_a_rank_beyond_the_world_is_of_another_job(folder: Folder) -> None:
    found = folder.judged("--world-size", "2", "--module", "patched")
    assert found.one("ranks 2-3", "one of the job")["verdict"] == "contradicted"


def test_a_rank_that_ended_without_the_module_contradicts(folder: Folder) -> None:
    folder.ranks[0]["modules"] = {}
    assert folder.judged().one("rank 0", "is loaded")["verdict"] == "contradicted"


def test_children_of_a_rank_are_no_second_rank(folder: Folder) -> None:
    child = {**folder.ranks[0], "pid": 77, "parent": folder.ranks[0]["pid"], "start": "spawn"}
    folder.put(child, "child")
    found = folder.judged()
    assert found.code == 0
    assert found.one("pid 77", MODULE)["verdict"] == "proven"


def test_two_processes_of_one_rank_are_told(folder: Folder) -> None:
    folder.put({**folder.ranks[0], "pid": 77, "parent": 1}, "another")
    assert folder.judged().one("rank 0", "is one process")["verdict"] == "unproven"


def test_after_a_restart_only_the_last_start_counts(folder: Folder) -> None:
    before = {**copy.deepcopy(folder.ranks[0]), "pid": 77, "parent": 1, "restart": 0}
    before["modules"]["patched"]["now"]["sha256"] = "0"
    folder.put(before, "before")
    for each in folder.ranks:
        each["restart"] = 1
    assert folder.judged().code == 0


def test_the_same_witness_twice_is_one(folder: Folder) -> None:
    folder.put(folder.ranks[0], "copied")
    assert folder.judged().code == 0


# Broken witnesses


BROKEN = {
    "half": '{"witness": 1, "host": "n',
    "empty": "",
    "foreign": "[]",
    "other version": '{"witness": 99}',
    "damaged": '{"witness": 1, "host": "node", "pid": "x", "errors": []}',
    "deep": "[" * 100_000,
    "binary": "\x00\ud800",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_a_broken_witness_is_one_unproven_result(folder: Folder, text: str) -> None:
    path = folder.write("kept/witness.broken.json", "")
    path.write_bytes(text.encode(errors="surrogatepass"))
    found = folder.judged()
    assert found.code == 3
    assert found.one("witness.broken.json", "can be read")["verdict"] == "unproven"


@pytest.mark.parametrize(
    "comparison",
    [{}, {"module": 1}, {"module": "patched", "unprovable": None}, {"error": "it failed"}],
)
def test_a_damaged_comparison_is_unproven(folder: Folder, comparison: dict[str, object]) -> None:
    folder.ranks[1]["modules"]["patched"] = {"at_import": None, "now": comparison, "moment": "exit"}
    assert folder.judged().verdicts(MODULE)["rank 1"] == "unproven"


def test_what_is_still_being_written_and_other_files_are_left_alone(folder: Folder) -> None:
    folder.write("kept/witness.half.json.12.part", "{")
    folder.write("kept/notes.json", "no witness")
    assert folder.judged().code == 0


def test_an_error_in_a_witness_is_unproven(folder: Folder) -> None:
    folder.ranks[1]["errors"] = ["Traceback:\nOSError: disk full"]
    assert folder.judged().one("rank 1", "is watched")["seen"] == "OSError: disk full"


def test_a_thousand_ranks_are_told_in_groups(tmp_path: Path, witness: dict[str, Any]) -> None:
    folder = Folder(tmp_path, witness, 1000)
    folder.ranks[512]["modules"]["patched"]["now"]["sha256"] = "0" * 64
    for each in folder.ranks[600:700]:
        each["modules"] = {}
    del folder.ranks[700:900]
    found = folder.judged()
    (evidence,) = found.one("ranks", "the same source of the watched modules")["evidence"]
    assert [line.partition(":")[0] for line in evidence["value"].splitlines()] == [
        "ranks 0-511, 513-599, 900-999",
        "rank 512",
    ]
    missing = found.one("ranks 700-899", "is there")
    assert missing["reason"].startswith("ranks 700-899 left no witness: each has died, never")
    without = found.one("ranks 600-699", "patched is loaded")
    assert without["reason"] == "ranks 600-699 ended without importing patched: each ran without it"
    assert len(found.all) < 20


def test_what_a_thousand_ranks_do_wrong_alike_is_told_once(
    tmp_path: Path, witness: dict[str, Any]
) -> None:
    folder = Folder(tmp_path, witness, 1000)
    for number, each in enumerate(folder.ranks):
        each["modules"] = {} if number % 2 else each["modules"]
    found = folder.judged()
    (told,) = [each for each in found.all if "is loaded" in each["claim"]]
    assert told["subject"].startswith("ranks 1, 3, 5, 7, 9, 11,")
    assert told["subject"].endswith(" and 468 more")


def test_a_thousand_witnesses_that_cannot_be_read_are_not_a_thousand_results(
    folder: Folder,
) -> None:
    for number in range(1000):
        folder.write(f"kept/witness.bad{number}.json", "{")
    told = [each for each in folder.judged().all if "cannot be read" in str(each)]
    assert any("984 more witnesses" in str(each) for each in told)
    assert len(told) < 20
