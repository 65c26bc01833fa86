"""How property tests run: bounded by their number of examples, since a busy machine must not fail them.

Where the environment says that nobody is there to look (``CI``), they draw the same examples every time: a rare draw is
found by who develops, and never stops who lands something else.
"""

import os

from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.register_profile("the same every time", deadline=None, derandomize=True)
settings.load_profile("the same every time" if os.environ.get("CI") else "no deadline")
