"""The web application: check a document against collections, without a command line.

`serve` has the addresses, listens, and lets nobody in without a secret, `pages` answers, `jobs`
keeps what is asked for in a table and runs it in processes, `work` is what these do.
"""

from importlib.util import find_spec

from sdtext.errors import OptionError

if not all(map(find_spec, ("python_multipart", "starlette", "uvicorn"))):
    raise OptionError("Serve needs the extra web: pip install 'sdtext[web]'")
