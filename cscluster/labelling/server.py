"""The page's server: this computer only, and only for who knows the address.

Every request needs the token in the address.  The name of the host is checked as
well, so that no other site can reach the server by a name that points here.
"""

from __future__ import annotations

import json
import re
import secrets
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from cscluster.errors import ConstraintError, CsclusterError, StoreError
from cscluster.labelling.items import png
from cscluster.labelling.session import AnswerError, Session
from cscluster.labelling.state import PageState
from cscluster.words import integer

_LIMIT = 10_000
_PAGE = {
    "": ("labelling/page/page.html", "text/html"),
    "page.js": ("labelling/page/page.js", "text/javascript"),
    "base.css": ("base.css", "text/css"),
    "page.css": ("labelling/page/page.css", "text/css"),
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Server(ThreadingHTTPServer):
    """Serves one session on the loopback interface.

    Parameters
    ----------
    view : PageState
        The session.
    port : int
        Port to listen on; 0 takes a free one.

    Raises
    ------
    StoreError
        If the port is taken.
    """

    request_queue_size = 64

    def __init__(self, view: PageState, port: int = 0) -> None:
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise StoreError(f"Cannot listen on port {port}: {error.strerror or error}.") from error
        self.view = view
        self.token = secrets.token_urlsafe(24)
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        """Address of the page."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that went away or fell silent; anything else is shown."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = 60

    def do_GET(self) -> None:
        name = self._allowed()
        if name is None:
            return
        picture = re.fullmatch(r"image/(\d{1,12})\.png", name)
        view = self.server.view
        if name in _PAGE:
            file, kind = _PAGE[name]
            text = (files("cscluster") / file).read_bytes()
            self._send(HTTPStatus.OK, text, f"{kind}; charset=utf-8")
        elif name in (contents := {"fixed": view.fixed, "state": view.state, "answers": view.answers}):
            with self.server.lock:
                self._send_json(HTTPStatus.OK, contents[name]())
        elif name == "labels.csv":
            try:
                self._send(HTTPStatus.OK, view.session.labels_csv().encode(), "text/csv; charset=utf-8")
            except CsclusterError as error:
                self._refuse(HTTPStatus.CONFLICT, str(error))
        elif picture and view.items.pictures and int(picture[1]) < view.session.table.n_samples:
            self._send(
                HTTPStatus.OK, png(view.items.pictures.pixels(int(picture[1]))), "image/png", "max-age=86400"
            )
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "There is nothing here.")

    def do_POST(self) -> None:
        name = self._allowed()
        if name is None:
            return
        size = integer(self.headers.get("Content-Length", ""))
        kind = self.headers.get_content_type()
        session = self.server.view.session
        try:
            if name != "step" or kind != "application/json" or size is None or size > _LIMIT:
                raise ValueError("no answer")
            step = _Action.model_validate_json(self.rfile.read(size))
            if len({row for row in step.rows if 0 <= row < session.table.n_samples}) < step.n_rows:
                raise ValueError("needs rows")
        except ValueError:
            self._refuse(HTTPStatus.BAD_REQUEST, "This is not an answer.")
            return
        with self.server.lock:
            try:
                step.apply(session)
            except CsclusterError as error:
                chain = error.chain if isinstance(error, AnswerError) else []
                pairs = [[link.a, link.b] for link in chain]
                reply = {**self.server.view.state(), "error": str(error), "chain": pairs}
                self._send_json(HTTPStatus.CONFLICT, reply)
            else:
                self._send_json(HTTPStatus.OK, self.server.view.state())

    def _allowed(self) -> str | None:
        """Return what is asked for below the token, or refuse."""
        port = self.server.server_port
        hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        origin = self.headers.get("Origin")
        _, token, name = [*self.path.partition("?")[0].split("/", 2), "", ""][:3]
        known = secrets.compare_digest(token.encode(), self.server.token.encode())
        if not known or self.headers.get("Host") not in hosts or self.path.count("/") < 2:
            self._refuse(HTTPStatus.FORBIDDEN, "Open the address that the terminal shows.")
            return None
        if origin is not None and origin not in (f"http://{host}" for host in hosts):
            self._refuse(HTTPStatus.FORBIDDEN, "Another page may not answer.")
            return None
        return name

    def _refuse(self, status: HTTPStatus, sentence: str) -> None:
        self._send(status, sentence.encode(), "text/plain; charset=utf-8")

    def _send_json(self, status: HTTPStatus, value: Any) -> None:
        self._send(status, json.dumps(value).encode(), "application/json")

    def _send(self, status: HTTPStatus, content: bytes, kind: str, cache: str = "no-store") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", cache)
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the terminal clear."""


class _Action(BaseModel):
    """What a person did, and the rows that it is about; `step` is the number of steps that were seen."""

    model_config = ConfigDict(strict=True)

    action: Literal["yes", "no", "skip", "change", "delete", "name", "undo"]
    rows: tuple[int, int] = (-1, -1)
    together: bool = True
    name: str = Field("", max_length=60)
    step: int | None = None

    @property
    def n_rows(self) -> int:
        """How many different rows it must name."""
        return {"undo": 0, "name": 1}.get(self.action, 2)

    def apply(self, session: Session) -> None:
        """Do it.

        Raises
        ------
        ConstraintError
            If another page has changed what it is about.
        """
        a, b = self.rows
        if self.action == "undo":
            if self.step != session.n_steps:
                raise ConstraintError("The answers were changed on another page. Nothing was taken back.")
            session.undo()
        elif self.action == "skip":
            session.skip(a)
        elif self.action == "change":
            session.change(a, b, self.together)
        elif self.action == "name":
            session.name(a, " ".join(self.name.split()))
        elif self.action == "delete":
            session.delete(a, b)
        else:
            session.answer(a, b, self.action == "yes")
