"""Accepts only requests from pages of this server, on this machine.

A page of another site may also send requests to the loopback, under its own host name (DNS
rebinding). So the requested host must be the loopback, the origin must be this server, and the
address must begin with a secret token.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
METHODS = ("GET", "POST")
MOST_BODY_BYTES = 64 * 1024
_TOKEN_BYTES = 24


def new_token() -> str:
    """A random secret token, of characters that an address may have."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


class Refusal(Exception):
    """Why a request is not answered."""

    def __init__(self, status: HTTPStatus, message: str):
        super().__init__(status, message)
        self.status = status
        self.message = message


@dataclass(frozen=True)
class Guard:
    """Checks requests against the server's address and token."""

    port: int
    token: str

    def check(self, method: str, target: str, headers: Mapping[str, str]) -> str:
        """The rest of the path of a request, after the token. Raises Refusal.

        `headers` are looked up by lower-case names.
        """
        hosts = {f"{name}:{self.port}" for name in NAMES}
        if headers.get("host", "").lower() not in hosts:
            raise Refusal(HTTPStatus.FORBIDDEN, "the Host header names another server")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{host}" for host in hosts}:
            raise Refusal(HTTPStatus.FORBIDDEN, "the request comes from another site")
        if method not in METHODS:
            raise Refusal(HTTPStatus.METHOD_NOT_ALLOWED, f"expected {' or '.join(METHODS)}")
        _, _, path = target.partition("/")
        token, _, rest = path.partition("/")
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            message = "the address has another token: open the one that `tileir view` has printed"
            raise Refusal(HTTPStatus.FORBIDDEN, message)
        return rest


def body_length(headers: Mapping[str, str]) -> int:
    """How many bytes the JSON of a request has. Raises Refusal."""
    # A form of another site sends other types.
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected the content type application/json"
        )
    length = headers.get("content-length", "")
    if "transfer-encoding" in headers or not (length.isascii() and length.isdecimal()):
        raise Refusal(HTTPStatus.LENGTH_REQUIRED, "expected a Content-Length header")
    if len(length) > len(str(MOST_BODY_BYTES)) or int(length) > MOST_BODY_BYTES:
        message = f"expected at most {MOST_BODY_BYTES} bytes"
        raise Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
    return int(length)
