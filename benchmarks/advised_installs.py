"""Whether an install that ``stack compatible`` advises leaves torch alone: pip and uv, dry runs."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import venv
from pathlib import Path

from tabulate import tabulate

from rocmlint.published.rocm_wheels import SERVER

PACKAGES = (
    *("peft", "trl", "diffusers", "sentence-transformers", "timm", "open-clip-torch", "unsloth"),
    *("liger-kernel", "axolotl", "lm-eval", "ultralytics", "llamafactory", "whisperx", "lightning"),
    "vllm",
)
FAMILY = {"torch", "torchvision", "torchaudio", "triton", "pytorch-triton-rocm", "rocm"}
STACKS: dict[str, dict[str, tuple[str, ...]]] = {
    "pytorch": {
        "torch": ("2.9.1+rocm6.4", "pytorch-triton-rocm==3.5.1"),
        "torchvision": ("0.24.1+rocm6.4", "torch==2.9.1"),
        "torchaudio": ("2.9.1+rocm6.4", "torch==2.9.1"),
        "pytorch-triton-rocm": ("3.5.1",),
    },
    "amd": {
        "torch": ("2.9.1+rocm7.12.0", "triton==3.5.1+rocm7.12.0", "rocm==7.12.0"),
        "torchvision": ("0.24.0+rocm7.12.0", "torch==2.9.1"),
        "triton": ("3.5.1+rocm7.12.0",),
        "rocm": ("7.12.0",),
    },
    "amd-multi-arch": {
        "torch": ("2.12.0+rocm7.14.0", "triton==3.7.0+rocm7.14.0", "rocm==7.14.0"),
        "torchvision": ("0.27.0+rocm7.14.0", "torch==2.12.0"),
        "triton": ("3.7.0+rocm7.14.0",),
        "rocm": ("7.14.0",),
    },
}
"""What is laid down as installed: metadata, as PyTorch's wheels and AMD's have them."""
CODE = "__version__ = '{}'\nhip = '6.4.43484-123eb5128'\n"
_INDEX = re.compile(rf"(?:{re.escape(SERVER)}|https://[\w.]+\.amd\.com)/\S+")
"""What cannot be reached from everywhere."""


def main() -> int:
    """Print for each package what an install brings; 1 where one that is advised replaces torch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="a folder for the environment")
    parser.add_argument("--stack", choices=STACKS, default="pytorch", help="whose torch is there")
    parser.add_argument("packages", nargs="*", default=PACKAGES, metavar="PACKAGE")
    flags = parser.parse_args()
    python = environment(flags.work / flags.stack, flags.stack)
    index = flags.work / "index"
    index.mkdir(exist_ok=True)
    rows = [row(each, python, index) for each in flags.packages]
    head = ("package", "uv pip install PACKAGE", "advised", "by pip", "by uv")
    print(tabulate(rows, head, disable_numparse=True))
    broken = [each[0] for each in rows if "replaces" in " ".join(each[3:])]
    print(f"\n{len(rows)} packages; advised and replacing torch: {', '.join(broken) or 'none'}")
    return 1 if broken else 0


def environment(folder: Path, stack: str) -> Path:
    """Make a virtual environment whose torch is metadata and a version.py."""
    if not folder.exists():
        venv.create(folder, with_pip=True, symlinks=True)
        (site,) = folder.glob("lib/python*/site-packages")
        for name, (version, *requires) in STACKS[stack].items():
            info = site / f"{name.replace('-', '_')}-{version}.dist-info"
            info.mkdir()
            lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
            lines += [f"Requires-Dist: {each}" for each in requires]
            (info / "METADATA").write_text("\n".join(lines) + "\n")
            (info / "INSTALLER").write_text("pip\n")
            (info / "RECORD").write_text("")
        (site / "torch").mkdir()
        (site / "torch" / "__init__.py").write_text("")
        (site / "torch" / "version.py").write_text(CODE.format(STACKS[stack]["torch"][0]))
    return folder / "bin" / "python"


def row(package: str, python: Path, index: Path) -> tuple[str, ...]:
    """Return what a plain install and the advised ones do to torch."""
    asked = ("stack", "compatible", "--offline", "--python", str(python), package)
    done = run([sys.executable, "-m", "rocmlint", *asked, "--output-format", "json"])
    told = json.loads(done.stdout)["advice"]
    commands = [told["command"], *(each["command"] for each in told["apart"])]
    # What the index of torch has is installed already.
    lines = [_INDEX.sub(index.absolute().as_uri(), each) for each in filter(None, commands)]
    plain = by_uv(["install", package], python)
    if not lines:
        return package, plain, "no command", "", ""
    words = [shlex.split(each)[1:] for each in lines]
    alone = "alone" if "--no-deps" in words[0] else "beside torch"
    return (
        package,
        plain,
        alone,
        *("; ".join(by(each, python) for each in words) for by in (by_pip, by_uv)),
    )


def by_pip(words: list[str], python: Path) -> str:
    """Return what pip would do with the command as it is printed."""
    how = ("--dry-run", "--quiet", "--report", "-")
    lazy = ("--use-feature", "fast-deps")
    done = run([str(python), "-m", "pip", *words, *how, *lazy])
    if done.returncode:
        return f"refused: {last(done.stderr, 'ERROR')}"
    report = json.loads(done.stdout[done.stdout.index("{") :])
    return judged({each["metadata"]["name"].lower() for each in report["install"]})


def by_uv(words: list[str], python: Path) -> str:
    """Return what uv would do with the command as it is printed."""
    done = run(["uv", "pip", *words, "--python", str(python), "--dry-run"])
    if done.returncode:
        return f"refused: {last(done.stderr, 'Because')}"
    return judged(set(re.findall(r"^ [-+~] ([\w.-]+)", done.stderr, re.MULTILINE)))


def judged(names: set[str]) -> str:
    """Return what becomes of torch where these packages are installed or removed."""
    replaced = sorted(FAMILY & names)
    nvidia = sum(each.startswith("nvidia-") for each in names)
    if not replaced:
        return f"keeps ({len(names)} packages)"
    return f"replaces {' '.join(replaced)}" + (f", {nvidia} of CUDA" if nvidia else "")


def last(told: str, mark: str) -> str:
    """Return the line of a refusal that says why."""
    lines = [each.strip() for each in told.splitlines() if mark in each]
    return (lines or told.splitlines() or ["?"])[-1][:70]


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command and keep what it says."""
    return subprocess.run(command, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
