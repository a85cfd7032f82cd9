"""Facts of the project: settings, texts, definitions, findings and requirements in its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.why.facts.all import functions_of
from rocmlint.why.facts.context import Context
from rocmlint.why.facts.value import UnreadFact
from rocmlint.why.log.log_reader import read_text

if TYPE_CHECKING:
    from pathlib import Path

TRACEBACK = """\
Traceback (most recent call last):
  File "/cluster/job/train.py", line 3, in <module>
    main()
ValueError: no
"""


def read(project: Path, fact: str, *arguments: str, log: str = "ValueError: no") -> object:
    """Return what a fact is in a project, for a log."""
    context = context_of(project, log)
    return functions_of(context)[fact](*arguments)


def context_of(project: Path, log: str) -> Context:
    found = Context(read_text(log), str(project))
    found.raised = found.log.chains[0].raised[0] if found.log.chains else None
    return found


@pytest.mark.parametrize(
    ("name", "line", "value"),
    [
        ("train.py", "tokenizer(text, max_length=2048)", 2048),
        ("train.py", "    max_length: int = 1024 * 8", 8192),
        ("train.py", "    max_length: int | None = field(default=512)", 512),
        ("train.py", 'parser.add_argument("--max_length", type=int, default=4_096)', 4096),
        ("run.sh", "python train.py --max-length 1024 --lr 1e-4", 1024),
        ("config.yaml", "max_length: 300", 300),
        ("config.json", '{"max_length": 77}', 77),
        ("config.toml", "max_length = 5", 5),
        ("train.py", "model_max_length = 9", None),
        ("run.sh", "python train.py --model-max-length 9", None),
        ("train.py", "# max_length=2048", None),
        ("train.py", "max_length = args.max_length", None),
    ],
)
def test_a_setting_is_read_in_each_way_it_is_written(
    tmp_path: Path, name: str, line: str, value: int | None
) -> None:
    (tmp_path / name).write_text(line + "\n")
    found = read(tmp_path, "setting", "max_length")
    assert isinstance(found, UnreadFact) if value is None else found == value


def test_of_several_values_that_in_a_file_of_the_frames_counts(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("max_length = 1\n")
    (tmp_path / "other.py").write_text("max_length = 2\n")
    assert isinstance(read(tmp_path, "setting", "max_length"), UnreadFact)
    assert read(tmp_path, "setting", "max_length", log=TRACEBACK) == 1


def test_a_value_in_the_log_counts_more_than_the_project(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("max_length = 1\n")
    log = "python train.py --max_length 3\nValueError: no\n"
    assert read(tmp_path, "setting", "max_length", log=log) == 3


def test_environments_and_hidden_directories_are_left_out(tmp_path: Path) -> None:
    for folder in (".git", "env", "site-packages"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text("max_length = 1\n")
    (tmp_path / "env" / "pyvenv.cfg").touch()
    assert isinstance(read(tmp_path, "setting", "max_length"), UnreadFact)
    context = context_of(tmp_path, "ValueError: no")
    assert functions_of(context)["project_has"]("max_length") is False
    assert [each.fact for each in context.doubts] == ["the files of the project"]


def test_a_text_of_the_project_is_evidence_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("# barrier()\n\ndist.barrier()\n")
    context = context_of(tmp_path, "ValueError: no")
    assert functions_of(context)["project_has"]("barrier(")
    assert [each.source for each in context.evidence] == ["train.py:3"]
    assert functions_of(context)["project_has"]("all_reduce(") is False


def test_a_project_without_any_file_of_the_frames_is_doubted(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("max_length = 1\n")
    context = context_of(tmp_path, TRACEBACK)
    functions_of(context)["setting"]("max_length")
    assert [each.fact for each in context.doubts] == ["the project of the job"]
    (tmp_path / "train.py").write_text("main()\n")
    context = context_of(tmp_path, TRACEBACK)
    functions_of(context)["setting"]("max_length")
    assert not context.doubts


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("compute_loss", "train.py:2 (Mine.compute_loss)"),
        ("Mine.compute_loss", "train.py:2 (Mine.compute_loss)"),
        ("Other.compute_loss", None),
        ("helper", "train.py:4 (helper)"),
    ],
)
def test_a_definition_is_found_with_its_class(tmp_path: Path, name: str, place: str) -> None:
    (tmp_path / "train.py").write_text(
        "class Mine:\n    def compute_loss(self): ...\n\ndef helper(): ...\n"
    )
    assert read(tmp_path, "defines", name) == place


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("if rank == 0:\n    dist.barrier()\n", "train.py:2"),
        ("if dist.get_rank() == 0 and last:\n    engine.save_checkpoint(d)\n", "train.py:2"),
        ("if trainer.is_global_zero:\n    trainer.save_checkpoint(d)\n", "train.py:2"),
        ("if rank == 0:\n    save_checkpoint(model)\n", ""),
        ("if rank == 0:\n    self.save_checkpoint(model)\n", ""),
        ("if rank == 0:\n    print(1)\ndist.barrier()\n", ""),
        ("if rank != 0:\n    dist.barrier()\n", ""),
        ("if epoch == 0:\n    dist.barrier()\n", ""),
    ],
)
def test_a_collective_that_one_rank_calls_is_found(tmp_path: Path, code: str, place: str) -> None:
    (tmp_path / "train.py").write_text(code)
    assert read(tmp_path, "collective_on_one_rank") == place


def test_a_rule_is_asked_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("def train(): ...\n")
    assert read(tmp_path, "rule_finds", "ROC502") == ""
    (tmp_path / "loop.py").write_text(
        "import torch\nimport torch.distributed as dist\n\n"
        "def train(loader, model, optimizer):\n"
        "    for batch in loader:\n"
        "        loss = model(batch).loss\n"
        "        loss.backward()\n"
        "        optimizer.step()\n"
        "        dist.barrier()\n"
    )
    assert read(tmp_path, "rule_finds", "ROC502") == "loop.py:9"


def test_the_version_that_the_project_requires_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, "pinned", "transformers") is None
    (tmp_path / "requirements.txt").write_text("transformers==4.53.2\n")
    assert str(read(tmp_path, "pinned", "transformers")) == "4.53.2"
