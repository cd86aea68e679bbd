"""The diagram, distributions, the history, requests, plans, the request as Swift, exports, facts."""
import csv
import io
import json
from urllib.parse import quote

from browser import options
from server import Server, until

DRAWN = "document.querySelector('.diagram-picture')?.shadowRoot?.querySelector('svg') != null"


def test_the_diagram_zooms_moves_and_links_to_entities(p):
    p.go("/diagram").until(DRAWN)
    p.picture("diagram")
    transform = "document.querySelector('.diagram-picture').style.transform"
    before = p.page.evaluate(transform)
    p.page.focus(".diagram")
    p.press("+")
    p.until(f"{transform} !== {json.dumps(before)}")
    zoomed = p.page.evaluate(transform)
    p.press("ArrowLeft")
    p.until(f"{transform} !== {json.dumps(zoomed)}")
    text = p.page.evaluate("document.querySelector('.diagram-picture').shadowRoot.querySelector('svg').textContent")
    assert "3,750" in text or "3750" in text, "cards have the number of rows"
    p.page.locator(".diagram-picture svg a[href='/entities/Team'] text").first.click()
    p.rest()
    assert p.page.url.endswith("/entities/Team")


def test_a_click_works_after_a_drag_that_ends_outside_the_diagram(p):
    p.go("/diagram").until(DRAWN)
    box = p.page.locator(".diagram").bounding_box()
    p.page.mouse.move(box["x"] + 30, box["y"] + 20)
    p.page.mouse.down()
    p.page.mouse.move(box["x"] + 30, box["y"] + 4, steps=4)
    p.page.mouse.move(box["x"] + 30, box["y"] - 20)
    p.page.mouse.up()
    p.page.locator(".diagram-picture svg a[href='/entities/Team'] text").first.click()
    p.rest()
    assert p.page.url.endswith("/entities/Team")


@options(dark=True)
def test_the_diagram_follows_the_theme(p):
    p.go("/diagram").until(DRAWN)
    ground = "getComputedStyle(document.querySelector('.diagram-picture').shadowRoot.querySelector('.ground')).fill"
    dark = p.page.evaluate(ground)
    p.page.click("text=Theme")
    p.until(f"{ground} !== {json.dumps(dark)}")


def test_a_click_in_a_distribution_filters(p):
    p.table("/entities/Person")
    p.page.hover("#title-0")
    p.page.click("#title-0 .more")
    p.page.click(".menu button:has-text('Distribution')")
    p.page.wait_for_selector(".chart .bar")
    p.picture("chart")
    answer = p.server.json("/api/histogram?entity=Person&key=age")
    assert sum(one["count"] for one in answer["bins"]) + answer["empty"] == answer["total"] == 3750
    p.page.click(".bins button >> nth=3")
    p.until("location.search.includes('where=age')").rest()
    assert p.total() == answer["bins"][3]["count"]
    p.table("/entities/Customer?chart=customerSince")
    p.page.wait_for_selector(".chart .bar")
    p.picture("chart of dates")
    p.table("/entities/Customer?chart=state")
    p.page.wait_for_selector(".bins button")


@options(store="kinds")
def test_the_history_shows_authors_and_properties(p):
    p.change("update", "Kind", "small=9", "price=1.5", "--where", "name == 'First'")
    p.change("delete", "Kind", "--where", "name == 'Third'")
    p.go("/history")
    p.page.wait_for_selector(".transaction")
    p.picture("history")
    text = p.text(".timeline")
    assert "First <author>" in text and "delete" in text.lower(), text[:800]
    assert "price" in text and "small" in text, text[:800]
    transactions = p.server.json("/api/history?limit=50")["transactions"]
    assert p.page.locator(".transaction").count() == len(transactions)
    # The timeline has a dot for each transaction. A click on a dot moves the focus to the transaction in the list.
    dots = p.page.locator(".history-line .moment")
    assert dots.count() == len(transactions)
    dots.last.dispatch_event("click")
    p.until(f"document.activeElement?.dataset.number === '{transactions[-1]['id']}'")


def test_requests_appear_live(p):
    p.go("/requests")
    p.page.wait_for_selector(".figures b")
    p.server.json("/api/tables/Job?sort=-amount&limit=5")
    p.until("[...document.querySelectorAll('.requests li code, .requests summary code')].some(one => /ZJOB/.test(one.textContent) && /ZAMOUNT/.test(one.textContent))")
    p.page.click(".requests summary:has-text('ZJOB') >> nth=0")
    p.until("document.querySelector('.requests details[open] .plan, .requests .plan')?.textContent.includes('ZJOB') || /SCAN|SEARCH/.test(document.querySelector('.requests .plan')?.textContent)")
    p.picture("requests")
    figures = {name: int(number.replace(",", "")) for number, name in (one.split(" ", 1) for one in p.page.locator(".figures span").all_inner_texts())}
    assert figures["requests"] > 0 and figures["rows read"] >= 5 and figures["objects"] == figures["faults"] + figures["rows held"], figures
    p.server.json("/api/tables/Job?sort=-amount&limit=500")
    p.until(f"[...document.querySelectorAll('.figures span')].some(one => /rows read/.test(one.textContent) && Number(one.querySelector('b').textContent.replace(',', '')) >= {figures['rows read'] + 500})")


