"""Logs of several processes: whose exception is whose, and which came first."""

from __future__ import annotations

from textwrap import dedent

import pytest

from rocmlint.why.log.log_reader import read_text

ROOT = dedent("""\
    E1128 12:00:09.000000 4242 torch/distributed/elastic/multiprocessing/api.py:833] failed \
    (exitcode: 1) local_rank: 1 (pid: 4244) of binary: /opt/venv/bin/python3.12
    Traceback (most recent call last):
      File "/opt/venv/bin/torchrun", line 8, in <module>
        sys.exit(main())
      File "/opt/venv/lib/python3.12/site-packages/torch/distributed/launcher/api.py", line 264
        raise ChildFailedError(
    torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
    ============================================================
    train.py FAILED
    ------------------------------------------------------------
    Failures:
      <NO_OTHER_FAILURES>
    ------------------------------------------------------------
    Root Cause (first observed failure):
    [0]:
      time      : 2025-11-28_12:00:08
      host      : gpu01
      rank      : 1 (local_rank: 1)
      exitcode  : 1 (pid: 4244)
      error_file: <N/A>
      traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
    ============================================================
    """)


def traceback(message: str, kind: str = "ValueError") -> list[str]:
    return [
        "Traceback (most recent call last):",
        '  File "/w/train.py", line 9, in <module>',
        "    main()",
        f"{kind}: {message}",
    ]


def interleaved(prefixes: list[str], kind: str = "ValueError") -> str:
    """Write the tracebacks of several processes, one line of each at a time."""
    rows = zip(*(traceback(f"of {each}", kind) for each in range(len(prefixes))), strict=True)
    return "".join(
        f"{prefix}{line}\n" for row in rows for prefix, line in zip(prefixes, row, strict=True)
    )


PREFIXES = {
    "torch": "[rank{}]: ",
    "torchrun --tee": "[default{}]:",
    "mpirun": "[1,{}]<stderr>:",
    "srun --label": "{}: ",
    "lightning": "[rank: {}] ",
    "ray": "(Worker pid=10{}) ",
    "ray on several nodes": "(Worker pid=1, ip=10.0.0.{}) ",
    "docker compose": "web-{}  | ",
    "vllm": "(Worker_TP{0} pid=7{0}) ERROR 11-28 12:00:00 [core.py:12] ",
    "journalctl": "Nov 28 12:00:00 gpu01 python[424{}]: ",
}


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
def test_the_lines_of_processes_may_be_interleaved(prefix: str) -> None:
    chains = read_text(interleaved([prefix.format(each) for each in range(3)])).chains
    assert [each.raised[0].message for each in chains] == ["of 0", "of 1", "of 2"]
    assert all(len(each.raised[0].frames) == 1 for each in chains)


@pytest.mark.parametrize("prefix", list(PREFIXES.values())[:5], ids=list(PREFIXES)[:5])
def test_the_rank_is_known(prefix: str) -> None:
    chains = read_text(interleaved([prefix.format(each) for each in range(3)])).chains
    assert [each.rank for each in chains] == [0, 1, 2]


def test_the_rank_that_failed_first_comes_first() -> None:
    log = read_text(interleaved(["[rank0]: ", "[rank1]: "]) + ROOT)
    assert [each.rank for each in log.chains] == [1, 0, None]
    assert log.failure is not None
    assert (log.failure.rank, log.failure.exit_code, log.failure.pid) == (1, 1, 4244)
    assert log.binary == "/opt/venv/bin/python3.12"


def test_the_exception_without_a_prefix_is_of_the_rank_that_failed() -> None:
    log = read_text("\n".join([*traceback("x"), ROOT]))
    assert (log.chains[0].raised[0].type, log.chains[0].rank) == ("ValueError", 1)


def test_one_of_several_without_a_prefix_may_be_of_any_rank() -> None:
    log = read_text("\n".join([*traceback("x"), *traceback("y"), ROOT]))
    assert [each.rank for each in log.chains] == [None, None, None]


def test_what_follows_from_another_failure_comes_last() -> None:
    echo = traceback("Connection closed by peer", "RuntimeError")
    text = "\n".join(f"[rank0]: {line}" for line in echo)
    text += "\n" + "\n".join(f"[rank1]: {line}" for line in traceback("x"))
    assert [each.rank for each in read_text(text).chains] == [1, 0]


def test_a_warning_comes_after_the_error() -> None:
    text = "\n".join(["FutureWarning: weights_only", *traceback("x")])
    types = [each.raised[0].type for each in read_text(text).chains]
    assert types == ["ValueError", "FutureWarning"]


def test_the_same_exception_again_is_left_out() -> None:
    text = "\n".join([*traceback("x"), *traceback("x"), "ERROR: ValueError: x"])
    assert len(read_text(text).chains) == 1


def test_the_first_task_that_srun_names_failed_first() -> None:
    text = interleaved(["0: ", "1: "]) + "srun: error: gpu01: task 1: Exited with exit code 1\n"
    assert [each.rank for each in read_text(text).chains] == [1, 0]


def test_lines_below_a_marked_one_are_of_its_process() -> None:
    text = "(Worker pid=7) " + "\n".join(traceback("x")) + "\n(Worker pid=8) done\n"
    (chain,) = read_text(text).chains
    assert chain.raised[0].frames[0].file == "/w/train.py"
