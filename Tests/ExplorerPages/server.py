"""The explorer's server: the process `coredata explore` on a free port."""
import http.client
import json
import os
import selectors
import signal
import subprocess
import time
from urllib.parse import urlsplit

import stores


class Server:
    """Serves a store until `close` is called."""

    def __init__(self, store, write=True, arguments=()):
        self.store = store
        self.process = subprocess.Popen(
            [stores.COREDATA, "explore", store, *(["--write"] if write else []), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        waiting = selectors.DefaultSelector()
        waiting.register(self.process.stdout, selectors.EVENT_READ)
        line = self.process.stdout.readline().strip() if waiting.select(60) else ""
        if not line.startswith("http://"):
            self.process.kill()
            raise AssertionError(f"the server did not start: {line} {self.process.stderr.read()}")
        self.address = line
        self.base = "{0.scheme}://{0.netloc}".format(urlsplit(line))
        self.cookie = None

    def request(self, path, method="GET", body=None, headers=None, cookie=True):
        """Sends a request without a browser and returns the status, the headers and the body."""
        sent = {"Cookie": self._cookie()} if cookie else {}
        if method != "GET":
            sent |= {"Content-Type": "application/json", "X-Explorer": "1", "Origin": self.base}
        sent |= headers or {}
        sent = {name: value for name, value in sent.items() if value is not None}
        connection = http.client.HTTPConnection(urlsplit(self.base).netloc, timeout=60)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def json(self, path, method="GET", body=None):
        status, _, content = self.request(path, method, body)
        assert status == 200, (path, status, content[:400])
        return json.loads(content)

    def _cookie(self):
        if self.cookie is None:
            address = urlsplit(self.address)
            status, headers, _ = self.request(f"{address.path}?{address.query}", cookie=False)
            assert status == 200, status
            self.cookie = headers["Set-Cookie"].split(";")[0]
        return self.cookie

    @property
    def memory(self):
        """The resident memory of the process in bytes."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def close(self):
        """Ends the process with SIGINT, as Ctrl-C does, and returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("the server did not end within 20 seconds of SIGINT")
        finally:
            self.process.stdout.close()
            self.process.stderr.close()


def until(condition, timeout=20, what=""):
    """Waits until a function returns a true value, and returns that value."""
    end = time.monotonic() + timeout
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"never: {what or condition}")
        time.sleep(0.02)