def can_greet(p):
    """Keeps the stream of the page `/requests` in `__stream`, and the data of its first `hello` in `__hello`."""
    p.page.add_init_script("""const Original = EventSource
      window.EventSource = class extends Original {
        constructor(address) { super(address); if (String(address).includes('/requests/')) { window.__stream = this; this.addEventListener('hello', ({ data }) => { window.__hello ??= data }) } }
      }""")


def test_a_paused_page_of_requests_stays_paused_after_a_reconnection(p):
    can_greet(p)
    p.go("/requests")
    p.page.wait_for_selector(".figures b")
    p.page.click("button:has-text('Pause')")
    shown = "document.querySelectorAll('.requests > li').length"
    before = p.page.evaluate(shown)
    p.page.evaluate("__stream.close()")
    p.server.json("/api/tables/Job?sort=-amount&limit=5")
    with p.page.expect_response("**/api/requests?*"):
        p.page.evaluate("__stream.dispatchEvent(new MessageEvent('hello', { data: __hello })) && null")
    p.page.wait_for_timeout(500)
    assert p.page.evaluate(shown) == before
    p.page.click("button:has-text('Pause')")
    p.until(f"{shown} > {before}")
    assert p.page.locator(".requests > li:has-text('ZJOB')").count() > 0


def hold(p):
    """Holds the page's requests for the log. Returns the held ones, and a function after which further ones pass."""
    held, is_open = [], []

    def handle(route):
        if is_open:
            route.continue_()
        else:
            held.append(route)
    p.page.route("**/api/requests?*", handle)
    return held, lambda: is_open.append(True)


def greet_twice(p, held, release):
    """Lets the page load the log, and then greets it as the server of another log does."""
    p.page.evaluate("__stream.dispatchEvent(new MessageEvent('hello', { data: __hello })) && null")
    until(lambda: p.page.evaluate("1") and held)
    release()
    p.page.evaluate("__stream.dispatchEvent(new MessageEvent('hello', { data: JSON.stringify({ log: 'another' }) })) && null")


def test_an_answer_of_an_ended_server_hides_no_requests(p):
    can_greet(p)
    p.go("/requests")
    p.page.wait_for_selector(".figures b")
    p.until("window.__hello")
    held, release = hold(p)
    greet_twice(p, held, release)
    log = p.page.evaluate("JSON.parse(__hello).log")
    # The page may also have requested the figures.
    for route in held:
        route.fulfill(json={"log": log, "requests": [{"n": 1_000_000, "time": 0, "sql": "OLD"}], "cache": {}})
    p.server.json("/api/tables/Job?sort=-amount&limit=5")
    p.shows(".requests", "ZAMOUNT")
    assert "OLD" not in p.text(".requests"), p.text(".requests")


def test_the_first_answer_of_an_ended_server_hides_no_requests(p):
    can_greet(p)
    held, release = hold(p)
    p.go("/requests")
    p.until("window.__hello")
    until(lambda: p.page.evaluate("1") and held)
    release()
    for route in held:
        route.fulfill(json={"log": "ended", "requests": [{"n": 1_000_000, "time": 0, "sql": "OLD"}], "cache": {}})
    p.server.json("/api/tables/Job?sort=-amount&limit=5")
    p.shows(".requests", "ZAMOUNT")
    assert "OLD" not in p.text(".requests"), p.text(".requests")


def test_an_error_of_an_ended_server_does_not_replace_the_figures(p):
    can_greet(p)
    p.go("/requests")
    p.page.wait_for_selector(".figures b")
    p.until("window.__hello")
    held, release = hold(p)
    greet_twice(p, held, release)
    for route in held:
        route.fulfill(status=429, body="OLD")
    p.server.json("/api/tables/Job?sort=-amount&limit=5")
    # The requests appear when the failed load has ended.
    p.shows(".requests", "ZAMOUNT")
    assert "OLD" not in p.text(".figures"), p.text(".figures")


def test_requests_appear_after_the_server_was_restarted(p):
    p.page.goto("about:blank")
    p.server.close()
    token = ("--token", "0123456789abcdef0123")
    server = Server(p.store, arguments=token)
    try:
        p.page.goto(server.address)
        p.page.wait_for_url(server.base + "/")
        p.page.goto(server.base + "/requests")
        for offset in range(40):
            server.json(f"/api/tables/Team?offset={offset}&limit=1")
        p.until("document.querySelectorAll('.requests > li').length >= 40")
        server.close()
        server = Server(p.store, arguments=token)
        server.json("/api/tables/Job?sort=-amount&limit=5")
        p.shows(".requests", "ZAMOUNT")
        p.page.goto("about:blank")
        # The console holds the failed requests from when the server was down.
        p.errors.clear()
    finally:
        server.close()


