"""Property tests here build forests of very different size: no example is too slow."""

from hypothesis import settings

settings.register_profile("forest", deadline=None)
settings.load_profile("forest")
