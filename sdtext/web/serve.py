"""The server: one process that listens, until it is interrupted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import OptionError, OutputError
from sdtext.wording import reason

try:
    import python_multipart  # noqa: F401 (Starlette asks for it)
    import uvicorn

    from sdtext.web.application import application
    from sdtext.web.pages import Settings
except ImportError as missing:
    raise OptionError("Serve needs the extra web: pip install 'sdtext[web]'") from missing

from sdtext.web.library import lacks

LOCAL = frozenset(("127.0.0.1", "localhost", "[::1]"))


def settings_of(
    collections: Sequence[Path],
    *,
    folder: Path,
    host: str,
    password: str,
    max_upload: int,
    days: int,
    jobs: int,
) -> Settings:
    """The settings of a server. Raises OptionError for another host without a password."""
    name = f"[{host}]" if ":" in host else host.lower()
    if name not in LOCAL and not password:
        raise OptionError(f"host {host} is open to others: give a password (password-file)")
    paths = [path.resolve() for path in collections]
    return Settings(paths, folder, LOCAL | {name}, max_upload, days * 86_400.0, jobs, password)


def serve(
    settings: Settings,
    host: str,
    port: int,
    say: Callable[[str], None],
    show: Callable[[str], None],
) -> None:
    """Listen until interrupted; `show` gets the address, `say` what collections cannot do.

    Raises UnreadableError or FormatError for a collection that cannot be opened, and OutputError
    where the port or the folder is taken.
    """
    for path in settings.collections:
        with StoredCollection.open(path) as stored:
            if what := lacks(stored):
                say(what)
    guard, dispatcher = application(settings)
    config = uvicorn.Config(
        guard, host=host, port=port, log_level="warning", access_log=False, server_header=False
    )
    try:
        socket = config.bind_socket()
    except (SystemExit, OSError) as error:
        dispatcher.close()
        why = reason(error) if isinstance(error, OSError) else "it is taken"
        raise OutputError(f"port {port} cannot be listened on: {why}") from error
    socket.listen()  # whoever reads the address may open it at once
    at = f"http://{f'[{host}]' if ':' in host else host}:{socket.getsockname()[1]}/"
    show(at if settings.password else f"{at}?token={guard.token}")
    try:
        uvicorn.Server(config).run([socket])
    finally:
        dispatcher.close()
