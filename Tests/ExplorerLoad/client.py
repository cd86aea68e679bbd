"""A client of the explorer's server that uses only the standard library. It also runs and measures the server."""
import http.client
import json
import os
import subprocess
import threading


class Server:
    """Runs `coredata explore` on a store until `close` is called."""

    def __init__(self, tool, store, *options):
        self.process = subprocess.Popen(
            [tool, "explore", store, *options], stdout=subprocess.PIPE, text=True)
        address = self.process.stdout.readline().strip()
        self.port = int(address.split(":")[2].split("/")[0])
        self.token = address.split("token=")[1]

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=30)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    @property
    def headers(self):
        return {
            "Cookie": f"explorer-{self.port}={self.token}", "X-Explorer": "1",
            "Origin": f"http://127.0.0.1:{self.port}"}

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def get(self, path, connection=None):
        """Returns the body of a response. Raises an error unless the status is 200."""
        connection = connection or self.connection()
        connection.request("GET", path, headers=self.headers)
        response = connection.getresponse()
        body = response.read()
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {body[:300]}")
        return body

    def json(self, path, connection=None):
        return json.loads(self.get(path, connection))

    def post(self, path, body, connection=None):
        connection = connection or self.connection()
        connection.request("POST", path, body=json.dumps(body), headers=self.headers)
        response = connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise RuntimeError(f"{path}: {response.status} {content[:300]}")
        return json.loads(content)

    @property
    def memory(self):
        """The resident memory of the server's process in bytes."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    @property
    def seconds(self):
        """The processor time of the server's process in seconds."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Reader(threading.Thread):
    """Reads a table's events and keeps the same state as a page: the number of rows and the version of the last report."""

    def __init__(self, server, path):
        super().__init__(daemon=True)
        self.server, self.path = server, path
        self.greeted = threading.Event()
        self.version = self.total = None
        self.reports = self.bytes = 0
        self.names = {}
        self.errors = []
        self.start()

    def wait_for_hello(self):
        if not self.greeted.wait(60):
            raise RuntimeError(f"a reader did not receive the event 'hello': {self.errors}")

    def run(self):
        connection = self.server.connection()
        name = version = None
        try:
            connection.request("GET", self.path, headers=self.server.headers)
            stream = connection.getresponse()
            if stream.status != 200:
                self.errors.append(f"{self.path}: {stream.status} {stream.read()[:300]}")
                return
            for line in stream:
                if line.startswith(b"event: "):
                    name = line[7:].strip().decode()
                elif line.startswith(b"id: "):
                    version = int(line[4:])
                elif line.startswith(b"data: "):
                    self.apply(name, version, line[6:])
            # The server ends a stream whose reader does not keep up.
            self.errors.append("the stream ended")
        except (OSError, http.client.HTTPException) as error:
            self.errors.append(f"the stream ended: {error!r}")

    def apply(self, name, version, data):
        if name == "hello":
            hello = json.loads(data)
            self.version, self.total = hello["version"], hello["total"]
            self.greeted.set()
        elif name == "reload":
            # A page reads its rows again. The next report has their number.
            self.version, self.total = version, None
        elif name == "report":
            self.bytes += len(data)
            report = json.loads(data)
            if report["version"] != self.version + 1:
                self.errors.append(f"report {report['version']} after {self.version}")
            if self.total is not None:
                total = self.total + len(report["inserted"]) - len(report["deleted"])
                if total != report["total"]:
                    self.errors.append(f"{report['total']} rows, {total} by the reports")
            self.version, self.total = report["version"], report["total"]
            for row in report["rows"].values():
                self.names[row["id"]] = row["cells"]
            self.reports += 1
