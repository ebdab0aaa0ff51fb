"""The page in a real browser, answered by the true classes through its keys."""

import contextlib
import http.client
import json
import re
import socket
import threading
import urllib.error
import urllib.request

import numpy as np
import pytest

from cscluster.constraints.files import read_constraints
from cscluster.labelling.clusters import AnswerClusterer
from cscluster.labelling.items import Items, Pictures
from cscluster.labelling.server import Server
from cscluster.labelling.session import Session
from cscluster.labelling.state import PageState
from cscluster.metrics import scores as metrics
from cscluster.tables import method
from cscluster.tables.outputs import labels_csv


@contextlib.contextmanager
def serving(view):
    """Serve a page, and end it."""
    with Server(view) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield running
        finally:
            running.shutdown()
            thread.join()


@pytest.fixture
def digits_server(session, items):
    points = np.asarray(session.table.X, dtype=float)[:, [20, 43]]
    view = PageState(
        session, items, points, lambda clusters: f"cscluster cluster digits -a {clusters.algorithm}"
    )
    with serving(view) as running:
        yield running


@pytest.fixture(scope="module")
def server(beads, tmp_path_factory):
    """Pages about beads that are 2 x 1 pixels; tests leave it as they find it."""
    path = tmp_path_factory.mktemp("beads") / "links.csv"
    with Session(AnswerClusterer(beads, beads.X, 3, "pckmeans"), path) as session:
        items = Items(beads, "beads", set(), Pictures(beads.X, (2, 1)))
        with serving(PageState(session, items, beads.X, lambda clusters: "use")) as running:
            yield running


class Person:
    """Looks at the page and presses keys."""

    def __init__(self, browser, address, y):
        self.browser, self.y = browser, y
        browser.get_log("browser")
        browser.get(address)
        self.wait(0)

    def wait(self, before):
        """Wait until the page shows more than `before` states, and return their number."""
        from selenium.webdriver.support.ui import WebDriverWait

        def shown(browser):
            return int(browser.execute_script("return document.body.dataset.step || 0"))

        WebDriverWait(self.browser, 60, poll_frequency=0.01).until(lambda browser: shown(browser) > before)
        return shown(self.browser)

    def press(self, key):
        from selenium.webdriver.common.by import By

        before = int(self.browser.execute_script("return document.body.dataset.step"))
        self.browser.find_element(By.TAG_NAME, "body").send_keys(key)
        self.wait(before)

    def wait_for(self, script):
        """Wait until a script returns true."""
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.browser, 60, poll_frequency=0.01).until(
            lambda browser: browser.execute_script(script)
        )

    def run(self, call):
        """Call a function of the page, and wait for its end."""
        self.browser.execute_async_script(f"{call}.then(arguments[0])")

    def pair(self):
        return tuple(
            self.browser.execute_script("return state.question && state.question.map((item) => item.row)")
        )

    def answer(self):
        a, b = self.pair()
        self.press("y" if self.y[a] == self.y[b] else "n")
        return a, b

    def text(self, name):
        return self.browser.execute_script("return document.getElementById(arguments[0]).textContent", name)

    def complaints(self):
        return [entry["message"] for entry in self.browser.get_log("browser")]


