"""Which pages may ask: a browser lets any page try, also at a server for this machine alone.

origins = Origins(options)
origins.check("POST", {b"host": b"localhost:5000", b"origin": b"https://a.example"})   # Refusal
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import TYPE_CHECKING

from demotic.serve.refusal import Refusal

if TYPE_CHECKING:
    from demotic.serve.options import ServeOptions

ANYBODY = "*"


class Origins:
    """The server's own page, those that ``--cors`` names, and nobody else's."""

    def __init__(self, options: ServeOptions) -> None:
        self._cors = options.cors
        self._here_alone = (
            _is_loopback(options.host) and not options.behind_proxy and options.cors != ANYBODY
        )

    def check(self, method: str, headers: Mapping[bytes, bytes]) -> None:
        """Refuse what a page from elsewhere asks."""
        host = headers.get(b"host", b"").decode("latin-1")
        # A name of somebody else's that leads here makes his page one of ours for the browser.
        if self._here_alone and host and not _is_loopback(_name(host)):
            raise Refusal(
                403,
                "This server is for its own machine, as localhost or 127.0.0.1; "
                "see --host and --behind-proxy",
            )
        origin = headers.get(b"origin", b"").decode("latin-1")
        if (
            method != "GET"
            and origin
            and self._cors not in (ANYBODY, origin)
            and origin.partition("://")[2] != host
        ):
            raise not_asked()


def not_asked() -> Refusal:
    """For pages that may not ask."""
    return Refusal(403, "Pages of other addresses may not ask; see --cors")


def _name(host: str) -> str:
    """A host without its port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def _is_loopback(name: str) -> bool:
    name = name.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
