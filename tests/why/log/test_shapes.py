"""The shapes in which exceptions come: each log, and the exceptions that it shows."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from rocmlint.why.log.log_reader import read_text

MISSING = "cannot import name 'AutoModelForVision2Seq' from 'transformers' (/v/transformers.py)"
TRACEBACK = f"""\
Traceback (most recent call last):
  File "/w/train.py", line 3, in <module>
    from transformers import AutoModelForVision2Seq
ImportError: {MISSING}
"""
FRAMES = [("/w/train.py", 3)]


def prefixed(prefix: str, text: str = TRACEBACK) -> str:
    """Write a prefix in front of each line."""
    return "".join(f"{prefix}{line}" for line in text.splitlines(keepends=True))


ONE = {
    "plain": TRACEBACK,
    "windows": TRACEBACK.replace("\n", "\r\n"),
    "classic mac": TRACEBACK.replace("\n", "\r"),
    "indented": prefixed("    "),
    "quoted in an issue": prefixed("> "),
    "quoted twice": prefixed("> > "),
    "in fences": f"It fails:\n```python\n{TRACEBACK}```\nAny help?",
    "without its first line": TRACEBACK.partition("\n")[2],
    "in color": TRACEBACK.replace("ImportError", "\x1b[1;31mImportError\x1b[0m"),
    "behind a progress bar": f"\r 10%|#  | 1/9\r 20%|## | 2/9{TRACEBACK}".replace("9Tr", "9\nTr"),
    "torchrun": prefixed("[rank0]: "),
    "torchrun --tee": prefixed("[default0]:"),
    "mpirun": prefixed("[1,0]<stderr>:"),
    "srun --label": prefixed("0: "),
    "pdsh": prefixed("worker-1: "),
    "ray": prefixed("(RayWorkerWrapper pid=123, ip=10.0.0.7) "),
    "vllm": prefixed("(EngineCore_0 pid=99) ERROR 11-28 12:00:00 [core.py:12] "),
    "older vllm": prefixed("ERROR 11-28 12:00:00 engine.py:389] "),
    "vllm's workers": prefixed("(EngineCore_DP0 pid=7) (Worker_TP1 pid=8) ERROR 11-28 01:02:03 "),
    "docker compose": prefixed("web-1  | "),
    "docker's files": "".join(
        json.dumps({"log": f"{line}\n", "stream": "stderr", "time": "2025-11-28T12:00:00Z"}) + "\n"
        for line in TRACEBACK.splitlines()
    ),
    "docker build": prefixed("#12 3.456 "),
    "GitHub Actions": prefixed("2025-11-28T12:00:00.1234567Z "),
    "gh run view --log": prefixed("test\tRun pytest\t2025-11-28T12:00:00.1234567Z "),
    "kubernetes": prefixed("[pod/train-0/main] "),
    "the files of a kubelet": prefixed("2025-11-28T12:00:00.123456789Z stderr F "),
    "journalctl": prefixed("Nov 28 12:00:00 gpu01 python[4242]: "),
    "logging": prefixed("2025-11-28 12:00:00,123 - train - ERROR - "),
    "loguru": prefixed("2025-11-28 12:00:00.123 | ERROR    | train:main:12 - "),
    "glog": prefixed("E1128 12:00:00.123000 4242 torch/distributed/run.py:833] "),
    "deepspeed": prefixed("[2025-11-28 12:00:00,123] [ERROR] [launch.py:325:main] "),
    "bytes in a repr": repr(TRACEBACK),
    "JSON": json.dumps({"level": "error", "message": TRACEBACK, "at": "2025-11-28 12:00:00"}),
    "escaped in a line of a log": "starting\nworker said: " + TRACEBACK.replace("\n", "\\n") + "\n",
    "pasted as one line": " ".join(TRACEBACK.split()),
    "a notebook": json.dumps(
        {
            "cells": [
                {
                    "cell_type": "code",
                    "outputs": [
                        {
                            "ename": "ImportError",
                            "evalue": MISSING,
                            "output_type": "error",
                            "traceback": [
                                "\x1b[0;31m" + "-" * 75 + "\x1b[0m",
                                "\x1b[0;31mImportError\x1b[0m   Traceback (most recent call last)",
                                "File \x1b[0;32m/w/train.py:3\x1b[0m, in f(x)\n----> 3 import x\n",
                                f"\x1b[0;31mImportError\x1b[0m: {MISSING}",
                            ],
                        }
                    ],
                }
            ]
        },
        indent=1,
    ),
    "IPython": dedent(f"""\
        ---------------------------------------------------------------------------
        ImportError                               Traceback (most recent call last)
        File /w/train.py:3, in <module>
              1 import os
        ----> 3 from transformers import AutoModelForVision2Seq

        ImportError: {MISSING}
        """),
    "older IPython": dedent(f"""\
        ---------------------------------------------------------------------------
        ImportError                               Traceback (most recent call last)
        /w/train.py in <module>()
              1 import os
        ----> 3 from transformers import AutoModelForVision2Seq

        ImportError: {MISSING}
        """),
    "pytest": dedent(f"""\
        ______________________ ERROR collecting tests/test_a.py _______________________
        ImportError while importing test module '/w/tests/test_a.py'.
        /w/train.py:3: in <module>
            from transformers import AutoModelForVision2Seq
        E   ImportError: {MISSING}
        =========================== short test summary info ============================
        ERROR tests/test_a.py - ImportError: {MISSING}
        """),
    "pytest, long": dedent(f"""\
        __________________________________ test_a __________________________________

            def test_a():
        >       from transformers import AutoModelForVision2Seq
        E       ImportError: {MISSING}

        /w/train.py:3: ImportError
        """),
    "rich": dedent(f"""\
        ╭───────────────── Traceback (most recent call last) ──────────────────╮
        │ /w/train.py:3 in <module>                                            │
        │                                                                      │
        │   1 import os                                                        │
        │ ❱ 3 from transformers import AutoModelForVision2Seq                  │
        ╰──────────────────────────────────────────────────────────────────────╯
        ImportError: {MISSING}
        """),
}


@pytest.mark.parametrize("text", ONE.values(), ids=ONE)
def test_one_exception_is_the_same_in_every_shape(text: str) -> None:
    chains = read_text(text).chains
    assert [(each.type, each.message) for each in chains[0].raised] == [("ImportError", MISSING)]
    assert [(each.file, each.line) for each in chains[0].raised[0].frames] == FRAMES
    assert len(chains) == 1


LINES = {
    "alone": f"ImportError: {MISSING}",
    "with a level": f"ERROR: ImportError: {MISSING}",
    "in a sentence": f"When I start it I get ImportError: {MISSING}",
    "as code in a sentence": f"It says `ImportError: {MISSING}` since today",
    "in the summary of pytest": f"FAILED tests/test_a.py::test - ImportError: {MISSING}",
    "behind a time": f"2025-11-28 12:00:00,123 ERROR ImportError: {MISSING}",
    "behind a level and a name": f"ERROR:train:it failed with ImportError: {MISSING}",
}


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
def test_an_exception_in_one_line(text: str) -> None:
    chains = read_text(text).chains
    found = [(each.type, each.message) for chain in chains for each in chain.raised]
    assert found == [("ImportError", MISSING)]


def chained(between: str) -> str:
    return f"""\
