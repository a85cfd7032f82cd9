"""Prove what each release of a package has, in an environment of its own, one after the other.

python -m tools.build_names --work FOLDER [--since 2024-11] [PACKAGE ...], with a Python that has
torch 2.13.0 (CPU) beside uv; tools/pack_names.py makes the shipped index of what this leaves.
Every version leaves one JSON file, so a run that was stopped goes on where it was. Truth comes
from importing: see prove_names.py.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import datetime as dt
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from typing import Any

from packaging.version import InvalidVersion, Version

LIMIT = 900  # seconds for all imports of one version
PYPI = "https://pypi.org/pypi/{}/json"
HERE = os.path.dirname(os.path.abspath(__file__))

# What is installed beside a package, so that modules with optional needs can be imported.
COMMON = ("pillow", "sentencepiece", "protobuf", "scipy", "einops", "requests", "jinja2", "numpy")
BESIDE = {
    "transformers": (*COMMON, "tiktoken", "accelerate", "rich"),
    "diffusers": (*COMMON, "transformers", "accelerate", "peft", "ftfy"),
    "accelerate": (*COMMON, "transformers", "rich"),
    "huggingface_hub": ("jinja2", "pillow", "numpy", "aiohttp", "requests", "rich"),
    "peft": (*COMMON, "transformers", "accelerate", "datasets"),
    "trl": (*COMMON, "transformers", "accelerate", "peft", "datasets", "rich", "setuptools"),
}
# Releases before the index, of which users may still write names: these are asked for too.
OLDER = {
    "transformers": ("4.20.1", "4.30.2", "4.36.2", "4.42.4"),
    "diffusers": ("0.20.2", "0.27.2", "0.30.3"),
    "huggingface_hub": ("0.14.1", "0.20.3", "0.25.2"),
    "trl": ("0.7.11", "0.9.6", "0.11.4"),
    "accelerate": ("0.20.3", "0.34.2"),
    "peft": ("0.4.0", "0.10.0"),
}
# torch is the environment's own, with the typing_extensions that it needs; what would pull another
# one in, or gigabytes, stays out.
LEFT_OUT = ("torch", "typing-extensions", "triton", "deepspeed", "vllm", "bitsandbytes")


@dataclass(frozen=True)
class Release:
    """One version of one package and the day it was published."""

    package: str
    version: Version
    published: dt.datetime


def main() -> int:
    """Prove all versions that are not proven yet; the number of those that could not be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--work", required=True, help="folder for environments and proofs")
    parser.add_argument("--since", default="2024-11", help="first month, as YYYY-MM")
    parser.add_argument("--until", default="9999-12", help="last month, as YYYY-MM")
    parser.add_argument("--ask", action="store_true", help="ask for names of other versions")
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    failed = 0
    for package in options.packages or list(BESIDE):
        if options.ask:
            failed += ask_all(options.work, package, options.until)
            continue
        for release in releases(package, options.since, options.until):
            failed += not prove(options.work, release)
    return min(failed, 1)


def releases(package: str, since: str, until: str) -> list[Release]:
    """Return the newest patch of every minor release of that time, newest first."""
    newest: dict[tuple[int, ...], Release] = {}
    began: dict[tuple[int, ...], str] = {}
    for release in all_releases(package):
        minor = release.version.release[:2]
        began[minor] = min(release.published.isoformat()[:7], began.get(minor, "9999-12"))
        if minor not in newest or newest[minor].version < release.version:
            newest[minor] = release
    chosen = [minor for minor in sorted(newest, reverse=True) if since <= began[minor] <= until]
    return [newest[minor] for minor in chosen]


def all_releases(package: str) -> list[Release]:
    """Return all releases that are no candidates and were not taken back."""
    with urllib.request.urlopen(PYPI.format(package), timeout=60) as answer:  # noqa: S310
        listed = json.load(answer)["releases"]
    found = []
    for text, files in listed.items():
        with contextlib.suppress(InvalidVersion):
            version = Version(text)
            wheels = [each for each in files if not each["yanked"]]
            if version.is_prerelease or version.is_postrelease or not wheels:
                continue
            day = min(each["upload_time_iso_8601"] for each in wheels)
            when = dt.datetime.fromisoformat(day.replace("Z", "+00:00"))
            found.append(Release(package, version, when))
    return found


