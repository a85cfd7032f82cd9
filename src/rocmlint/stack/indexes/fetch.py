"""Reading from package indexes: over HTTP only, and bounded in time, size and redirects."""

from __future__ import annotations

import base64
import http.client
import os
import socket
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakSet

from rocmlint.disk.read import read_small
from rocmlint.errors import RocmlintError
from rocmlint.text.secrets import without_password
from rocmlint.text.visible import visible
from rocmlint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO

_PORTS = {"https": 443, "http": 80}
_NOT_VALID = "not a valid URL; write # / ? in a user name or password as %23 %2F %3F"
_CHUNK = 1 << 16
_PATIENCE = 30.0
"""Seconds that a server may be silent."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""Codes that are an error only after too many of them."""
_TRIES = 3
"""How often a server is asked that cannot be reached."""
_LONGEST_REASON = 200
"""Characters of what went wrong: a server has a say in it."""
PAGE = 12 << 20
"""Bytes of the largest page that is read: that of all wheels of torch has a few million."""


_Made = TypeVar("_Made", http.client.HTTPConnection, http.client.HTTPSConnection)


class FetchError(RocmlintError):
    """An address could not be read; the message names it, without a password."""


class OutOfTimeError(FetchError):
    """The time for all addresses is over."""


class UnreachableError(FetchError):
    """A server did not answer at all."""


class IndexAnswer(NamedTuple):
    """The content at an address."""

    url: str
    """Where it was in the end, after redirects."""
    kind: str
    """The media type, in lower case and without parameters."""
    content: bytes
    total: int
    """Bytes of the whole where a part was asked for, else of the content."""


