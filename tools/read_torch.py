"""What torch's releases have, read from the Python files of their wheels.

python -m tools.read_torch --work FOLDER, with torch 2.13.0 installed. Without the compiled part of
a wheel nothing can be imported, so this keeps to what the texts leave no doubt of. What they say is
compared with the import of 2.13.0, and a module that the comparison proves wrong is left unknown in
all other versions.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from tools.build_names import (
    child,
    proof_file,
    proofs_of,
    read_gz,
    read_json,
    releases,
    say,
    write_gz,
)
from tools.torch_texts import Reading
from tools.torch_wheels import sources

INSTALLED = "2.13.0"


def main() -> int:
    """Read all versions of the last 24 months that were not read yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", required=True)
    parser.add_argument("--since", default="2024-10")
    options = parser.parse_args()
    options.work = os.path.abspath(options.work)
    found = releases("torch", options.since, "9999-12")
    texts = {}
    for release in found:
        if str(release.version) == INSTALLED or not os.path.exists(
            proof_file(options.work, "torch", str(release.version))
        ):
            texts[str(release.version)] = sources(options.work, release)
    prove_installed(options.work, texts[INSTALLED])
    wrong, hidden = compare(read_gz(proof_file(options.work, "torch", INSTALLED)), texts[INSTALLED])
    for release in found:
        version = str(release.version)
        if version != INSTALLED and version in texts:
            proof = Reading(texts[version]).proof(wrong)
            proof["names"]["torch"] = dict.fromkeys(hidden, "?") | proof["names"]["torch"]
            proof["version"] = version
            proof["published"] = release.published.date().isoformat()
            write_gz(proof_file(options.work, "torch", version), proof)
            say(f"torch {version}: {len(proof['modules'])} modules, {len(proof['dynamic'])} open")
    write_absent(options.work)
    return 0


def write_absent(work: str) -> None:
    """Return for each version which files of the others it does not have."""
    proofs = proofs_of(work, "torch")
    files = {each for proof in proofs if proof["version"] != INSTALLED for each in proof["modules"]}
    for proof in proofs:
        absent = sorted(files - proof["modules"].keys())
        kept = proof_file(work, "torch", proof["version"] + ".asked")
        write_gz(kept, {"names": {}, "absent": absent, "mark": ""})


def prove_installed(work: str, texts: dict[str, str]) -> None:
    """Import the installed version, as build_names.py does with the others."""
    kept = proof_file(work, "torch", INSTALLED)
    if os.path.exists(kept):
        return
    out = kept.removesuffix(".gz")
    skip: list[str] = []
    while not os.path.exists(out):
        ended, last = child(work, "", "torch", out, ["--skip", *skip])
        if not os.path.exists(out):
            say(f"  torch ended with {ended} in {last}")
            if ended == 1 or last in skip:
                raise SystemExit(1)
            skip.append(last)
    proof = {**read_json(out), "version": INSTALLED, "published": "2026-07-08"}
    # Its __getattr__ knows no name that is not in its text.
    proof["dynamic"].remove("torch")
    bound = Reading({"torch": texts["torch"]}).bound["torch"]
    proof["names"]["torch"] = dict.fromkeys(bound, "?") | proof["names"]["torch"]
    write_gz(kept, proof)
    os.remove(out)


def compare(imported: dict[str, Any], texts: dict[str, str]) -> tuple[set[str], set[str]]:
    """Return the modules of which the texts tell something else than the import does.

    Then the names of `torch` itself that only the compiled part binds.
    """
    reading = Reading(texts)
    read = reading.proof(set())
    wrong: set[str] = set()
    hidden: set[str] = set()
    right = 0
    for module, names in imported["names"].items():
        told = read["names"].get(module)
        if told is None:
            continue
        for name, kind in names.items():
            if kind == "?" or name in told or module in reading.open or kind[0] == "m":
                continue
            if module == "torch":
                hidden.add(name)
            else:
                wrong.add(module)
                say(f"  {module}.{name} is there, but no text binds it")
        for name, kind in told.items():
            if kind != "?" and names.get(name, "?") == "?":
                wrong.add(module)
                say(f"  {module}.{name} is bound, but not there")
            right += kind != "?" and name in names
    say(f"torch {INSTALLED}: {right} names as the import says, {len(wrong)} modules not")
    return wrong, hidden


if __name__ == "__main__":
    sys.exit(main())
