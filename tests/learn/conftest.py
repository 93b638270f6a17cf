"""Property tests here build dev sets of very different size: no example is too slow."""

from hypothesis import settings

settings.register_profile("learn", deadline=None, max_examples=50)
settings.load_profile("learn")
