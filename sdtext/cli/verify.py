"""Verify: check the signatures in files."""

from collections.abc import Sequence

from sdtext.cli.options import common
from sdtext.cli.print_results import print_signatures
from sdtext.cli.verb import verb


@verb("sdtext Verify share.xml --from office.key.pub")
@common.inputs("FILE")
@common.paths(
    *("--from", "public"),
    metavar="PUBLIC",
    words="The public key of someone whose signature counts. Repeatable.",
    required=True,
)
@common.rows_format
def command(files: Sequence[str], public: Sequence[str], form: str | None) -> int:
    """Check that each FILE is signed with one of the keys PUBLIC, and unchanged since then.

    There is a row for each signature. A file that was changed is an error that names the place
    (exit code 5); so is one that is not signed, or by others alone (exit code 4). It needs the
    extra keys: pip install 'sdtext[keys]'.
    """
    from sdtext.sharing.signatures import verify

    return print_signatures(files, lambda path: verify(path, public), form)
