"""Property tests here build forests of very different size: no example is too slow."""

from hypothesis import settings

settings.register_profile("forest", deadline=None, max_examples=50)
settings.load_profile("forest")
