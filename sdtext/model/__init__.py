"""Values that all of sdtext exchanges. All are frozen.

The stub beside this file, `__init__.pyi`, is the table of the names; a module is loaded when a name
of it is first used, since each class takes time to make.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
