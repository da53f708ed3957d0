"""KeyDictionary: put the terms of a dictionary under a key."""

import click

from sdtext.cli.main import say
from sdtext.cli.options import common
from sdtext.cli.options.values import XML_PATH
from sdtext.cli.origin import name_of, origin
from sdtext.cli.verb import verb
from sdtext.wording import counted, shown


@verb("sdtext KeyDictionary -d english -k project.key --new-key -o keyed.xml")
@common.dictionary
@common.key("The file of the key.")
@common.flag("new-key", "First make the key, in the new file KEY, which you alone can read.")
@common.output("OUT", "The file to write; - prints it.", XML_PATH, required=True)
@common.force
def command(path: str, key: str | None, new_key: bool, output: str, force: bool) -> None:
    """Write DICT with its terms replaced by digests under a key, in the order of the digests.

    Whoever makes fingerprints with it needs the key: SDTEXT_KEY names its file, or SDTEXT_KEY_TEXT
    holds what would be in it. Whoever compares them needs no key, and cannot read their terms.
    Scores are those of DICT; only matchers by IDF have coarse weights, since document frequencies
    are replaced by 8 classes. It needs the extra keys: pip install 'sdtext[keys]'.
    """
    from sdtext.fingerprinting.load_and_save import load_dictionary, save
    from sdtext.reading.overwrite_guard import DICTIONARY, Output
    from sdtext.sharing.keyed_dictionaries import key_dictionary, new_dictionary_key

    if new_key and not key:
        raise click.UsageError("Name the file of the new key with -k KEY.")
    target = Output(output, DICTIONARY, force)
    target.check([path, *filter(None, [key])])
    dictionary = load_dictionary(path)
    if new_key and key:
        new_dictionary_key(key)
        say(f"{shown(key)}: the key, for those who make fingerprints; do not share it with others")
    keyed = key_dictionary(dictionary, key, name=name_of(output), origin=origin())
    save(keyed, output, may_replace=target.check_replaced)
    terms, classes = counted(len(keyed.terms), "term"), len(set(keyed.counts))
    say(f"{terms} under the key in {shown(output)}, with {classes} different document frequencies")
