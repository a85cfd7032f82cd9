"""Builds the data of rocmlint.published.requirements from the metadata of published releases.

pip's own finder and its lazy wheels (its feature fast-deps) are the client, so that any index will
do which pip is configured for: of a wheel, a few kB are fetched by range requests. Nothing is
installed and no code of a package is run. What exists as an sdist only is read from the files that
setuptools left in it; where it left none, the release is listed and its requirements are unknown.

    pip install 'pip==26.3' packaging
    python -m tools.build_requirements --work ~/.cache/rocmlint-requirements

can be stopped at any time and goes on where it was. With ``--dates`` it only reads when the
releases that --output has came out (PEP 700), which takes one page of the index for each package.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone
from email.parser import Parser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pip._internal.cli import cmdoptions
from pip._internal.commands import create_command
from pip._internal.exceptions import PipError
from pip._internal.network.lazy_wheel import (
    HTTPRangeRequestUnsupported,
    LazyZipOverHTTP,
    dist_from_wheel_url,
)

from rocmlint.published.requirement_lines import Facts, line_of, packed, releases_of, unpacked
from rocmlint.stack.indexes.fetch import IndexReader
from rocmlint.stack.indexes.index_config import find_index
from rocmlint.stack.indexes.simple_index import first_uploads, project_files

if TYPE_CHECKING:
    from collections.abc import Iterable

DATA = Path(__file__).parents[1] / "src" / "rocmlint" / "published" / "data"

_PACKAGES = """
torch torchvision torchaudio triton numpy
transformers diffusers accelerate huggingface-hub peft trl tokenizers safetensors datasets
vllm xformers bitsandbytes sglang lmdeploy flash-attn deepspeed flashinfer-python xgrammar
optimum optimum-quanto quanto torchao hqq autoawq auto-gptq gptqmodel auto-round llmcompressor
compressed-tensors liger-kernel mamba-ssm causal-conv1d kernels
unsloth unsloth-zoo axolotl llamafactory ms-swift verl openrlhf torchtune torchtitan mosaicml
torchdata torchcodec torchmetrics torchtext tensordict torchrl torch-geometric torchsde
pytorch-lightning lightning fastai fairscale evaluate lm-eval sentence-transformers
flagembedding timm open-clip-torch kornia ultralytics easyocr monai spandrel controlnet-aux
lpips xfuser openai-whisper faster-whisper whisperx speechbrain pyannote-audio lerobot
stable-baselines3 einops
audiocraft chatterbox-tts coqui-tts resemble-enhance stable-audio-tools demucs kokoro
autogluon autogluon-multimodal autogluon-timeseries chronos-forecasting neuralforecast
facenet-pytorch basicsr gfpgan realesrgan nnunetv2 totalsegmentator
chai-lab fairchem-core matgl torchdiffeq
colossalai litgpt llm-foundry flash-linear-attention fla-core
gradio compel adapters colpali-engine autotrain-advanced setfit pylate fschat simpletransformers
flair spacy-transformers gliner distilabel langchain-huggingface lmms-eval outlines
optimum-amd optimum-onnx optimum-intel clip-interrogator invisible-watermark
megatron-core megatron-bridge nemo-toolkit nvidia-modelopt nvidia-resiliency-ext lightning-thunder
transformer-engine transformer-engine-torch transformer-engine-cu12 torch-tensorrt tensorrt-llm
cut-cross-entropy helion exllamav2 sgl-kernel sglang-kernel gsplat nerfstudio
"""
PACKAGES = tuple(_PACKAGES.split())
"""What is installed beside torch and requires it, and what those require of each other."""

PYTHONS = ("3.11", "3.13", "3.9", "3.8")
"""A release is read from its wheel for the first of these that it has one for."""

NEWEST_SDISTS = 40
"""How many releases of a package are read from sdists, which have to be fetched whole."""

_PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in range(39, 16, -1)),
    "manylinux2014_x86_64",
    "manylinux2010_x86_64",
    "manylinux1_x86_64",
    "linux_x86_64",
)
_AT_ONCE = 3
_CHUNK = 1 << 17
"""Bytes that a lazy wheel fetches at once; pip's own 10 kB take many turns for a large wheel."""


