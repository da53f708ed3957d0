"""sdtext: find which documents share content, and where, by fingerprints that can be shared.

The stub beside this file, `__init__.pyi`, is the one table of the public names; all else may
change. A name is loaded when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
