"""Which requests are answered: by host, origin, method, token and body."""

from http import HTTPStatus

import pytest

from tileir_xdsl.view.guarding import MOST_BODY_BYTES, Guard, Refusal, body_length, new_token

TOKEN = "token"
GUARD = Guard(4000, TOKEN)
OURS = {"host": "127.0.0.1:4000"}


def refused(method: str, target: str, headers: dict[str, str]) -> HTTPStatus:
    """The status with which a request is refused."""
    with pytest.raises(Refusal) as caught:
        GUARD.check(method, target, headers)
    return caught.value.status


@pytest.mark.parametrize(
    "headers",
    [
        OURS,
        {"host": "localhost:4000"},
        {"host": "LOCALHOST:4000", "origin": "http://localhost:4000"},
        {**OURS, "origin": "http://127.0.0.1:4000"},
    ],
)
def test_the_page_is_answered(headers: dict[str, str]):
    assert GUARD.check("GET", f"/{TOKEN}/report/a.mlir?x=1", headers) == "report/a.mlir?x=1"
    assert GUARD.check("POST", f"/{TOKEN}/force/a.mlir", headers) == "force/a.mlir"


@pytest.mark.parametrize(
    "host",
    [None, "", "127.0.0.1", "127.0.0.1:4001", "evil.example:4000", "127.0.0.1:4000,evil.example"],
)
def test_other_hosts(host: str | None):
    headers = {} if host is None else {"host": host}
    assert refused("GET", f"/{TOKEN}/", headers) is HTTPStatus.FORBIDDEN


@pytest.mark.parametrize(
    "origin",
    ["null", "", "http://evil.example", "https://127.0.0.1:4000", "http://127.0.0.1:4001"],
)
def test_other_origins(origin: str):
    assert refused("POST", f"/{TOKEN}/force/a", {**OURS, "origin": origin}) is HTTPStatus.FORBIDDEN


@pytest.mark.parametrize(
    "target",
    ["/", "/other/", "//token/", "token", "/Token/", "/tokenx/", "http://x/token/", "/tökén/"],
)
def test_other_tokens(target: str):
    assert refused("GET", target, OURS) is HTTPStatus.FORBIDDEN


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "get", ""])
def test_other_methods(method: str):
    assert refused(method, f"/{TOKEN}/", OURS) is HTTPStatus.METHOD_NOT_ALLOWED


def test_tokens_are_long_and_never_the_same():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) >= 32 and "/" not in token for token in tokens)


def test_body_length():
    given = {"content-type": "Application/JSON; charset=utf-8", "content-length": "12"}
    assert body_length(given) == 12


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"content-type": "text/plain"}, HTTPStatus.UNSUPPORTED_MEDIA_TYPE),
        ({"content-type": "application/x-www-form-urlencoded"}, HTTPStatus.UNSUPPORTED_MEDIA_TYPE),
        ({"content-length": ""}, HTTPStatus.LENGTH_REQUIRED),
        ({"content-length": "-1"}, HTTPStatus.LENGTH_REQUIRED),
        ({"content-length": "٣"}, HTTPStatus.LENGTH_REQUIRED),
        ({"transfer-encoding": "chunked"}, HTTPStatus.LENGTH_REQUIRED),
        ({"content-length": str(MOST_BODY_BYTES + 1)}, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
        ({"content-length": "9" * 5000}, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    ],
)
def test_bodies_that_are_refused(change: dict[str, str], status: HTTPStatus):
    given = {"content-type": "application/json", "content-length": "12", **change}
    with pytest.raises(Refusal) as caught:
        body_length(given)
    assert caught.value.status is status