def main() -> None:
    """Read what is new, and write the data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="where answers are kept")
    parser.add_argument("--output", type=Path, default=DATA / "requirements.jsonl.gz")
    parser.add_argument("--offline", action="store_true", help="write what is in --work")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=PACKAGES,
        metavar="PACKAGE",
        help="read these, and keep what --output has of the others",
    )
    parser.add_argument("--dates", action="store_true", help="only read days of publication")
    flags = parser.parse_args()
    if flags.dates:
        add_days(flags.output)
        return
    flags.work.mkdir(parents=True, exist_ok=True)
    packages = tuple(flags.only or PACKAGES)
    if not flags.offline:
        # pip's own context is one for all; the time goes into waiting for answers.
        with create_command("download").main_context(), ThreadPoolExecutor(_AT_ONCE) as threads:
            list(threads.map(lambda each: Reader(each, flags.work).read(), packages))
    found = {each: kept(each, flags.work) for each in packages}
    as_of, lines = unpacked(flags.output.read_bytes()) if flags.only else ("", {})
    known = frozenset(lines) | {name for name, facts in found.items() if facts}
    days = {} if flags.offline else days_of(packages)
    dated = {name: with_days(facts, days.get(name, {})) for name, facts in found.items()}
    lines |= {name: line_of(facts, known) for name, facts in dated.items() if facts}
    write(as_of, lines, flags.output)


def add_days(path: Path) -> None:
    """Add to the data that were written before when their releases were uploaded."""
    as_of, lines = unpacked(path.read_bytes())
    days = days_of(lines)
    dated = {name: with_days(releases_of(line), days[name]) for name, line in lines.items()}
    write(as_of, {name: line_of(facts, lines) for name, facts in dated.items()}, path)


def days_of(packages: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return on which day each release of each package was uploaded, as far as the index tells."""
    reader, index = IndexReader(seconds=3600), find_index()
    return {each: first_uploads(project_files(reader, index.url, each)) for each in packages}


def with_days(releases: dict[str, Facts], days: dict[str, str]) -> dict[str, Facts]:
    """Add the day of its first upload to each release that has one."""
    return {
        version: {**facts, "uploaded": days[version]} if version in days else facts
        for version, facts in releases.items()
    }


def write(as_of: str, lines: dict[str, str], path: Path) -> None:
    """Write the data, with the day of the newest release, else today."""
    days = [
        each.get("uploaded", "") for line in lines.values() for each in releases_of(line).values()
    ]
    today = datetime.now(timezone.utc).date().isoformat()
    path.write_bytes(packed(max([as_of, *days]) or today, lines))
    _say(f"{len(lines)} packages, {path.stat().st_size} bytes")


class Reader:
    """Reads what is not known yet of one package."""

    def __init__(self, package: str, work: Path) -> None:
        """Begin with what was read before."""
        self.package, self.work = package, work
        self.facts = kept(package, work)

    def read(self) -> None:
        """Read wheels for each Python, then sdists."""
        for python in PYTHONS:
            index = Index(*for_python(python))
            for version, link in index.releases(self.package):
                if not self.facts.get(version):
                    self._keep(version, link, from_wheel(self.package, link, index.session))
        index = Index()
        sdists = [each for each in index.releases(self.package) if each[0] not in self.facts]
        for at, (version, link) in enumerate(sdists):
            metadata = _from_sdist(link, index.session) if at < NEWEST_SDISTS else {}
            self._keep(version, link, metadata)
        _say(f"{self.package}: {len(self.facts)} releases")

    def _keep(self, version: str, link: Any, metadata: Facts | None) -> None:
        if metadata is None:  # not now; the next run tries again
            return
        self.facts[version] = {**metadata, "is_yanked": link.is_yanked} if metadata else {}
        text = json.dumps(self.facts, indent=1, sort_keys=True)
        part = self.work / f"{self.package}.part"
        part.write_text(text)
        part.replace(self.work / f"{self.package}.json")