def prove(work: str, release: Release) -> bool:
    """Make the environment, ask it, keep the answer; whether that went well."""
    kept = proof_file(work, release.package, str(release.version))
    if os.path.exists(kept):
        return True
    say(f"{release.package} {release.version}")
    folder = environment(work, release)
    if folder is None:
        return False
    out = kept.removesuffix(".gz")
    skip: list[str] = []
    for _ in range(5):
        ended, last = child(work, folder, release.package, out, ["--skip", *skip])
        if os.path.exists(out):
            break
        say(f"  ended with {ended} in {last}")
        if ended == 1 or last in skip:  # an exception of its own, not a module that kills it
            break
        skip.append(last)
    if not os.path.exists(out):
        return False
    proof = read_json(out)
    proof["version"] = str(release.version)
    proof["published"] = release.published.date().isoformat()
    write_gz(kept, proof)
    os.remove(out)
    bad = [each for each in proof["modules"].values() if each and each != "skipped"]
    say(f"  {len(proof['modules'])} modules, {len(bad)} could not be imported")
    return True


def environment(work: str, release: Release) -> str | None:
    """Return a folder with the package and what it needs, as of a week after its release."""
    folder = os.path.join(work, "environments", f"{release.package}-{release.version}")
    if os.path.isdir(folder):
        return folder
    os.makedirs(work, exist_ok=True)
    overrides = os.path.join(work, "left_out.txt")
    with open(overrides, "w", encoding="utf-8") as file:
        file.writelines(f"{each} ; sys_platform == 'never'\n" for each in LEFT_OUT)
    until = (release.published + dt.timedelta(days=7)).strftime("%Y-%m-%dT%H:%M:%SZ")
    part = folder + ".part"
    shutil.rmtree(part, ignore_errors=True)
    command = ["uv", "pip", "install", "--quiet", "--python", sys.executable, "--target", part]
    command += ["--exclude-newer", until, "--override", overrides, "--only-binary", ":all:"]
    command += [f"{release.package}=={release.version}", *BESIDE[release.package]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        say(f"  no environment: {done.stderr.strip()[-600:]}")
        return None
    os.replace(part, folder)
    return folder


def child(work: str, folder: str, package: str, out: str, more: list[str]) -> tuple[int, str]:
    """Run prove_names.py in the environment; its exit status and the module it was last in."""
    home = os.path.join(work, "home")
    os.makedirs(home, exist_ok=True)
    os.makedirs(os.path.dirname(out), exist_ok=True)
    compiled = os.path.join(work, "compiled")
    settings = {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "PYTHONPATH": os.pathsep.join((folder, os.path.dirname(HERE))),  # it imports of tools, too
        "PYTHONPYCACHEPREFIX": compiled,
        "PYTHONHASHSEED": "0",
        "PYTHONWARNINGS": "ignore",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "TRANSFORMERS_VERBOSITY": "error",
    }
    command = [sys.executable, os.path.join(HERE, "prove_names.py"), package, out, *more]
    log = out.removesuffix(".json") + ".log"
    with open(log, "w", encoding="utf-8") as file:
        try:
            ended = subprocess.run(
                command,
                env=settings,
                cwd=home,
                stdout=file,
                stderr=file,
                stdin=subprocess.DEVNULL,
                timeout=LIMIT,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            ended = -9
    shutil.rmtree(os.path.join(compiled, folder.lstrip(os.sep)), ignore_errors=True)
    with open(log, encoding="utf-8", errors="replace") as file:
        started = [each.strip() for each in file if each.startswith(package)]
    return ended, started[-1] if started else package


def ask_all(work: str, package: str, until: str) -> int:
    """Ask each version for the names and modules that only other versions showed by themselves.

    What a version of after the month `until` was not asked for is unknown of it.
    """
    proofs = proofs_of(work, package)
    known: dict[str, set[str]] = {}
    for proof in proofs:
        for module in proof["modules"]:
            known.setdefault(module, set()).update(
                name for name, kind in proof["names"].get(module, {}).items() if kind[0] not in "x?"
            )
    words, modules = older_names(work, package)
    older = words - known.get(package, set())
    lost = {module: list[str]() for module in sorted(modules - known.keys())}
    published = {each.version: each for each in all_releases(package)}
    failed = 0
    for proof in proofs:
        release = published[Version(proof["version"])]
        if release.published.isoformat()[:7] > until:
            continue
        told = proof.get("told", {})
        names = sorted(older - proof["names"][package].keys() - {*told.get(package, ())})
        failed += not ask(work, release, "older", {package: names, **lost})
        wanted = {
            module: sorted(names - proof["names"].get(module, {}).keys() - {*told.get(module, ())})
            for module, names in known.items()
            if module in proof["dynamic"] or module not in proof["modules"]
        }
        wanted = {
            module: names
            for module, names in wanted.items()
            if names or module not in proof["modules"]
        }
        failed += not ask(work, release, "asked", wanted)
    return failed


def ask(work: str, release: Release, which: str, wanted: dict[str, list[str]]) -> bool:
    """Ask one version for names, unless it was asked for the same before."""
    package, version = release.package, str(release.version)
    text = json.dumps(wanted, sort_keys=True)
    mark = hashlib.sha256(text.encode()).hexdigest()[:16]
    kept = proof_file(work, package, f"{version}.{which}")
    if os.path.exists(kept) and read_gz(kept)["mark"] == mark:
        return True
    asked = kept.removesuffix(".json.gz") + ".names"
    with open(asked, "w", encoding="utf-8") as file:
        file.write(text)
    out = kept.removesuffix(".gz")
    say(f"{package} {version}: {sum(map(len, wanted.values()))} names, {which}")
    folder = environment(work, release)
    if folder is None:
        return False
    ended, last = child(work, folder, package, out, ["--ask", asked])
    if not os.path.exists(out):
        say(f"  ended with {ended} in {last}")
        return False
    write_gz(kept, {**read_json(out), "wanted": wanted, "mark": mark})
    os.remove(out)
    os.remove(asked)
    return True


def older_names(work: str, package: str) -> tuple[set[str], set[str]]:
    """Return what releases before the index may have had: words in their `__init__`, modules."""
    words: set[str] = set()
    modules: set[str] = set()
    for version in OLDER.get(package, ()):
        folder = os.path.join(work, "environments", f"older-{package}-{version}")
        if not os.path.isdir(folder):
            command = ["uv", "pip", "install", "--quiet", "--python", sys.executable, "--no-deps"]
            subprocess.run([*command, "--target", folder, f"{package}=={version}"], check=True)
        with open(os.path.join(folder, package, "__init__.py"), encoding="utf-8") as file:
            for node in ast.walk(ast.parse(file.read())):
                text = node.value if isinstance(node, ast.Constant) else None
                if isinstance(text, str) and text.isidentifier():
                    words.add(text)
        for at, _, files in os.walk(os.path.join(folder, package)):
            inside = os.path.relpath(at, folder).replace(os.sep, ".")
            names = {each.removesuffix(".py") for each in files if each.endswith(".py")}
            modules |= {f"{inside}.{each}" for each in names - {"__init__"}}
            modules |= {inside} if "__init__" in names else set()
    return words, {each for each in modules if each.replace(".", "_").isidentifier()}


def proof_file(work: str, package: str, version: str) -> str:
    """Where the proof of one version is kept."""
    return os.path.join(work, "proofs", package, f"{version}.json.gz")


def proofs_of(work: str, package: str) -> list[dict[str, Any]]:
    """All proofs of a package, oldest version first."""
    folder = os.path.join(work, "proofs", package)
    files = os.listdir(folder) if os.path.isdir(folder) else []
    texts = [each.removesuffix(".json.gz") for each in files if each.endswith(".json.gz")]
    answers = (".asked", ".older")
    versions = sorted(Version(each) for each in texts if not each.endswith(answers))
    return [read_gz(proof_file(work, package, str(each))) for each in versions]


def read_json(path: str) -> dict[str, Any]:
    """Return a JSON file."""
    with open(path, encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def read_gz(path: str) -> dict[str, Any]:
    """Return a compressed JSON file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def write_gz(path: str, value: dict[str, Any]) -> None:
    """Write a compressed JSON file, there as a whole or not at all."""
    with gzip.open(path + ".part", "wt", encoding="utf-8", compresslevel=5) as file:
        json.dump(value, file, separators=(",", ":"), sort_keys=True)
    os.replace(path + ".part", path)


def say(text: str) -> None:
    """Print how far it is."""
    now = dt.datetime.now(tz=dt.timezone.utc).strftime("%H:%M:%S")
    print(now, text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
