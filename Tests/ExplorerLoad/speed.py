"""The explorer's speed as ratios. Both sides of a ratio are measured alternately in one run.

    speed.py TOOL [ROWS]
"""
import contextlib
import pathlib
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

from client import Reader, Server

SMALL, TIMES, CHANGES, READERS = 1000, 9, 200, 200


def main(tool, rows):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        stores = {}
        for count in (SMALL, rows):
            stores[count] = str(folder / f"{count}.sqlite")
            people(tool, stores[count], count)
        met = [
            first_page(tool, stores, rows), scrolling(tool, stores[rows], rows, folder),
            bytes_of_change(tool, stores, rows), many_readers(tool, stores[SMALL])]
        return all(met)


def people(tool, store, count):
    """Creates a store with `count` people by copying the people of the sample under new keys."""
    subprocess.run([tool, "sample", store, "--rows", "10000"], check=True, capture_output=True)
    with contextlib.closing(sqlite3.connect(store)) as database, database:
        own = database.execute("SELECT COUNT(*) FROM ZPERSON").fetchone()[0]
        database.execute("DELETE FROM ZPERSON WHERE Z_PK > ?", (count,))
        columns = [row[1] for row in database.execute("PRAGMA table_info(ZPERSON)")]
        others = ", ".join(column for column in columns if column != "Z_PK")
        for start in range(own, count, own):
            database.execute(
                f"INSERT INTO ZPERSON (Z_PK, {others}) SELECT Z_PK + ?, {others} FROM ZPERSON"
                " WHERE Z_PK <= ?", (start, min(own, count - start)))
        database.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_NAME = 'Person'", (count,))
    with contextlib.closing(sqlite3.connect(store)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def report(name, ratio, bar, note):
    is_met = ratio <= bar
    print(f"{name:58} {ratio:6.2f}  at most {bar}  {'met' if is_met else 'NOT MET'}  {note}", flush=True)
    return is_met


def first_page(tool, stores, rows):
    times = {count: [] for count in stores}
    for _ in range(TIMES):
        for count, store in stores.items():
            with Server(tool, store) as server:
                connection = server.connection()
                server.get("/client/x/explorer.css", connection)
                start = time.perf_counter()
                server.get("/api/tables/Person?limit=100", connection)
                times[count].append(time.perf_counter() - start)
    small, large = (statistics.median(times[count]) for count in (SMALL, rows))
    return report(
        f"first page of a large entity / of one with {SMALL:,} rows", large / small, 2,
        f"{large * 1e3:.2f} ms, {small * 1e3:.2f} ms")


def scrolling(tool, store, rows, folder):
    program = str(folder / "select")
    source = str(pathlib.Path(__file__).parent / "select.c")
    subprocess.run(["cc", "-O2", "-o", program, source, "-lsqlite3"], check=True)
    with Server(tool, store) as server:
        reader = Reader(server, "/api/tables/Person/events")
        reader.wait_for_hello()
        connection = server.connection()
        random.seed(1)
        ours, floor = [], []
        # Alternates page by page. A program that reads the same hundred rows repeatedly finds them in the processor's
        # caches; a user who scrolls reads different rows each time.
        with subprocess.Popen(
                [program, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as select:
            for _ in range(400):
                offset = random.randrange(reader.total - 100)
                page = server.json(f"/api/tables/Person?limit=100&offset={offset}", connection)
                ours.append(page["time"] / 1e3)
                select.stdin.write(f"{random.randrange(reader.total - 100) + 1}\n")
                select.stdin.flush()
                floor.append(int(select.stdout.readline()) / 1e9)
            select.stdin.close()
    ratio = statistics.median(ours) / statistics.median(floor)
    return report(
        "a page while scrolling / the SELECT in C", ratio, 3,
        f"{statistics.median(ours) * 1e6:.0f} µs, {statistics.median(floor) * 1e6:.0f} µs")


def bytes_of_change(tool, stores, rows):
    sizes = {}
    for count, store in stores.items():
        with Server(tool, store, "--write") as server:
            reader = Reader(server, "/api/tables/Person/events?sort=age&section=age&columns=lastName,age")
            reader.wait_for_hello()
            for turn in range(20):
                set_age(server, f"p{turn + 1}", 20 + turn % 2)
            server.post("/api/edit/save", {})
            end = time.monotonic() + 20
            while reader.reports < 20 and time.monotonic() < end:
                time.sleep(0.02)
            sizes[count] = reader.bytes / max(1, reader.reports)
    ratio = sizes[rows] / sizes[SMALL]
    return report(
        "bytes of a change in a large table / in a small table", ratio, 1.2,
        f"{sizes[rows]:.0f}, {sizes[SMALL]:.0f}")


def set_age(server, name, age, connection=None):
    server.post(
        "/api/edit",
        {"operations": [{"op": "set", "entity": "Person", "id": name, "key": "age", "text": str(age)}]},
        connection)


PEOPLE = "/api/tables/Person{}?sort=lastName&columns=lastName,age"


def require_all(readers, server):
    """Waits until all readers have the server's version. Otherwise the measured time would lack a part of their work."""
    version = server.json(PEOPLE.format("") + "&limit=1")["version"]
    end = time.monotonic() + 30
    while any(one.version != version for one in readers):
        errors = [error for one in readers for error in one.errors]
        if errors or time.monotonic() > end:
            sys.exit(f"speed: a reader did not receive all reports: {errors[:3]}")
        time.sleep(0.02)


def many_readers(tool, store):
    costs = {}
    for count in (1, READERS, 1, READERS):
        with Server(tool, store, "--write") as server:
            readers = [Reader(server, PEOPLE.format("/events")) for _ in range(count)]
            for reader in readers:
                reader.wait_for_hello()
            connection = server.connection()
            start = server.seconds
            for turn in range(CHANGES):
                set_age(server, f"p{turn % 300 + 1}", 30 + turn // 300 + turn % 7, connection)
            require_all(readers, server)
            costs.setdefault(count, []).append((server.seconds - start) / CHANGES)
    one, many = min(costs[1]), min(costs[READERS])
    return report(
        f"processor time of a change with {READERS} readers / with one", many / one, 5,
        f"{many * 1e3:.2f} ms, {one * 1e3:.2f} ms")


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000) else 1)
