"""200 readers with live streams, 50 changes a second for a minute: no report is lost, and memory does not grow.

    load.py TOOL [SECONDS]
"""
import pathlib
import subprocess
import sys
import tempfile
import time

from client import Reader, Server

READERS, RATE = 200, 50
TARGET = "/api/tables/Person/events?sort=displayOrder&columns=lastName,age,displayOrder"


def main(tool, seconds):
    with tempfile.TemporaryDirectory() as folder:
        store = str(pathlib.Path(folder) / "Contacts.sqlite")
        subprocess.run([tool, "sample", store, "--rows", "10000"], check=True, capture_output=True)
        with Server(tool, store, "--write") as server:
            readers = [Reader(server, TARGET) for _ in range(READERS)]
            for reader in readers:
                reader.wait_for_hello()
            print(f"load: {READERS} readers, {server.memory >> 20} MB")
            edits, memory = change(server, seconds)
            settle(server, readers)
            return report(server, readers, edits, memory, seconds)


def change(server, seconds):
    """Updates, deletes and inserts one row at a time, and saves after every 100 changes."""
    connection = server.connection()
    start, edits, memory, created = time.monotonic(), 0, [], []
    while time.monotonic() - start < seconds:
        operation = {
            "op": "set", "entity": "Person", "id": f"p{edits % 3000 + 1}", "key": "displayOrder",
            "text": str(edits * 37 % 4000)}
        if edits % 10 == 3:
            operation = {
                "op": "insert", "entity": "Person",
                "values": {"lastName": f"New {edits}", "displayOrder": str(edits % 4000)}}
        elif edits % 10 == 7 and created:
            operation = {"op": "delete", "entity": "Person", "ids": [created.pop()]}
        response = server.post("/api/edit", {"operations": [operation]}, connection)
        created += [one["id"] for one in response["created"]]
        edits += 1
        if edits % 100 == 0:
            names = server.post("/api/edit/save", {}, connection)["ids"]
            created = [names.get(name, name) for name in created]
        if edits % RATE == 0:
            memory.append(server.memory)
        wait = start + edits / RATE - time.monotonic()
        if wait > 0:
            time.sleep(wait)
    server.post("/api/edit/save", {}, connection)
    return edits, memory


def settle(server, readers):
    """Waits until all readers have the server's version, for at most a minute."""
    version = server.json(TARGET.replace("/events", "") + "&limit=1")["version"]
    end = time.monotonic() + 60
    while time.monotonic() < end and any(reader.version != version for reader in readers):
        time.sleep(0.05)


def report(server, readers, edits, memory, seconds):
    page = server.json(TARGET.replace("/events", "") + "&limit=1")
    errors = [error for reader in readers for error in reader.errors[:3]]
    for reader in readers:
        if reader.version != page["version"] or reader.total not in (None, page["total"]):
            errors.append(f"a reader has version {reader.version} of {page['version']}")
    rows = rows_of(server)
    for reader in readers:
        wrong = [name for name, cells in reader.names.items() if name in rows and rows[name] != cells]
        if wrong:
            errors.append(f"{len(wrong)} rows differ from a reader's copy, for example {wrong[0]}")
    third = len(memory) // 3
    early, late = max(memory[:third], default=0), max(memory[-third:], default=0)
    rate = edits / seconds
    print(f"load: {edits} changes ({rate:.0f} a second), {readers[0].reports} reports to each of {len(readers)} readers")
    print(f"load: memory {early >> 20} MB in the first third, {late >> 20} MB in the last")
    if rate < RATE * 0.95:
        errors.append(f"only {rate:.0f} changes a second")
    if late > early * 1.1 + (8 << 20):
        errors.append("memory grows")
    for error in errors[:10]:
        print("load:", error)
    return not errors


def rows_of(server):
    rows, offset = {}, 0
    while True:
        page = server.json(TARGET.replace("/events", "") + f"&limit=1000&offset={offset}")["rows"]
        rows.update({row["id"]: row["cells"] for row in page})
        offset += len(page)
        if len(page) < 1000:
            return rows


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 60) else 1)