class IndexReader:
    """Reads addresses, until the time or the bytes for all of them are used up."""

    def __init__(self, seconds: float, most: int = 1 << 28, certificates: str = "") -> None:
        """Begin: the time runs from now.

        ``certificates`` is a file or a directory of authorities in place of the system's. Raises
        FetchError where they cannot be read.
        """
        self._lock = threading.Lock()
        self._end = time.monotonic() + seconds
        self._left = most
        self._sockets: WeakSet[socket.socket] = WeakSet()
        self._cut = threading.Timer(min(seconds, threading.TIMEOUT_MAX), self.stop)
        self._cut.daemon = True
        self._silent: dict[str, int] = {}
        """How often each server could not be reached."""
        self._logins = _Logins()
        self._opener = urllib.request.OpenerDirector()
        for handler in (
            self._logins,
            urllib.request.ProxyHandler(),
            _Http(self._sockets),
            _Https(self._sockets, _checking(certificates)),
            urllib.request.HTTPDefaultErrorHandler(),
            urllib.request.HTTPErrorProcessor(),
            _Redirects(),
        ):
            self._opener.add_handler(handler)

    def get(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,
        most: int = PAGE,
        status: int = 200,
    ) -> IndexAnswer:
        """Return what an address has. Raises FetchError, and OutOfTimeError when time is over."""
        try:
            self._begin()
            request = self._request(url, headers or {})
            if self._silent.get(request.host, 0) >= _TRIES:
                message = "the server cannot be reached"
                raise UnreachableError(message)
            with self._opener.open(request, timeout=self._patience()) as found:
                return self._whole(found, min(most, self._left), status)
        except FetchError as error:
            message = f"{without_password(url)}: {error}"
            raise type(error)(message) from error
        except urllib.error.HTTPError as error:
            error.close()
            said = "it redirects too often" if error.code in _REDIRECTS else f"HTTP {error.code}"
            message = f"{without_password(url)}: {said}"
            raise FetchError(message) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._patience()  # raises where the time is over, which says more
            if isinstance(error, urllib.error.URLError):
                self._silent[request.host] = self._silent.get(request.host, 0) + 1
            message = f"{without_password(url)}: {_reason(error)}"
            raise UnreachableError(message) from error

    def stop(self) -> None:
        """Let every question fail from now on, also those under way: a server may drip for ever."""
        self._end = 0.0
        self._cut.cancel()
        for each in tuple(self._sockets):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _request(self, url: str, headers: Mapping[str, str]) -> urllib.request.Request:
        """Ask for an address; a name and password in it go where HTTP has them."""
        parts = _parts(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            message = "not an HTTP or HTTPS URL"
            raise FetchError(message)
        if "@" in parts.fragment:
            raise FetchError(_NOT_VALID)
        login, _, host = parts.netloc.rpartition("@")
        clean = parts._replace(netloc=host, fragment="").geturl()
        request = urllib.request.Request(clean, headers=dict(headers))  # noqa: S310 - checked above
        request.add_header("User-Agent", f"rocmlint/{__version__}")
        if login:
            self._logins.add(clean, login)
        return request

    def _begin(self) -> None:
        with self._lock:
            if self._cut.ident is None and self._end:
                self._cut.start()

    def _patience(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            message = "out of time (see --timeout)"
            raise OutOfTimeError(message)
        return min(left, _PATIENCE)

    def _whole(self, found: Any, most: int, status: int) -> IndexAnswer:
        if found.status != status:
            message = f"HTTP {found.status} instead of {status}"
            raise FetchError(message)
        if found.headers.get("Content-Encoding", "identity") != "identity":
            message = "it is compressed, though that was not asked for"
            raise FetchError(message)
        parts, size = [], 0
        while part := found.read1(_CHUNK):
            self._patience()
            size += len(part)
            if size > most:
                message = f"it is larger than {most >> 20} MiB"
                raise FetchError(message)
            parts.append(part)
        self._patience()  # what was cut ends like what is whole
        said = found.headers.get("Content-Length")
        if said is not None and said.isdecimal() and int(said) != size:
            message = f"it ended after {size} of {said} bytes"
            raise FetchError(message)
        self._left -= size
        _, _, total = found.headers.get("Content-Range", "").rpartition("/")
        whole = int(total) if total.isdecimal() else size
        return IndexAnswer(found.url, found.headers.get_content_type(), b"".join(parts), whole)


def _reason(error: Exception) -> str:
    """Return why a server could not be asked, without an address of a proxy: it has a password."""
    if isinstance(error, (ValueError, http.client.InvalidURL)):
        return "its URL, that of the proxy or the response is not valid"
    said = str(getattr(error, "reason", None) or error).strip() or type(error).__name__
    return visible(said)[:_LONGEST_REASON]


def _parts(url: str) -> urllib.parse.SplitResult:
    """Split an address. Raises FetchError, without what Python says: it has the password in it."""
    try:
        parts = urllib.parse.urlsplit(url)
        _ = parts.port
    except ValueError:
        raise FetchError(_NOT_VALID) from None
    return parts


def _checking(certificates: str) -> ssl.SSLContext:
    folder = certificates if os.path.isdir(certificates) else None
    file = None if folder else certificates or None
    try:
        if file is not None:
            read_small(file)  # OpenSSL would wait for a pipe
        return ssl.create_default_context(cafile=file, capath=folder)
    except OSError as error:
        message = f"{certificates}: not certificates that can be read ({error.strerror or error})"
        raise FetchError(message) from error


def _kept(made: _Made, sockets: WeakSet[socket.socket]) -> _Made:
    """Return a connection that adds its socket to others when it has one."""
    connect = made.connect

    def connected() -> None:
        connect()
        if made.sock is not None:
            sockets.add(made.sock)

    made.connect = connected  # type: ignore[method-assign]
    return made


class _Logins(urllib.request.BaseHandler):
    """Sends each server the name and password that were in an address of it, and no other one.

    Links on its pages have none, and lead to what needs them as well.
    """

    def __init__(self) -> None:
        self._of: dict[tuple[str, str | None, int | None], str] = {}

    def add(self, url: str, login: str) -> None:
        """Keep the login in front of the host of an address."""
        login = login if ":" in login else f"{login}:"
        packed = base64.b64encode(urllib.parse.unquote_to_bytes(login)).decode()
        self._of[_origin(url)] = f"Basic {packed}"

    def http_request(self, req: urllib.request.Request) -> urllib.request.Request:
        """Add what is known for the server of a request; a redirect makes another request."""
        login = self._of.get(_origin(req.full_url))
        if login:
            req.add_unredirected_header("Authorization", login)
        return req

    https_request = http_request


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


class _Http(urllib.request.HTTPHandler):
    """Opens connections that can be cut."""

    def __init__(self, sockets: WeakSet[socket.socket]) -> None:
        super().__init__()
        self._sockets = sockets

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        def made(host: str, **more: Any) -> http.client.HTTPConnection:
            return _kept(http.client.HTTPConnection(host, **more), self._sockets)

        return self.do_open(made, req)


class _Https(urllib.request.HTTPSHandler):
    """Opens connections that can be cut, and that check certificates."""

    def __init__(self, sockets: WeakSet[socket.socket], checking: ssl.SSLContext) -> None:
        super().__init__(context=checking)
        self._sockets, self._checking = sockets, checking

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        def made(host: str, **more: Any) -> http.client.HTTPSConnection:
            return _kept(http.client.HTTPSConnection(host, **more), self._sockets)

        return self.do_open(made, req, context=self._checking)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows a few redirects, but none away from HTTP, nor from HTTPS to what can be read.

    Nor one with a name and a password in it.
    """

    max_redirections = 5

    def redirect_request(  # noqa: PLR0913, PLR0917 - as the base class has it
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        to = _parts(newurl)
        is_weaker = req.type == "https" and to.scheme != "https"
        if to.scheme not in _PORTS or is_weaker or "@" in to.netloc:
            message = f"it redirects to {without_password(newurl)}, which is not followed"
            raise FetchError(message)
        return super().redirect_request(req, fp, code, msg, headers, newurl)
