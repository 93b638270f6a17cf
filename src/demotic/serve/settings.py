"""``GET /frontend/settings``: what pages need to know before they ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from demotic.serve.languages import language_name
from demotic.serve.uploads import FORMATS

if TYPE_CHECKING:
    from demotic.serve.loaded import Loaded
    from demotic.serve.options import ServeOptions


def frontend_settings(loaded: Loaded, options: ServeOptions, *, keys: bool) -> dict[str, Any]:
    """As LibreTranslate says them."""
    first = loaded.all[0]
    return {
        "charLimit": options.char_limit,
        "frontendTimeout": 300,
        "apiKeys": keys,
        "keyRequired": keys,
        "suggestions": loaded.suggestions is not None,
        "filesTranslation": not options.disable_files,
        "supportedFilesFormat": [] if options.disable_files else list(FORMATS),
        "language": {
            "source": {"code": first.source, "name": language_name(first.source)},
            "target": {"code": first.target, "name": language_name(first.target)},
        },
    }
