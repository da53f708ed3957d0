"""Sign: sign dictionaries, fingerprint files and evidence."""

from collections.abc import Sequence
from functools import partial

import click

from sdtext.cli.main import say
from sdtext.cli.options import common
from sdtext.cli.options.values import InputPath
from sdtext.cli.origin import origin
from sdtext.cli.print_results import print_signatures
from sdtext.cli.verb import verb
from sdtext.wording import shown


@verb(
    "sdtext Sign --new-key -k office.key",
    "sdtext Sign share.xml -k office.key --signer 'A. Person'",
)
@click.argument("files", nargs=-1, type=InputPath(), metavar="[FILE]...")
@common.key("The file of your signing key.")
@common.option("--signer", metavar="NAME", default="", help="The person or office that signs.")
@common.flag("new-key", "Make a key instead: KEY for you alone, and KEY.pub for others.")
@common.rows_format
def command(
    files: Sequence[str], key: str | None, signer: str, new_key: bool, form: str | None
) -> int:
    """Add a signature to each FILE: a dictionary, a file of fingerprints or evidence.

    A signature is a line at the end of the file: who signed, when, with which version of sdtext,
    and an Ed25519 signature over all bytes before it. Verify checks it. Without KEY, SDTEXT_KEY
    names the file of the key, or SDTEXT_KEY_TEXT holds what would be in it. It needs the extra
    keys: pip install 'sdtext[keys]'.
    """
    from sdtext.sharing.signatures import new_signing_key, sign

    if new_key != (not files) or (new_key and not key):
        raise click.UsageError("Name the files to sign, or use --new-key with -k KEY alone.")
    if new_key and key:
        private, public = new_signing_key(key)
        say(f"{shown(private)}: the key, for you alone; {shown(public)}: for those who verify")
        return 0
    signed = partial(sign, key=key, signer=signer, signed=origin().created)
    return print_signatures(files, lambda path: [signed(path)], form)
