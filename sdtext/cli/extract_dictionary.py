"""ExtractDictionary: write the dictionary in a fingerprint to a file."""

from sdtext.cli.main import say
from sdtext.cli.options import common
from sdtext.cli.options.values import XML_PATH
from sdtext.cli.verb import verb
from sdtext.wording import counted, shown


@verb("sdtext ExtractDictionary memo.fp.xml -d letters.xml")
@common.file_option(
    "-f", "-i", "--fingerprint", to="path", metavar="FINGERPRINT", words="The file."
)
@common.option(
    "-d",
    "-o",
    "--dictionary",
    "output",
    kind=XML_PATH,
    metavar="DICT",
    help="The file to write, for a single dictionary; - prints it.  [default: its name with .xml]",
)
@common.force
def command(path: str, output: str | None, force: bool) -> None:
    """Write each dictionary in FINGERPRINT to a file of its own.

    Without -d the fingerprint names the files, so that no existing one is replaced.
    """
    from sdtext.fingerprinting.load_and_save import save_embedded_dictionaries

    for dictionary, target in save_embedded_dictionaries(path, output, force=force):
        number = counted(len(dictionary.terms), "term")
        say(f"dictionary {dictionary.name} ({number}) in {shown(target)}")
