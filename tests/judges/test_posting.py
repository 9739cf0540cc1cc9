"""Posts over TLS, through proxies, and again over the same connection."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from argue_eval.judges.completions import ProxyError, Server, UnreachedError
from tests.chat_server import ChatServer, says

CERTIFICATE = (
    "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
    "-addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem"
)
NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*NAMES, *map(str.upper, NAMES)):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate of this machine, beside its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    subprocess.run(CERTIFICATE.split(), cwd=tmp_path, check=True, capture_output=True)
    return tmp_path / "cert.pem"


@contextmanager
def posting(url: str) -> Iterator[Server]:
    """A server to post to, whose connections are closed in the end."""
    server = Server(url, {"Authorization": "Bearer k"}, 10_000)
    try:
        yield server
    finally:
        server.close()


def test_a_server_with_a_trusted_certificate_is_asked_over_tls(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer(says("yes")) as server:
        server.secure(certificate)
        url = server.url.replace("http:", "https:")
        with posting(url) as stranger, pytest.raises(UnreachedError, match="certificate"):
            stranger.post(b"{}", 5.0)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with posting(url) as known:
            assert [known.post(b"{}", 5.0).status for _ in range(2)] == [200, 200]
            assert server.num_connections == 1


def test_a_connection_is_used_again_and_a_new_one_made_when_it_was_closed() -> None:
    with ChatServer(says("yes")) as server, posting(server.url) as client:
        assert [client.post(b"{}", 5.0).status for _ in range(3)] == [200] * 3
        assert server.num_connections == 1
        client.close()
        assert client.post(b"{}", 5.0).status == 200
        assert server.num_connections == 2


def test_a_proxy_gets_the_whole_address_and_its_own_password(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer(says("yes")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("http://", "http://me:pw@"))
        monkeypatch.setenv("http_proxy", proxy.url.replace("http://", "http://me:pw@"))
        with posting("http://models.example/v1") as client:
            assert client.post(b"{}", 5.0).status == 200
        (received,) = proxy.received
    assert received.path == "http://models.example/v1"
    assert received.headers["proxy-authorization"] == "Basic bWU6cHc="
    assert received.headers["authorization"] == "Bearer k"


def test_a_tunnel_is_opened_through_a_proxy_and_never_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        heard: list[bytes] = []

        def refuse() -> None:
            connection, _ = listening.accept()
            with connection:
                heard.append(connection.recv(1000))
                connection.sendall(b"HTTP/1.1 407 Proxy password, please\r\n\r\n")

        thread = threading.Thread(target=refuse)
        thread.start()
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{listening.getsockname()[1]}")
        with (
            posting("https://models.example/v1") as client,
            pytest.raises(UnreachedError, match="407"),
        ):
            client.post(b"{}", 5.0)
        thread.join()
    assert heard[0].startswith(b"CONNECT models.example:443 ")
    assert b"Bearer" not in heard[0]


@pytest.mark.parametrize("proxy", ["socks5://localhost:1", "http://", "http://[x", "http://a:b:c"])
def test_a_proxy_of_another_kind_is_refused(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", proxy)
    with pytest.raises(ProxyError):
        Server("http://models.example/v1", {}, 1)
    monkeypatch.setenv("no_proxy", "models.example")
    Server("http://models.example/v1", {}, 1)
