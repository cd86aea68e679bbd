"""A window 390 pixels wide, in which each pane is a page."""
import sqlite3

from browser import options

OPTIONS = {"width": 390, "height": 800, "touch": True}


def fits(p):
    assert p.page.evaluate("document.documentElement.scrollWidth") <= 390, p.page.url


def test_panes_are_pages(p):
    p.page.wait_for_selector(".navigation")
    p.picture("narrow overview")
    fits(p)
    p.page.tap(".navigation a:has-text('Customer')")
    p.rest()
    assert not p.page.is_visible(".navigation") and p.page.is_visible(".grid")
    p.picture("narrow table")
    fits(p)
    p.page.tap(".lines .line >> nth=3")
    p.page.wait_for_selector(".object-view dl")
    assert not p.page.is_visible(".grid")
    p.picture("narrow object")
    fits(p)
    p.page.tap(".side .back")
    p.until("document.querySelector('.grid').offsetParent !== null")
    p.page.tap("header >> text=More")
    p.page.tap(".menu button:has-text('Sections')")
    p.page.tap(".menu button:has-text('state')")
    p.until("location.search.includes('section=state')").rest()
    p.picture("narrow sections")
    fits(p)
    p.page.tap(".middle .back")
    p.page.wait_for_selector(".navigation")


def test_other_pages_fit(p):
    for path, there in (("/diagram", ".diagram"), ("/requests", ".figures b"), ("/store", ".facts"), ("/entities/Person?chart=age", ".chart")):
        p.go(path)
        p.page.wait_for_selector(there)
        p.picture(f"narrow {path.split('?')[0].split('/')[-1]}")
        fits(p)


@options(store="kinds")
def test_a_value_is_edited(p):
    p.object("/entities/Kind/p1")
    p.page.tap("button:has-text('Edit')")
    p.page.fill("#attribute-small", "9")
    p.press("Enter")
    p.until("!document.querySelector('.pending').hidden")
    p.picture("narrow editing")
    fits(p)
    p.page.tap(".pending button:has-text('Save')")
    p.until("document.querySelector('.pending').hidden")
    p.page.tap(".side .back")
    p.rest()
    assert p.server.json("/api/tables/Kind?columns=small")["rows"][0]["cells"] == [9]


@options(store="kinds")
def test_a_date_fits_its_field(p):
    for width in (390, 900):
        p.page.set_viewport_size({"width": width, "height": 800})
        p.object("/entities/Kind/p1")
        if not p.page.locator("#attribute-day").count():
            p.page.click("button:has-text('Edit')")
        p.page.wait_for_selector("#attribute-day")
        p.rest()
        p.picture(f"date at {width}")
        # The field is wide enough for the date, the time and the icon after them.
        field = p.page.locator("#attribute-day").evaluate("one => [one.clientWidth, parseFloat(getComputedStyle(one).fontSize)]")
        assert field[0] >= field[1] * 15.5, (width, field)


@options(store="kinds")
def test_a_history_of_long_names_fits(p):
    with sqlite3.connect(p.store) as database:
        database.execute("UPDATE ATRANSACTIONSTRING SET ZNAME = ? WHERE Z_PK = 1", ("com.example." + "averylongname" * 4,))
        database.execute("UPDATE ATRANSACTION SET ZBUNDLEIDTS = 1, ZPROCESSIDTS = 1, ZCONTEXTNAMETS = 1 WHERE Z_PK = 1")
    database.close()
    p.go("/history")
    p.page.wait_for_selector(".transaction")
    p.picture("narrow history")
    assert p.page.evaluate("(page => page.scrollWidth <= page.clientWidth)(document.querySelector('.page'))")
