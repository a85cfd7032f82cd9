"""The METADATA of a wheel on an index: the file next to it (PEP 658), else read out of the wheel.

Out of a wheel only the list of its files and the one file are read, by range requests.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from email.parser import BytesHeaderParser
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.published.requirement_lines import Facts
from rocmlint.stack.indexes.fetch import FetchError
from rocmlint.stack.indexes.ranged import RangedFile
from rocmlint.stack.indexes.simple_index import release_of
from rocmlint.text.visible import visible
from rocmlint.text.written import version_of

if TYPE_CHECKING:
    from rocmlint.stack.indexes.fetch import IndexReader
    from rocmlint.stack.indexes.simple_index import IndexFile

_LARGEST = 1 << 20
"""Bytes of METADATA: those of nightly notebooks with a README in it have a tenth."""
_MOST_REQUIREMENTS = 5_000
_LONGEST = 4_000
"""Characters of a requirement, or of a range of Pythons."""
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""How wheels are packed. LZMA would take as much memory as a server likes, and may be missing."""
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError),
    *(LookupError, OSError, ValueError),
)


def facts_of(reader: IndexReader, package: str, file: IndexFile) -> Facts:
    """Return what a wheel requires. Raises FetchError, also for the metadata of something else."""
    content = _beside(reader, file) if file.metadata is not None else _inside(reader, file)
    metadata = BytesHeaderParser().parsebytes(content)
    name, version = str(metadata["Name"]), str(metadata["Version"])
    if canonicalize_name(name) != package or version_of(version) != release_of(file.name):
        message = f"{file.name}: its metadata is that of {visible(f'{name[:80]} {version[:80]}')}"
        raise FetchError(message)
    required = metadata.get_all("Requires-Dist") or []
    if len(required) > _MOST_REQUIREMENTS:
        message = f"{file.name}: it has more than {_MOST_REQUIREMENTS} requirements"
        raise FetchError(message)
    python = str(metadata.get("Requires-Python") or "")
    lines = list(map(str, required))
    if max(map(len, (python, *lines))) > _LONGEST:
        message = f"{file.name}: it has a requirement of more than {_LONGEST} characters"
        raise FetchError(message)
    return Facts(
        requires_dist=lines,
        requires_python=python,
        is_yanked=file.yanked,
    )


def _beside(reader: IndexReader, file: IndexFile) -> bytes:
    content = reader.get(f"{file.url.partition('#')[0]}.metadata", most=_LARGEST).content
    if file.metadata and hashlib.sha256(content).hexdigest() != file.metadata:
        message = f"{file.name}: its metadata has another hash than the index says"
        raise FetchError(message)
    return content


def _inside(reader: IndexReader, file: IndexFile) -> bytes:
    remote = RangedFile(reader, file.url.partition("#")[0])
    try:
        with (
            zipfile.ZipFile(remote) as wheel,
            wheel.open(_metadata_in(wheel)) as found,
        ):
            content = found.read(_LARGEST + 1)
    except FetchError:
        raise
    except _DAMAGE as error:
        message = f"{file.name}: not a wheel that can be read ({type(error).__name__})"
        raise FetchError(message) from error
    if len(content) > _LARGEST:
        message = f"{file.name}: its metadata is larger than {_LARGEST >> 20} MiB"
        raise FetchError(message)
    return content


def _metadata_in(wheel: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Return the one file with metadata. Raises ValueError, or NotImplementedError as zipfile."""
    (found,) = (each for each in wheel.infolist() if _is_metadata(each.filename))
    if found.compress_type not in _PACKED:
        raise NotImplementedError(found.compress_type)
    return found


def _is_metadata(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return name == "METADATA" and folder.endswith(".dist-info") and "/" not in folder