class Index:
    """pip's session and finder, for the wheels of one Python or (without arguments) for all."""

    def __init__(self, *arguments: str) -> None:
        """Begin as ``pip download`` does."""
        command: Any = create_command("download")
        options, _ = command.parse_args([*arguments, "-"])
        self.session = command._build_session(options)  # noqa: SLF001 - the tool goes with its pip
        self._finder = command._build_package_finder(  # noqa: SLF001
            options=options,
            session=self.session,
            target_python=cmdoptions.make_target_python(options),
            ignore_requires_python=True,
        )

    def releases(self, package: str) -> list[tuple[str, Any]]:
        """Return the final releases with a link each, newest first."""
        links = {}
        for each in self._finder.find_all_candidates(package):
            version = each.version
            if not (version.is_prerelease or version.local or each.link.is_file):
                links[version] = each.link  # the best fit comes last
        return [(str(version), links[version]) for version in sorted(links, reverse=True)]

    def files(self, package: str) -> dict[str, Any]:
        """Return the links of a package's files, of any release, by their names."""
        found = self._finder.find_all_candidates(package)
        return {each.link.filename: each.link for each in found if not each.link.is_file}


def for_python(python: str) -> tuple[str, ...]:
    """Return the arguments of an :class:`Index` of wheels for a Python on Linux."""
    platforms = (f"--platform={each}" for each in _PLATFORMS)
    only = ("--only-binary=:all:", "--no-deps", "--implementation=cp")
    return (*only, f"--python-version={python}", *platforms)


def from_wheel(package: str, link: Any, session: Any) -> Facts | None:
    """Read the METADATA of a wheel; None where that did not work now."""
    try:
        metadata = dist_from_wheel_url(package, link.url, session).metadata
    except (HTTPRangeRequestUnsupported, PipError, OSError, zipfile.BadZipFile) as error:
        _say(f"{link.filename}: {error}")
        return None
    return {
        "requires_dist": metadata.get_all("Requires-Dist") or [],
        "requires_python": metadata.get("Requires-Python") or "",
    }


def _from_sdist(link: Any, session: Any) -> Facts | None:
    """Read PKG-INFO, and for old metadata the requires.txt of setuptools."""
    try:
        answer = session.get(link.url)
        answer.raise_for_status()
        files = _told(answer.content, link.filename)
    except (PipError, OSError, tarfile.TarError, zipfile.BadZipFile) as error:
        _say(f"{link.filename}: {error}")
        return None
    metadata = Parser().parsestr(files.get("PKG-INFO", ""))
    lines = metadata.get_all("Requires-Dist") or []
    if not lines and "requires.txt" not in files:
        return {}
    return {
        "requires_dist": lines or _of_setuptools(files["requires.txt"]),
        "requires_python": metadata.get("Requires-Python") or "",
    }


def _told(data: bytes, name: str) -> dict[str, str]:
    """Return the PKG-INFO and requires.txt that are nearest to the top."""
    found: dict[str, str] = {}
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for path in sorted(archive.namelist(), key=lambda path: path.count("/")):
                if path.endswith(("/PKG-INFO", "/requires.txt")):
                    found.setdefault(path.rpartition("/")[2], archive.read(path).decode())
        return found
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in sorted(archive.getmembers(), key=lambda each: each.name.count("/")):
            if member.name.endswith(("/PKG-INFO", "/requires.txt")):
                file = archive.extractfile(member)
                if file is not None:
                    text = file.read().decode(errors="replace")
                    found.setdefault(member.name.rpartition("/")[2], text)
    return found


def _of_setuptools(text: str) -> list[str]:
    """Turn a requires.txt, whose sections are ``[extra:marker]``, into Requires-Dist."""
    lines, marker = [], ""
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("["):
            extra, _, condition = line.strip("[]").partition(":")
            parts = [f"({condition})" if condition else "", f'extra == "{extra}"' if extra else ""]
            marker = " and ".join(filter(None, parts))
        else:
            lines.append(f"{line}; {marker}" if marker else line)
    return lines


def kept(package: str, work: Path) -> dict[str, Facts]:
    """Return what was read of a package so far."""
    try:
        read: dict[str, Facts] = json.loads((work / f"{package}.json").read_text())
    except FileNotFoundError:
        return {}
    return read


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


LazyZipOverHTTP.__init__.__defaults__ = (_CHUNK,)

if __name__ == "__main__":
    main()