def label(browser, server, count):
    """Answer `count` questions with an undo and a reload in between; check what must be true."""
    session, y = server.view.session, server.view.session.table.y
    person = Person(browser, server.address, y)
    asked = [person.answer() for _ in range(count // 2)]

    before = session.path.read_text()
    undone = person.answer()
    assert session.path.read_text() != before
    person.press("u")
    assert session.path.read_text() == before
    assert person.pair() == undone
    person.press("s")
    assert undone[0] not in person.pair()
    person.press("u")
    assert person.pair() == undone

    browser.refresh()
    person.wait(0)
    assert person.pair() == undone
    asked += [person.answer() for _ in range(count - len(asked))]

    links = read_constraints(session.path, len(y))
    assert len(links) == len(session.answers) == count
    assert len(links.violated(y)) == 0
    written = {tuple(sorted(pair)) for pair in asked}
    assert {tuple(pair) for pair in np.vstack([links.must_links, links.cannot_links]).tolist()} == written
    assert person.text("answers").startswith(f"{count} (")
    person.wait_for("return state.upToDate")
    assert person.text("command") == "cscluster cluster digits -a PCK-Means"
    assert person.complaints() == []
    return links


def test_twenty_answers(browser, digits_server):
    links = label(browser, digits_server, 20)
    session = digits_server.view.session
    session.close()
    with Session(AnswerClusterer(session.table, session.table.X, 10, "pckmeans"), session.path) as again:
        assert again.links == links
        assert again.question == session.question


def test_the_list_of_answers_on_the_page(browser, digits_server):
    session = digits_server.view.session
    for a, b, together in ((0, 1, True), (1, 2, True), (2, 3, False)):
        session.answer(a, b, together)
    person = Person(browser, digits_server.address, session.table.y)
    person.run("send({action: 'no', rows: [0, 2]})")
    assert re.match("'0'.*'2'.*together.*'0' and '1', '1' and '2'", person.text("problem"))
    entries = "Array.from(document.querySelectorAll('#given li'))"
    person.wait_for(f"return {entries}.length == 3")
    shown = person.browser.execute_script(
        f"return {entries}.map((e) => [e.firstChild.textContent, e.className])"
    )
    assert shown == [["0 and 1", "chain"], ["1 and 2", "chain"], ["2 not 3", ""]]
    person.browser.execute_script(f"{entries}[0].querySelectorAll('button')[0].click()")
    person.wait_for(f"return {entries}.length == 3 && {entries}[0].textContent.startsWith('0 not 1')")
    person.browser.execute_script(f"{entries}[1].querySelectorAll('button')[1].click()")
    person.wait_for(f"return {entries}.length == 2")
    assert [(link.a, link.b, link.together) for link in session.answers] == [(0, 1, False), (2, 3, False)]
    assert all("409" in entry for entry in person.complaints())


@pytest.mark.slow
def test_two_hundred_answers(browser, digits_server):
    y = digits_server.view.session.table.y
    start = metrics.score("nmi", y, digits_server.view.session.clusters.labels)
    label(browser, digits_server, 200)
    assert metrics.score("nmi", y, digits_server.view.session.clusters.labels) > start
    assert digits_server.view.session.n_likely_groups == 10


def test_the_end_of_the_program_is_said(browser, session, items):
    with serving(PageState(session, items, np.zeros((200, 2)), lambda clusters: "use")) as running:
        person = Person(browser, running.address, session.table.y)
    person.run("step('yes')")
    assert "The program has ended" in person.text("status")


def get(server, path, headers=None, body=None):
    """Return status, headers and content of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    connection.request("POST" if body is not None else "GET", path, body, headers or {})
    reply = connection.getresponse()
    content = reply.read()
    connection.close()
    return reply.status, dict(reply.headers), content


def test_without_the_token_everything_is_refused(server):
    for path in ("/", "/state", "//state", "/wrong/state", f"/{server.token[:-1]}/", f"/{server.token}"):
        assert get(server, path)[0] == 403
    assert get(server, "/wrong/step", {"Content-Type": "application/json"}, "{}")[0] == 403
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/", timeout=30)
    assert get(server, f"/{server.token}/state")[0] == 200


def test_other_hosts_and_other_pages_are_refused(server):
    place = f"/{server.token}/"
    assert get(server, place, {"Host": "example.org"})[0] == 403
    assert get(server, place, {"Host": f"example.org:{server.server_port}"})[0] == 403
    assert get(server, place, {"Host": f"localhost:{server.server_port}"})[0] == 200
    step = json.dumps({"action": "yes", "rows": [0, 1]})
    kind = {"Content-Type": "application/json"}
    assert get(server, place + "step", {**kind, "Origin": "http://example.org"}, step)[0] == 403
    assert get(server, place + "step", {"Content-Type": "text/plain"}, step)[0] == 400
    assert server.view.session.answers == []


def test_only_this_computer_is_listened_to(server):
    assert server.server_address[0] == "127.0.0.1"
    policy = get(server, f"/{server.token}/")[1]["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy


@pytest.mark.parametrize(
    "step",
    [
        "",
        "[]",
        '{"action": "perhaps"}',
        '{"action": "yes"}',
        '{"action": "yes", "rows": [1]}',
        '{"action": "yes", "rows": [1, 1]}',
        '{"action": "yes", "rows": [0, 60]}',
        '{"action": "yes", "rows": [-1, 3]}',
        '{"action": "yes", "rows": [true, 3]}',
        '{"action": "yes", "rows": ["0", "1"]}',
        "x" * 20_000,
        "[" * 9_000,
        '{"action":' * 900,
        '{"action": "yes", "rows": [0, ' + "9" * 5000 + "]}",
        b"\xff\xfe\x00",
        '{"action": [], "rows": {}}',
        '{"action": "change"}',
        '{"action": "delete", "rows": [0, 60]}',
        '{"action": "undo", "step": "0"}',
    ],
)
def test_what_is_no_answer_changes_nothing(server, step, capfd):
    status, _, _ = get(server, f"/{server.token}/step", {"Content-Type": "application/json"}, step)
    assert status == 400
    assert server.view.session.answers == []
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("length", ["²", "-1", "9" * 5000, "1e3", "", "٣"])
def test_lengths_that_are_none_are_refused(server, length, capfd):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
        head = f"POST /{server.token}/step HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        connection.sendall(head.encode())
        assert connection.makefile("rb").readline().split()[1] == b"400"
    assert capfd.readouterr().err == ""


def test_a_browser_that_falls_silent_leaves_no_trace(server, monkeypatch, capfd):
    monkeypatch.setattr(server.RequestHandlerClass, "timeout", 0.1)
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
        head = f"POST /{server.token}/step HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n"
        connection.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{".encode())
        assert connection.makefile("rb").read() == b""
    assert capfd.readouterr().err == ""


def post(server, **step):
    """Return status and state after a step."""
    kind = {"Content-Type": "application/json"}
    status, _, content = get(server, f"/{server.token}/step", kind, json.dumps(step))
    return status, json.loads(content)


def test_a_contradiction_is_named_with_its_chain_and_can_be_resolved(server):
    session = server.view.session
    for rows in ([0, 1], [1, 2]):
        assert post(server, action="yes", rows=rows)[0] == 200
    status, state = post(server, action="no", rows=[0, 2])
    assert status == 409
    assert re.match("'b0'.*'b2'.*together.*'b0' and 'b1', 'b1' and 'b2'", state["error"])
    assert state["chain"] == [[0, 1], [1, 2]]
    assert state["again"]
    assert [item["row"] for item in state["question"]] == [0, 1]
    assert len(session.answers) == 2
    assert post(server, action="change", rows=[0, 1], together=False)[0] == 200
    assert json.loads(get(server, f"/{server.token}/answers")[2]) == [
        {"rows": [0, 1], "names": ["b0", "b1"], "together": False},
        {"rows": [1, 2], "names": ["b1", "b2"], "together": True},
    ]
    for rows in ([0, 1], [1, 2]):
        assert post(server, action="delete", rows=rows)[0] == 200
    assert session.answers == []


def test_a_page_that_is_behind_changes_nothing(server):
    session = server.view.session
    for rows in ([0, 1], [2, 3], [4, 5]):
        post(server, action="yes", rows=rows)
    seen = post(server, action="delete", rows=[2, 3])[1]["step"]
    post(server, action="change", rows=[4, 5], together=False)
    for step in (
        {"action": "delete", "rows": [2, 3]},
        {"action": "change", "rows": [2, 3], "together": False},
        {"action": "undo", "step": seen},
        {"action": "undo"},
    ):
        status, state = post(server, **step)
        assert status == 409
        assert state["error"]
    assert [tuple(link[:3]) for link in session.answers] == [(0, 1, True), (4, 5, False)]
    for rows in ([0, 1], [4, 5]):
        post(server, action="delete", rows=rows)


def test_two_tabs(browser, server):
    session = server.view.session
    for rows in ([0, 1], [2, 3], [4, 5]):
        post(server, action="yes", rows=rows)
    person = Person(browser, server.address, session.table.y)
    person.browser.execute_script("document.getElementById('all').open = true")
    entries = "Array.from(document.querySelectorAll('#given li'))"
    person.wait_for(f"return {entries}.length == 3")
    post(server, action="delete", rows=[2, 3])
    person.browser.execute_script(f"{entries}[1].querySelectorAll('button')[1].click()")
    person.wait_for(f"return {entries}.length == 2")
    assert re.search("no answer.*'b2'.*'b3'", person.text("problem"))
    assert [tuple(link[:2]) for link in session.answers] == [(0, 1), (4, 5)]
    for rows in ([0, 1], [4, 5]):
        post(server, action="delete", rows=rows)
    assert all("409" in entry for entry in person.complaints())


def test_the_page_exports_the_clusters_that_it_shows(server, beads):
    session = server.view.session
    for a, b in ((0, 25), (1, 45)):
        assert post(server, action="yes", rows=[a, b])[0] == 200
    status, headers, content = get(server, f"/{server.token}/labels.csv")
    assert (status, headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    expected = method.fit(method.Method("pckmeans"), 3, beads.X, session.links, 0).labels
    assert content.decode() == labels_csv(beads, expected)
    for _ in range(2):
        session.undo()


def test_unknown_places_are_not_found(server):
    for name in ("secret", "image/60.png", "image/x.png", "../state", "page.html"):
        assert get(server, f"/{server.token}/{name}")[0] == 404
    status, headers, content = get(server, f"/{server.token}/image/0.png")
    assert (status, headers["Content-Type"]) == (200, "image/png")
    assert content.startswith(b"\x89PNG")


def test_a_cluster_is_named_on_the_page_and_keys_do_not_answer_meanwhile(browser, server):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    session = server.view.session
    person = Person(browser, server.address, session.table.y)
    person.wait_for("return state.upToDate && document.body.dataset.upToDate")
    field = person.browser.find_element(By.CSS_SELECTOR, "#clusters input")
    field.click()
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys("sunny\n")
    person.wait_for("return state.clusters.some((cluster) => cluster.name === 'sunny')")
    assert session.answers == []
    assert "sunny" in get(server, f"/{server.token}/labels.csv")[2].decode()
    with Session(
        AnswerClusterer(session.table, session.table.X, 3), session.path.with_name("new.csv")
    ) as other:
        assert other.names == {}
    row = next(iter(session.names))
    assert post(server, action="name", rows=[row, row], name="")[0] == 200
    assert session.names == {}
    assert person.complaints() == []