Traceback (most recent call last):
  File "/v/lib/python3.12/site-packages/peft/a.py", line 5, in load
    import missing
ModuleNotFoundError: No module named 'missing'

{between}

Traceback (most recent call last):
  File "/w/train.py", line 9, in <module>
    load()
RuntimeError: cannot load
"""


DIRECT = "The above exception was the direct cause of the following exception:"
DURING = "During handling of the above exception, another exception occurred:"
CHAINS = {
    "of a worker of a DataLoader": dedent("""\
          0%|          | 0/100 [00:00<?, ?it/s]Traceback (most recent call last):
          File "/w/train.py", line 12, in <module>
            for b in dl:
        RuntimeError: Caught ModuleNotFoundError in DataLoader worker process 0.
        Original Traceback (most recent call last):
          File "/w/data.py", line 5, in __getitem__
            import missing
        ModuleNotFoundError: No module named 'missing'
        """),
    "direct cause": chained(DIRECT),
    "during handling": chained(DURING),
    "of ray": chained(DIRECT).replace("\n", "\n(f pid=12) "),
    "quoted by the outer one": dedent("""\
        Traceback (most recent call last):
          File "/w/train.py", line 9, in <module>
            load()
        RuntimeError: compiling raised:
        ModuleNotFoundError: No module named 'missing'
        """),
    "with the traceback of a child in the message": dedent("""\
        Traceback (most recent call last):
          File "/w/train.py", line 9, in <module>
            spawn()
        RuntimeError:

        -- Process 0 terminated with the following error:
        Traceback (most recent call last):
          File "/w/worker.py", line 2, in f
            import missing
        ModuleNotFoundError: No module named 'missing'
        """).replace("error:\nTr", "error:\nTr"),
    "as transformers says it": "RuntimeError: Failed to import transformers.models.llama because "
    "of the following error (look up to see its traceback):\nNo module named 'missing'\n",
    "a group": dedent("""\
          + Exception Group Traceback (most recent call last):
          |   File "/w/train.py", line 9, in <module>
          |     raise ExceptionGroup("several", errors)
          | ExceptionGroup: several (2 sub-exceptions)
          +-+---------------- 1 ----------------
            | Traceback (most recent call last):
            |   File "/w/a.py", line 4, in f
            |     import missing
            | ModuleNotFoundError: No module named 'missing'
            +---------------- 2 ----------------
            | ValueError: second
            +------------------------------------
        """),
}


@pytest.mark.parametrize("text", CHAINS.values(), ids=CHAINS)
def test_the_innermost_cause_comes_first(text: str) -> None:
    first = read_text(text).chains[0].raised
    assert (first[0].type, first[0].message) == ("ModuleNotFoundError", "No module named 'missing'")
    assert len(first) == 2


def test_a_chain_of_three_is_in_order() -> None:
    text = chained(DIRECT) + f"\n{DURING}\n\n" + TRACEBACK
    types = [each.type for each in read_text(text).chains[0].raised]
    assert types == ["ModuleNotFoundError", "RuntimeError", "ImportError"]


def test_every_exception_of_a_group_is_there() -> None:
    chains = read_text(CHAINS["a group"]).chains
    types = [[each.type for each in chain.raised] for chain in chains]
    assert types == [["ModuleNotFoundError", "ExceptionGroup"], ["ValueError"]]


MESSAGES = {
    "unusual type": ("{frames}zmq.error.Again: no", "zmq.error.Again", "no"),
    "own type": ("{frames}Stopped: by me", "Stopped", "by me"),
    "a type that is only an ending": (
        "torch._dynamo.exc.Unsupported: a",
        "torch._dynamo.exc.Unsupported",
        "a",
    ),
    "a general type": ("{frames}Exception: a", "Exception", "a"),
    "a path of Windows": (
        r"OSError: cannot open C:\new\nccl.dll",
        "OSError",
        r"cannot open C:\new\nccl.dll",
    ),
    "above a progress bar": (
        "{frames}ValueError: a\n\n  0%|     | 0/9 [00:03<?, ?it/s]",
        "ValueError",
        "a",
    ),
    "that pip quotes": (
        prefixed(
            "      ", "Traceback (most recent call last):\nValueError: a\nb\n[end of output]\n"
        ),
        "ValueError",
        "a\nb",
    ),
    "without a message": ("{frames}AssertionError", "AssertionError", ""),
    "several lines": (
        "{frames}RuntimeError: HIP error: invalid device function\nCompile with X\n\nbye",
        "RuntimeError",
        "HIP error: invalid device function\nCompile with X",
    ),
    "first line empty": (
        "{frames}ImportError: \nX requires torch",
        "ImportError",
        "X requires torch",
    ),
    "a paragraph that belongs to it": (
        """{frames}torch._dynamo.exc.Unsupported: call_function\n\nfrom user code:
   File "/w/m.py", line 7, in forward\n    y = f(x)\n""",
        "torch._dynamo.exc.Unsupported",
        "call_function\nfrom user code:\n    y = f(x)",
    ),
    "a syntax error": (
        '  File "/w/train.py", line 3\n    x = = 1\n        ^\nSyntaxError: invalid syntax',
        "SyntaxError",
        "invalid syntax",
    ),
    "of C++": (
        "terminate called after throwing an instance of 'c10::Error'\n  what():  HIP error: no",
        "c10::Error",
        "HIP error: no",
    ),
    "cut in the middle": (
        "{frames}ImportError: cannot import na",
        "ImportError",
        "cannot import na",
    ),
}


@pytest.mark.parametrize(("text", "kind", "message"), MESSAGES.values(), ids=MESSAGES)
def test_a_message(text: str, kind: str, message: str) -> None:
    frames = TRACEBACK.rpartition("ImportError")[0]
    raised = read_text(text.replace("{frames}", frames)).chains[0].raised[0]
    assert (raised.type, raised.message) == (kind, message)


def test_frames_of_the_users_code_in_a_message_are_the_innermost() -> None:
    text = MESSAGES["a paragraph that belongs to it"][0].replace(
        "{frames}", TRACEBACK.rpartition("ImportError")[0]
    )
    frames = read_text(text).chains[0].raised[0].frames
    assert [(each.file, each.line) for each in frames] == [*FRAMES, ("/w/m.py", 7)]


NO_EXCEPTIONS = {
    "pip": "ERROR: Could not find a version that satisfies the requirement torch (from versions: "
    "none)\nERROR: No matching distribution found for torch",
    "uv": "  \u00d7 No solution found when resolving dependencies:\n  ╰─▶ no torch",
    "the driver": "Unable to open /dev/kfd read-write: Permission denied",
}


@pytest.mark.parametrize("text", NO_EXCEPTIONS.values(), ids=NO_EXCEPTIONS)
@pytest.mark.parametrize("prefix", ["", "#12 3.456 ", "2025-11-28T12:00:00.1234567Z "])
def test_an_error_that_is_no_exception_stays_a_line(prefix: str, text: str) -> None:
    log = read_text(prefixed(prefix, text))
    assert log.chains == ()
    assert [each.strip() for each in log.lines] == [each.strip() for each in text.splitlines()]


def test_no_exception_in_ordinary_text() -> None:
    text = "Epoch 3: 10%\nLoss: 0.3\nINFO: done\nNote: see https://x.example/Error: no\n[1/3] go\n"
    assert read_text(text).chains == ()
