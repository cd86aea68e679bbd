"""Reading in a browser without scripts: the same addresses return plain pages."""
from browser import options

OPTIONS = {"script": False}


def test_links_lead_from_the_overview_to_a_row(p):
    main = p.page.locator("main")
    assert "3,750" in main.inner_text() and "read-write" in main.inner_text()
    p.picture("plain overview")
    p.page.click("main table a:has-text('Team')")
    assert p.page.url.endswith("/entities/Team") and "New York Hawks" in main.inner_text()
    p.page.click("tbody tr:first-child a")
    assert "/entities/Team/p1" in p.page.url and "players (23)" in main.inner_text(), main.inner_text()[:400]
    p.page.click("main ul a:has-text('William Martinez')")
    assert "/entities/Player/" in p.page.url and "New York Hawks" in main.inner_text()


def test_tables_are_paged_sorted_and_filtered(p):
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
    p.picture("plain error")


@options(store="kinds")
def test_other_pages_work_without_scripts(p):
    p.go("/history")
    assert "First <author>" in p.text("main")
    p.go("/requests")
    assert "SELECT" in p.text("main")
    p.go("/store")
    assert "UUID" in p.text("main")
    p.go("/diagram")
    assert p.page.locator("main img").bounding_box()["width"] > 200
    p.go("/entities/Kind/p99")
    assert "does not exist" in p.text("[role=alert]")


@options(store="kinds")
def test_words_are_not_broken(p):
    p.change("insert", "Note", "text=" + "several words of a long text " * 9, "long=" + "properly " * 30)
    for width in (1280, 390):
        p.page.set_viewport_size({"width": width, "height": 800})
        for path in ("/entities/Note", "/entities/Note/p16", "/entities/Kind", "/entities/Kind/p1"):
            p.go(path)
            p.picture(f"plain {width} {path.replace('/', ' ')}")
            # Each word must be on one line.
            broken = p.page.evaluate("""[...document.querySelectorAll('.plain :is(td, th) a, .plain :is(td, th)')].flatMap(one => [...one.childNodes])
              .filter(node => node.nodeType === Node.TEXT_NODE).flatMap(node => [...node.data.matchAll(/[\\w.]{1,30}/g)].map(word => {
                const range = document.createRange()
                range.setStart(node, word.index)
                range.setEnd(node, word.index + word[0].length)
                return [word[0], new Set([...range.getClientRects()].map(box => Math.round(box.top))).size]
              })).filter(([word, lines]) => lines > 1 && word.length < 30).map(([word]) => word)""")
            assert broken == [], (width, path, broken)
            assert p.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (width, path)
