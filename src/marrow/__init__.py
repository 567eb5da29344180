"""marrow cuts a failing input down to the part that matters.

`reduce` and `abstract` are what the command line does, as functions; everything else is in the
packages below.
"""

from marrow.api import abstract, reduce
from marrow.engine.verdict import Verdict
from marrow.reduce.settings import Settings
from marrow.reduction import Result, UnfitTestError

__all__ = ["Result", "Settings", "UnfitTestError", "Verdict", "abstract", "reduce"]
