"""Files at remote addresses, such as s3://bucket/pages.jsonl: fetched once, and written whole.

HTTP is read by the standard library, all else by fsspec. Such a path is an address only if no local
file is called so. pathlib writes s3:/bucket for s3://bucket, which is taken for the same.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from shutil import copyfileobj
from tempfile import NamedTemporaryFile, mkstemp
from typing import Any, BinaryIO, cast

from sdtext.errors import OptionError, OutputError, SdtextError, UnreadableError
from sdtext.io.decompressed_content import ByteRange, Content, SharedFile
from sdtext.io.platform import IS_UNIX
from sdtext.wording import reason

_PACKAGES = {"s3": "s3fs", "gs": "gcsfs", "hf": "huggingface_hub", "memory": ""}
_ADDRESS = re.compile(rf"({'|'.join(_PACKAGES)}|https?):/{{1,2}}([^/].*)", re.DOTALL)
_HTTP = ("http", "https")
_SECONDS = 60  # without any byte
_BLOCK = 1 << 20
_CACHED = 64  # addresses


def remote_address(path: str | os.PathLike[str]) -> str:
    """The address that a path is, "" for that of a local file.

    >>> remote_address("s3:/bucket/a.jsonl"), remote_address("notes/a.jsonl")
    ('s3://bucket/a.jsonl', '')
    """
    text = os.fspath(path)
    address = _ADDRESS.fullmatch(text)
    if address is None or os.path.lexists(text):
        return ""
    return f"{address[1]}://{address[2]}"


@lru_cache(_CACHED)
def fetched(address: str, max_bytes: int) -> ByteRange:
    """The bytes at an address, in a file without a name that this process keeps.

    Raises UnreadableError; PackingError above `max_bytes`, and OptionError where a package lacks.
    """
    descriptor, name = mkstemp(prefix="sdtext-")
    store = SharedFile(descriptor, name)
    if IS_UNIX:
        os.unlink(name)  # noqa: PTH108 (a name, not a path to go on from)
    size, content = 0, Content(address, max_bytes)
    with _opened(address) as source, os.fdopen(os.dup(descriptor), "wb") as copy:
        while block := source.read(_BLOCK):
            size += len(block)
            content.check_size(size)
            copy.write(block)
    return ByteRange(store, 0, size)


def forget_fetched() -> None:
    """Let addresses be fetched again: what is there may have changed."""
    fetched.cache_clear()


def matching_addresses(address: str) -> list[str]:
    """The addresses that match a pattern, in the order of their names; those in a folder.

    Raises UnreadableError or OptionError. Over HTTP nothing is listed.
    """
    if _scheme(address) in _HTTP:
        return [address]
    scheme = _scheme(address)
    with _reporting(address):
        files = _file_system(scheme, address)
        if any(sign in address for sign in "*?["):
            paths = files.glob(address)
        else:
            paths = files.find(address) if files.isdir(address) else [address]
        names = [str(path) for path in paths]
    return sorted(name if "://" in name else f"{scheme}://{name.lstrip('/')}" for name in names)


@contextmanager
def written_remotely(
    address: str, may_replace: Callable[[], None] | None = None
) -> Iterator[BinaryIO]:
    """A local file that is copied to an address on success. Raises OutputError.

    `may_replace` raises it where something at the address may not be replaced.
    """
    with NamedTemporaryFile(prefix="sdtext-") as local:
        yield cast("BinaryIO", local)
        local.flush()
        local.seek(0)
        try:
            if may_replace:
                may_replace()
            files = _file_system(_scheme(address), address)
            with _reporting(address), files.open(address, "wb") as target:
                copyfileobj(local, target)
        except UnreadableError as error:
            is_lacking = isinstance(error.__cause__, FileNotFoundError)
            what = "no such bucket or folder" if is_lacking else error.what
            raise OutputError(f"cannot be written: {what}", file=address) from error


def check_writable(address: str, *, replaces: bool) -> None:
    """Raise OutputError if nothing can be written to an address, or something is there."""
    scheme = _scheme(address)
    if scheme in _HTTP:
        raise OutputError("cannot be written: over HTTP files are only read", file=address)
    try:
        with _reporting(address):
            is_there = _file_system(scheme, address).exists(address)
    except UnreadableError as error:
        raise OutputError(f"cannot be written: {error.what}", file=address) from error
    if is_there and not replaces:
        raise OutputError("already exists; name another file", file=address)


def _scheme(address: str) -> str:
    return address.split(":", 1)[0]


@contextmanager
def _opened(address: str) -> Iterator[BinaryIO]:
    scheme = _scheme(address)
    with _reporting(address):
        source = (
            _answer(address)
            if scheme in _HTTP
            else cast("BinaryIO", _file_system(scheme, address).open(address, "rb"))
        )
        with source:
            yield source


@contextmanager
def _reporting(address: str) -> Iterator[None]:
    try:
        yield
    except SdtextError:
        raise
    except FileNotFoundError as error:
        raise UnreadableError("no such file", file=address) from error
    except Exception as error:
        why = " ".join(str(error).split())[:200] or type(error).__name__
        raise UnreadableError(why, file=address) from error


def _file_system(scheme: str, address: str) -> Any:
    """The file system of fsspec for a scheme. Raises OptionError where a package lacks."""
    try:
        import fsspec

        return fsspec.filesystem(scheme)
    except ImportError as error:
        more = f" {package}" if (package := _PACKAGES[scheme]) else ""
        packages = f"fsspec and {package}" if package else "fsspec"
        what = f"{scheme}:// needs {packages}, of which one is not installed; pip install "
        what += f"'sdtext[remote]'{more}"
        raise OptionError(what, file=address) from error


def _answer(address: str) -> BinaryIO:
    """The body of the answer to a request. Redirections lead to HTTP only."""
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, build_opener

    try:
        request = Request(address, headers={"User-Agent": "sdtext"})  # noqa: S310 (is HTTP)
        return cast("BinaryIO", build_opener(_redirection()).open(request, timeout=_SECONDS))
    except HTTPError as error:
        error.close()
        raise UnreadableError(f"HTTP status {error.code} ({error.reason})", file=address) from error
    except URLError as error:
        why = reason(error.reason) if isinstance(error.reason, OSError) else error.reason
        raise UnreadableError(f"cannot be fetched: {why}", file=address) from error


def _redirection() -> Any:
    """A handler of redirections that refuses other schemes and a change from HTTPS to HTTP."""
    from urllib.request import HTTPRedirectHandler

    class Redirection(HTTPRedirectHandler):
        def redirect_request(self, req: Any, *answer: Any) -> Any:
            old, new = _scheme(req.full_url), _scheme(answer[-1])
            if new not in _HTTP or (old, new) == ("https", "http"):
                answer[0].close()
                raise UnreadableError(f"redirects to {new}:, which is refused", file=req.full_url)
            return super().redirect_request(req, *answer)

    return Redirection()
