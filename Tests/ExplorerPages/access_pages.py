"""Access control, and that reading a store leaves it unchanged."""
import glob
import hashlib
import http.server
import os
import signal
import socket
import threading
from urllib.parse import urlsplit

import stores
from browser import options
from server import Server

POLICY = ("default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'",
          "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'")


def test_only_the_address_with_its_token_opens_it(p):
    request = p.server.request
    assert request("/", cookie=False)[0] == 403 and request("/api/store", cookie=False)[0] == 403
    assert request("/?token=0123456789abcdef0123456789abcdef", cookie=False)[0] == 403
    assert request("/api/store")[0] == 200
    assert "token" not in p.page.url
    cookie = p.context.cookies()[0]
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict", cookie
    assert "explorer" not in p.page.evaluate("document.cookie")


def test_the_address_may_be_followed_from_another_site(p):
    class OtherSite(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<a href='{p.server.address}'>store</a>".encode())

        def log_message(self, *_):
            pass
    with http.server.HTTPServer(("127.0.0.1", 0), OtherSite) as other_site:
        threading.Thread(target=other_site.serve_forever, daemon=True).start()
        p.context.clear_cookies()
        # The browser treats another name of this machine as another site.
        p.page.goto(f"http://localhost:{other_site.server_port}/")
        p.page.click("a")
        p.page.wait_for_selector("#overview-title")
        assert p.page.url == p.server.base + "/", p.page.url
        p.page.go_back()
        assert "token" not in p.page.url, p.page.url
        other_site.shutdown()


def test_a_store_keeps_its_port(p):
    # If the port is in use, the server selects another one.
    other = Server(p.store, write=False)
    assert other.base != p.server.base
    other.close()
    base = p.server.base
    p.page.evaluate("localStorage.setItem('coredata kept', '1')")
    p.page.goto("about:blank")
    p.server.close()
    again = Server(p.store, write=False)
    try:
        assert again.base == base, (again.base, base)
        p.page.goto(again.address)
        p.page.wait_for_url(base + "/")
        assert p.page.evaluate("localStorage.getItem('coredata kept')") == "1"
        p.page.goto("about:blank")
    finally:
        again.close()


def test_other_hosts_and_origins_are_refused(p):
    request = p.server.request
    assert request("/", headers={"Host": "evil.example"})[0] == 421
    assert request("/api/store", headers={"Origin": "http://evil.example"})[0] == 403
    for headers in ({"Origin": None}, {"X-Explorer": None}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
        status, _, _ = request("/api/edit/undo", "POST", {}, headers)
        assert status == 403, (headers, status)
    assert request("/api/edit/undo", "POST", {})[0] == 200


def send(p, text, wait=True):
    """Sends raw bytes to the server. Returns the first line of the response, or the connection if `wait` is false."""
    connection = socket.create_connection(urlsplit(p.server.base).netloc.split(":"), timeout=60)
    connection.sendall(text.encode())
    if not wait:
        return connection
    with connection:
        return connection.makefile("rb").readline().decode().strip()


def test_a_request_to_another_server_is_refused(p):
    p.server.request("/api/store")
    host, cookie = urlsplit(p.server.base).netloc, p.server.cookie

    def status(target, *hosts):
        lines = "".join(f"Host: {one}\r\n" for one in hosts)
        return int(send(p, f"GET {target} HTTP/1.1\r\n{lines}Cookie: {cookie}\r\nConnection: close\r\n\r\n").split()[1])
    assert status("/api/store", host) == 200
    for hosts in ((host + ".evil.example",), (host, host), (host, "evil.example"), ("evil.example", host), (host + "@evil.example",), (host + "x",)):
        assert status("/api/store", *hosts) == 400, hosts
    for target in (f"http://{host}/api/store", "http://evil.example/api/store", "https://evil.example", "*", "evil.example:80"):
        assert status(target, host) == 400, target
    assert status("/api/store", "evil.example") == 421


def test_idle_and_half_sent_connections_do_not_block_requests(p):
    ends = []
    try:
        for number in range(1_100):
            half = f"GET / HTTP/1.1\r\nHost: {urlsplit(p.server.base).netloc}\r\nX: " if number % 2 else ""
            try:
                ends.append(send(p, half, wait=False))
            except OSError:
                break
        assert len(ends) > 600, len(ends)
        assert p.server.request("/api/store")[0] == 200
        p.table("/entities/Team")
        # The server closes idle connections one after another.
        last = ends[-1]
        last.settimeout(60)
        assert last.recv(1) == b""
    finally:
        for end in ends:
            end.close()
    assert p.server.request("/api/store")[0] == 200


def test_requests_without_their_bodies_do_not_block_requests(p):
    """The requests have a valid cookie, so the server waits for their bodies."""
    p.server.request("/api/store")
    host = urlsplit(p.server.base).netloc
    head = (f"POST /api/edit HTTP/1.1\r\nHost: {host}\r\nCookie: {p.server.cookie}\r\nX-Explorer: 1\r\nOrigin: {p.server.base}\r\n"
            "Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{")
    ends = []
    try:
        for _ in range(700):
            try:
                ends.append(send(p, head, wait=False))
            except OSError:
                break
        assert len(ends) > 600, len(ends)
        for _ in range(20):
            assert p.server.request("/api/store")[0] == 200
        assert p.server.request("/api/edit/undo", "POST", {})[0] == 200
        p.table("/entities/Team")
        # The server waits for the rest of a request only until a deadline.
        last = ends[-1]
        last.settimeout(60)
        assert last.recv(1) == b""
    finally:
        for end in ends:
            end.close()
    assert p.server.request("/api/store")[0] == 200


def test_event_streams_do_not_block_requests(p):
    p.server.request("/api/store")
    head = f"GET /api/events HTTP/1.1\r\nHost: {urlsplit(p.server.base).netloc}\r\nCookie: {p.server.cookie}\r\n\r\n"
    ends = []
    try:
        for _ in range(700):
            try:
                ends.append(send(p, head, wait=False))
            except OSError:
                break
        assert len(ends) > 600, len(ends)
        for _ in range(20):
            assert p.server.request("/api/store")[0] == 200
    finally:
        for end in ends:
            end.close()
    # The server may have closed the page's own stream to make room. The page opens another and receives the changes.
    p.table("/entities/Team")
    p.page.goto("about:blank")
    p.errors[:] = [error for error in p.errors if "ERR_INCOMPLETE_CHUNKED_ENCODING" not in error]


def test_every_response_has_the_policy(p):
    for path in ("/", "/entities/Person", "/api/store", "/api/nothing"):
        _, headers, _ = p.server.request(path)
        policy = headers["Content-Security-Policy"]
        assert all(part in policy for part in POLICY), (path, policy)
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer", path
    # The policy of a diagram allows only its inline styles, wherever it is opened.
    policy = p.server.request("/api/diagram.svg")[1]["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src" not in policy and "sandbox" in policy, policy


def test_only_files_of_the_client_are_served(p):
    address = p.page.evaluate("document.querySelector('script[src]').src").split("/client/")[1].split("/")[0]
    for path in ("../PROTOCOL.md", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/Explorer.swift", "/etc/passwd", "core", ""):
        assert p.server.request(f"/client/{address}/{path}")[0] == 404, path
    status, headers, _ = p.server.request(f"/client/{address}/main.js")
    assert status == 200 and "javascript" in headers["Content-Type"] and "immutable" in headers["Cache-Control"]


def test_the_pages_request_nothing_from_other_sites(p):
    requested = []
    p.page.on("request", lambda request: requested.append(request.url))
    p.table("/entities/Person")
    p.go("/diagram")
    p.until("document.querySelector('.diagram-picture')?.shadowRoot?.querySelector('svg')")
    assert requested and all(url.startswith((p.server.base, "data:", "blob:")) for url in requested), requested


def test_a_signal_right_after_the_start_closes_the_store(p):
    # The page's own server has the other copy open.
    store = stores.copy("sample")
    for number in (signal.SIGINT, signal.SIGTERM) * 4:
        server = Server(store)
        server.process.send_signal(number)
        try:
            code = server.process.wait(20)
            assert code in (0, 130), (number, code)
        finally:
            server.close()


@options(write=False)
def test_reading_leaves_a_store_unchanged(p):
    folder = os.path.dirname(p.store)

    def state():
        return {path: (hashlib.sha256(open(path, "rb").read()).hexdigest(), os.stat(path).st_mtime_ns) for path in glob.glob(folder + "/*")}
    before = state()
    p.table("/entities/Customer?section=state&sort=state,-lastName")
    assert p.page.locator("header >> text=New").count() == 0
    p.page.focus(".grid")
    p.press("n", "e", "Delete", "z", "s")
    p.object("/entities/Customer/p1")
    assert p.page.locator("button:has-text('Edit')").count() == 0
    for path, body in (("/api/edit", {"operations": [{"op": "delete", "entity": "Team", "ids": ["p1"]}]}),
                       ("/api/edit/save", {}), ("/api/bulk", {"entity": "Team", "delete": True, "confirm": 50})):
        assert p.server.request(path, "POST", body)[0] in (403, 404, 405), path
    p.go("/history")
    p.go("/requests")
    p.page.wait_for_selector(".figures b")
    assert state() == before, (before, state())


def test_a_page_reports_that_the_server_has_another_token(p):
    p.table("/entities/Team")
    p.server.close()
    again = Server(p.store)
    try:
        assert again.base == p.server.base, (again.base, p.server.base)
        p.shows(".remark", "Open the address")
        p.page.click(".lines .line >> nth=2")
        p.shows(".object-view .remark", "Open the address")
        p.page.goto("about:blank")
        # The console holds the failed requests from when the server was down.
        p.errors.clear()
    finally:
        again.close()


def test_a_hidden_page_has_no_stream(p):
    p.page.add_init_script("""window.__opened = 0; window.__hidden = true
      Object.defineProperty(document, 'hidden', { get: () => window.__hidden })
      window.EventSource = class extends EventSource { constructor(...all) { super(...all); window.__opened += 1 } }""")
    p.go("/entities/Team")
    p.page.wait_for_selector(".lines .line .cell")
    assert p.page.evaluate("__opened") == 0
    p.page.evaluate("(() => { window.__hidden = false; document.dispatchEvent(new Event('visibilitychange')) })()")
    p.rest()
    assert p.page.evaluate("__opened") == 1


def test_a_page_that_is_shown_again_while_it_reconnects_keeps_its_stream(p):
    p.go("/entities/Team").rest()
    left = p.page.evaluate("""(async () => {
      const address = performance.getEntriesByType('resource').map(one => one.name).find(name => name.endsWith('/core/stream.js'))
      const { Stream } = await import(address)
      const sources = [], timers = new Set()
      let isHidden = false, answer
      const { setTimeout: wait, clearTimeout: cancel, fetch: request, EventSource: Source } = window
      const rest = () => new Promise(done => wait(done, 20))
      const show = (isShown) => { isHidden = !isShown; document.dispatchEvent(new Event('visibilitychange')) }
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden })
      // Timers of seconds never fire here; the others are real.
      window.setTimeout = (action, delay) => {
        const timer = delay >= 2000 ? wait(() => {}, delay) : wait(action, delay)
        if (delay >= 2000) timers.add(timer)
        return timer
      }
      window.clearTimeout = (timer) => { timers.delete(timer); cancel(timer) }
      window.fetch = (url, ...more) => url === '/stream' ? new Promise(done => { answer = done }) : request(url, ...more)
      window.EventSource = class { static CLOSED = 2; constructor() { this.on = {}; sources.push(this) } addEventListener(name, listener) { this.on[name] = listener } close() { this.isClosed = true } }
      try {
        const stream = new Stream('/stream', {})
        sources[0].readyState = 2
        sources[0].on.error()
        await rest()
        show(false)
        answer(new Response('busy', { status: 500 }))
        await rest()
        show(true)
        const seen = [sources.length, timers.size]
        stream.close()
        return seen
      } finally {
        Object.assign(window, { setTimeout: wait, clearTimeout: cancel, fetch: request, EventSource: Source })
        delete document.hidden
      }
    })()""")
    assert left == [2, 0], f"a new stream, and no timer that closes it: {left}"
