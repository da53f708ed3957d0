"""Serve: check documents against collections in a browser."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from sdtext.cli.main import say
from sdtext.cli.options import common
from sdtext.cli.options.values import InputPath, OutputPath
from sdtext.cli.verb import verb


@verb(
    "sdtext Serve archive.sdx",
    "sdtext Serve archive.sdx --host 192.168.1.5 --password-file password.txt",
)
@click.argument("collections", nargs=-1, type=InputPath(), metavar="[NAME.sdx]...")
@common.option("--port", least=0, default=8765, help="The port; 0 is any that is free.")
@common.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    help="The address to listen on; another one than this machine's own needs --password-file.",
)
@common.option(
    "--password-file",
    kind=InputPath(),
    metavar="FILE",
    help="A file with the password that people give in place of the printed address.",
)
@common.option(
    "--folder",
    kind=OutputPath(),
    metavar="FOLDER",
    default="~/.local/state/sdtext/serve",
    help="The folder for uploads, results and new collections.",
)
@common.option("--max-upload", least=1, default=50, help="Largest upload, in megabytes.")
@common.option("--keep", least=1, default=30, help="Days after which uploads and results go.")
@common.option("--jobs", least=1, default=2, help="Jobs that run at once.")
def command(collections: Sequence[str], folder: str, **listening: Any) -> None:
    """Serve a web application that checks documents against collections.

    It prints the address to open, which lets in whoever has it. All stays on this machine. It needs
    the extra web: pip install 'sdtext[web]'.
    """
    from sdtext.web.serve import serve

    place = Path(folder).expanduser()
    serve([*map(Path, collections)], place, **listening, say=say, show=click.echo)
