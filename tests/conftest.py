"""Property tests are bounded by their number of examples; a busy machine must not fail them."""

from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
