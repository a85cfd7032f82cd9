"""Which distribution provides a module, where their names differ."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.disk.read import read_small

if TYPE_CHECKING:
    from rocmlint.why.facts.context import Context

_NAMES = {
    "cv2": "opencv-python-headless",
    "PIL": "pillow",
    "yaml": "pyyaml",
    "sklearn": "scikit-learn",
    "skimage": "scikit-image",
    "bs4": "beautifulsoup4",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "git": "gitpython",
    "attr": "attrs",
    "jwt": "pyjwt",
    "OpenSSL": "pyopenssl",
    "Crypto": "pycryptodome",
    "serial": "pyserial",
    "magic": "python-magic",
    "fitz": "pymupdf",
    "docx": "python-docx",
    "pptx": "python-pptx",
    "faiss": "faiss-cpu",
    "open_clip": "open-clip-torch",
    "sentence_transformers": "sentence-transformers",
    "pytorch_lightning": "pytorch-lightning",
    "qwen_vl_utils": "qwen-vl-utils",
    "flash_attn": "flash-attn",
    "flash_attn_2_cuda": "flash-attn",
    "flash_attn_cuda": "flash-attn",
    "causal_conv1d_cuda": "causal-conv1d",
    "selective_scan_cuda": "mamba-ssm",
    "fused_layer_norm_cuda": "apex",
    "awq": "autoawq",
    "awq_ext": "autoawq-kernels",
    "auto_gptq": "auto-gptq",
    "transformer_engine": "transformer-engine",
    "pkg_resources": "setuptools",
    "setuptools": "setuptools",
    "distutils": "setuptools",
    "usb": "pyusb",
    "zmq": "pyzmq",
    "mpi4py": "mpi4py",
    "tensorflow_hub": "tensorflow-hub",
    "absl": "absl-py",
    "Levenshtein": "levenshtein",
    "hydra": "hydra-core",
    "pycocotools": "pycocotools",
    "decord": "decord",
    "jinja2": "jinja2",
    "IPython": "ipython",
    "MySQLdb": "mysqlclient",
    "psycopg2": "psycopg2-binary",
    "win32api": "pywin32",
    "gi": "pygobject",
    "lightning": "lightning",
    "fla": "flash-linear-attention",
    "amdsmi": "amdsmi",
    "rocm_sdk": "rocm",
}
"""Import names whose distribution has another name, or is known to have the same."""
REMOVED = {
    "3.12": ("distutils", "imp", "asynchat", "asyncore", "smtpd"),
    "3.13": (
        *("aifc", "audioop", "cgi", "cgitb", "chunk", "crypt", "imghdr", "mailcap", "msilib"),
        *("nis", "nntplib", "ossaudiodev", "pipes", "sndhdr", "spwd", "sunau", "telnetlib"),
        *("uu", "xdrlib", "lib2to3"),
    ),
}
"""Modules that each Python no longer has."""
_DECLARING = re.compile(r"(?:requirements[\w.-]*\.(?:txt|in)|pyproject\.toml|setup\.(?:py|cfg))\Z")
_LARGEST = 1_000_000


def provider_of(top: str) -> str:
    """Return the distribution of a top-level module; empty where that is not known."""
    found = _NAMES.get(top)
    if found is not None:
        return found
    name = canonicalize_name(top)
    return name if name in _published() else ""


@cache
def _published() -> frozenset[str]:
    from rocmlint.published import requirements  # noqa: PLC0415 - it reads a table

    return frozenset(requirements.packages())


def is_library(context: Context, top: str) -> bool:
    """Return whether a name is that of a package that is installed or known, or of Python's own."""
    if top in sys.stdlib_module_names or context.packages.owner(top) is not None:
        return True
    return bool(provider_of(top))


def removed_in(top: str) -> str:
    """Return the Python that no longer has one of its modules; empty for another module."""
    return next((python for python, modules in REMOVED.items() if top in modules), "")


def declared_in(context: Context, names: tuple[str, ...]) -> str:
    """Return the file at the project's root that declares one of some distributions."""
    try:
        files = sorted(filter(_DECLARING.match, os.listdir(context.project)))
    except OSError:
        return ""
    words = "|".join(re.escape(canonicalize_name(each)).replace(r"\-", "[-_.]") for each in names)
    pattern = re.compile(rf"(?<![\w.-])(?:{words})(?![\w-])", re.IGNORECASE)
    for name in files:
        try:
            text = read_small(os.path.join(context.project, name), _LARGEST)
        except (OSError, ValueError):
            continue
        if pattern.search(text.decode("utf-8", "replace")):
            return name
    return ""
