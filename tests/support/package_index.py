"""A package index on this machine, which answers as it is told to."""

from __future__ import annotations

import hashlib
import io
import json
import re
import threading
import zipfile
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_JSON = "application/vnd.pypi.simple.v1+json"
WHEELS = """<html><body>
<a href="/whl/torch-2.14.1%2Brocm7.2-cp313-cp313-manylinux_2_28_x86_64.whl#sha256=0">a</a>
<a href="/whl/torch-2.14.1%2Brocm7.14-cp313-cp313-manylinux_2_28_x86_64.whl">b</a>
<a href="/whl/torch-2.15.0%2Brocm7.14-cp314-cp314t-manylinux_2_28_x86_64.whl">c</a>
<a href="/whl/torch-2.15.0%2Brocm10.0-cp311-cp311-manylinux_2_28_x86_64.whl">d</a>
<a href="/whl/torch-2.15.0%2Brocm10.0-cp311-cp311-win_amd64.whl">only Windows</a>
<a href="/whl/torch-2.15.0%2Bcu130-cp311-cp311-manylinux_2_28_x86_64.whl">CUDA</a>
<a href="/whl/torch-2.15.0%2Brocm10.0.git12-cp311-cp311-linux_x86_64.whl">another label</a>
</body></html>"""
"""A page of torch that has releases for several ROCm, and what is not one."""
NIGHTLY = """<a href="torch-2.16.0.dev20261120%2Brocm10.2-cp312-cp312-linux_x86_64.whl">n</a>
<a href="torch-2.14.0.dev20260701%2Brocm7.1-cp312-cp312-linux_x86_64.whl">old</a>"""
"""Its page of nightly builds."""


def today(ahead: int = 0) -> str:
    """Return the day of an upload. Never as a constant: tests run over midnight, too."""
    return (datetime.now(timezone.utc) + timedelta(days=ahead)).date().isoformat()


class Page(NamedTuple):
    """What an address answers."""

    content: bytes
    kind: str = "application/octet-stream"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


class PackageIndex:
    """Its pages, by path, and what was asked for."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.pages: dict[str, Page] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []

    @property
    def simple(self) -> str:
        return f"{self.url}/simple"

    def project(self, name: str, *files: dict[str, object], **more: object) -> None:
        """Answer with a page of JSON (PEP 691)."""
        page = {"meta": {"api-version": "1.1"}, "name": name, "files": list(files), **more}
        self.pages[f"/simple/{name}/"] = Page(json.dumps(page).encode(), _JSON)

    def wheel(
        self, name: str, version: str, *requires: str, beside: bool = True, day: str = "2026-11-20"
    ) -> dict[str, object]:
        """Put a wheel on the index, and return its entry on the page of its project."""
        file = f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
        lines = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}"]
        lines += ["Requires-Python: >=3.10", *(f"Requires-Dist: {each}" for each in requires)]
        metadata = ("\n".join(lines) + "\n\nThe README.\n").encode()
        entry: dict[str, object] = {"filename": file, "url": f"../../files/{file}"}
        entry |= {"upload-time": f"{day}T10:00:00Z", "yanked": False, "hashes": {}}
        self.pages[f"/files/{file}"] = Page(wheel_with(name, version, metadata))
        if beside:
            self.pages[f"/files/{file}.metadata"] = Page(metadata)
            entry["core-metadata"] = {"sha256": hashlib.sha256(metadata).hexdigest()}
        return entry


def wheel_with(name: str, version: str, metadata: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    """Return a wheel of some size, with this METADATA."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as wheel:
        wheel.writestr(f"{name}/weights.bin", bytes(300_000))
        wheel.writestr(f"{name.replace('-', '_')}-{version}.dist-info/METADATA", metadata, method)
        wheel.writestr(f"{name}/more.bin", bytes(200_000))
    return packed.getvalue()


@contextmanager
def serving() -> Iterator[PackageIndex]:
    """Serve an index on a port of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.index = PackageIndex(f"http://127.0.0.1:{server.server_address[1]}")  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.index  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        index: PackageIndex = self.server.index  # type: ignore[attr-defined]
        index.asked.append((self.path, dict(self.headers)))
        page = index.pages.get(self.path, Page(b"no such page", "text/plain", 404))
        content, status, headers = page.content, page.status, dict(page.headers)
        part = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if part is not None and status == 200:
            start = int(part[1]) if part[1] else max(0, len(content) - int(part[2]))
            end = min(int(part[2]), len(content) - 1) if part[1] else len(content) - 1
            headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
            content, status = content[start : end + 1], 206
        self.send_response(status)
        self.send_header("Content-Type", page.kind)
        self.send_header("Content-Length", headers.pop("Content-Length", str(len(content))))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""