def test_the_plan_and_the_request_as_swift_are_shown(p):
    p.table("/entities/Person?sort=lastName&where=age%20%3E%2030")
    p.menu("More", "SQL")
    p.page.wait_for_selector("dialog pre")
    assert "ORDER BY" in p.text("dialog pre") and "ZPERSON" in p.text("dialog pre")
    p.picture("plan")
    p.press("Escape")
    p.until("!document.querySelector('dialog')")
    p.context.grant_permissions(["clipboard-read", "clipboard-write"])
    p.menu("More", "Swift")
    p.page.wait_for_selector("dialog pre")
    text = p.text("dialog pre")
    assert 'NSPredicate(format: "age > 30"' in text and 'key: "lastName"' in text, text
    p.page.click("dialog button:has-text('Copy')")
    p.until(f"navigator.clipboard.readText().then(text => text.trim() === {json.dumps(text.strip())})")


def download(p, kind):
    with p.page.expect_download() as got:
        p.menu("More", kind)
    with open(got.value.path(), encoding="utf-8", newline="") as file:
        return got.value.suggested_filename, file.read()


@options(store="kinds")
def test_every_column_has_a_distribution(p):
    for entity in ("Kind", "Step", "Plan", "Lock"):
        p.table(f"/entities/{entity}")
        p.menu("More", "Distribution")
        offered = p.page.locator(".menu .item").evaluate_all("all => all.map(one => one.firstChild.textContent)")
        p.press("Escape")
        columns = [one["key"] for one in p.server.json(f"/api/tables/{entity}?limit=1")["columns"]]
        assert set(columns) - {"place"} == {one for one in offered if not one.startswith("place.")}, (columns, offered)
        for key in {*columns, *offered}:
            histogram = p.server.json(f"/api/histogram?entity={entity}&key={key}")
            for one in histogram["bins"]:
                rows = p.server.json(f"/api/tables/{entity}?where={quote(one['where'])}")["rows"]
                assert len(rows) == one["count"], (key, one)
            assert sum(one["count"] for one in histogram["bins"]) + histogram["empty"] == histogram["total"], (key, histogram)


def test_relationships_have_distributions_too(p):
    p.table("/entities/Job")
    p.page.locator(".title:has(.name:text-is('customer'))").click(button="right")
    p.page.click(".menu button:has-text('Distribution')")
    p.shows(".object-view .pale", "3,000 rows, by lastName")
    assert "the 40 most frequent" in p.text(".object-view .pale")
    p.picture("chart of a relationship")
    name = p.text(".bins .name")
    count = int(p.text(".bins .count"))
    p.page.click(".bins button >> nth=0")
    p.until("location.search.includes('customer.lastName')").rest()
    assert p.total() == count and set(p.cells("customer")) == {name}, (name, count, p.rows()[:2])
    p.table("/entities/Team?chart=players")
    p.page.wait_for_selector(".chart .bar")
    assert "by the number of members" in p.text(".object-view .pale")
    p.picture("chart of members")


def test_exports_as_csv_and_json(p):
    p.page.add_init_script("delete window.showSaveFilePicker")
    p.table("/entities/Job?columns=title,amount&sort=-amount")
    name, text = download(p, "CSV")
    lines = list(csv.reader(io.StringIO(text)))
    assert name == "Job.csv" and lines[0] == ["title", "amount"] and len(lines) == 3001, (name, lines[:2], len(lines))
    amounts = [float(line[1]) for line in lines[1:] if line[1]]
    assert amounts == sorted(amounts, reverse=True)
    name, text = download(p, "JSON")
    rows = json.loads(text)
    assert name == "Job.json" and len(rows) == 3000, (name, len(rows))


def test_formulas_are_quoted_in_exports(p):
    p.page.add_init_script("delete window.showSaveFilePicker")
    p.change("insert", "Person", "lastName==HYPERLINK(1)")
    p.table("/entities/Person?columns=lastName&where=" + quote("lastName BEGINSWITH '='"))
    for item, cell in (("CSV", "'=HYPERLINK(1)"), ("CSV, raw values", "=HYPERLINK(1)")):
        name, text = download(p, item)
        assert name == "Person.csv" and text == f"lastName\r\n{cell}\r\n", (item, text)


def test_the_page_of_the_store_shows_facts(p):
    p.go("/store")
    p.page.wait_for_selector(".facts")
    assert p.server.json("/api/store")["facts"][0]["value"] in p.text(".facts")
    p.picture("store")
