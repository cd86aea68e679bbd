"""A client of the explorer's server with the standard library alone: pages as JSON, streams of events, the server's process."""
import http.client
import json
import os
import subprocess
import threading


class Server:
    """`coredata explore` of a store, until it is closed."""

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
        """An answer as bytes; an error where it is none."""
        connection = connection or self.connection()
        connection.request("GET", path, headers=self.headers)
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {body[:300]}")
        return body

    def json(self, path, connection=None):
        return json.loads(self.get(path, connection))

    def post(self, path, body, connection=None):
        connection = connection or self.connection()
        connection.request("POST", path, body=json.dumps(body), headers=self.headers)
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {content[:300]}")
        return json.loads(content)

    @property
    def memory(self):
        """Bytes that the server's process holds."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    @property
    def seconds(self):
        """Processor time that the server has taken."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Reader(threading.Thread):
    """Reads a table's events, and keeps what a page would: how many rows there are and which report was last."""

    def __init__(self, server, path):
        super().__init__(daemon=True)
        self.server, self.path = server, path
        self.greeted = threading.Event()
        self.version = self.total = None
        self.reports = self.bytes = 0
        self.names = {}
        self.mistakes = []
        self.start()

    def run(self):
        connection = self.server.connection()
        connection.request("GET", self.path, headers=self.server.headers)
        stream = connection.getresponse()
        name = None
        try:
            for line in stream:
                if line.startswith(b"event: "):
                    name = line[7:].strip().decode()
                elif line.startswith(b"data: "):
                    self.take(name, line[6:])
        except (OSError, http.client.HTTPException) as error:
            self.mistakes.append(f"the stream ended: {error!r}")

    def take(self, name, data):
        if name == "hello":
            hello = json.loads(data)
            self.version, self.total = hello["version"], hello["total"]
            self.greeted.set()
        elif name == "report":
            self.bytes += len(data)
            report = json.loads(data)
            if report["version"] != self.version + 1:
                self.mistakes.append(f"report {report['version']} after {self.version}")
            self.version = report["version"]
            self.total += len(report["inserted"]) - len(report["deleted"])
            if self.total != report["total"]:
                self.mistakes.append(f"{report['total']} rows, {self.total} by the reports")
            for row in report["rows"].values():
                self.names[row["id"]] = row["cells"]
            self.reports += 1
