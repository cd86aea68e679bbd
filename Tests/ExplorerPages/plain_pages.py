"""Reading without scripts: the same addresses, as plain pages."""
from browser import options

OPTIONS = {"script": False}


def test_from_the_overview_to_a_row(p):
    main = p.page.locator("main")
    assert "3,750" in main.inner_text() and "can be changed" in main.inner_text()
    p.picture("plain overview")
    p.page.click("main table a:has-text('Team')")
    assert p.page.url.endswith("/entities/Team") and "New York Hawks" in main.inner_text()
    p.page.click("tbody tr:first-child a")
    assert "/entities/Team/p1" in p.page.url and "players (23)" in main.inner_text(), main.inner_text()[:400]
    p.page.click("main ul a:has-text('William Martinez')")
    assert "/entities/Player/" in p.page.url and "New York Hawks" in main.inner_text()


def test_pages_orders_and_filters(p):
    p.go("/entities/Person")
    assert "1–100 of 3,750" in p.text("main")
    p.page.click("text=Next")
    assert "101–200 of 3,750" in p.text("main") and "at=100" in p.page.url
    p.page.click("th a:has-text('lastName')")
    assert "Adams" in p.text("tbody tr:first-child")
    p.page.click("th a:has-text('lastName')")
    assert "Adams" not in p.text("tbody tr:first-child")
    p.page.fill("input[name=where]", "age > 90")
    p.page.click("button:has-text('Filter')")
    count = p.server.json("/api/tables/Person?where=age%20%3E%2090&limit=1000")["rows"]
    assert f"of {len(count)}" in p.text("main"), p.text("main")[:300]
    p.page.fill("input[name=where]", "agee > 90")
    p.page.click("button:has-text('Filter')")
    assert "agee" in p.text("[role=alert]")
    p.picture("plain mistake")


@options(store="kinds")
def test_other_pages(p):
    p.go("/history")
    assert "First <author>" in p.text("main")
    p.go("/requests")
    assert "SELECT" in p.text("main")
    p.go("/store")
    assert "UUID" in p.text("main")
    p.go("/diagram")
    assert p.page.locator("main img").bounding_box()["width"] > 200
    p.go("/entities/Kind/p99")
    assert "gone" in p.text("[role=alert]")
