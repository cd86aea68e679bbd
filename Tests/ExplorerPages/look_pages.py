"""Makes screenshots of the main pages for review, light and dark, wide and narrow. Of their look, the tests check only that nothing overflows."""
from browser import options

OPTIONS = {"store": "kinds"}


def pictures(p, name):
    def keep(what):
        # No element is wider than the page, and no text in the bars is cut off.
        assert p.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (what, p.page.url)
        assert p.page.evaluate("[...document.querySelectorAll('.page > .bar')].every(one => one.scrollHeight <= one.clientHeight + 1)"), (what, p.page.url)
        p.until("!document.getAnimations().some(one => one.playState === 'running' && one.effect.getTiming().iterations === 1)")
        p.picture(f"look {name} {what}")
    p.page.wait_for_selector(".navigation")
    keep("overview")
    p.table("/entities/Step?section=name&sort=name,position")
    keep("sections")
    p.object("/entities/Plan/p1").rest()
    p.page.click(".relationship summary:has-text('steps')")
    p.page.wait_for_selector(".related li")
    keep("object")
    p.object("/entities/Kind/p1").rest()
    p.page.click("button:has-text('Edit')")
    p.page.fill("#attribute-small", "9")
    p.press("Tab")
    p.shows(".pending .sum", "1 changed")
    p.page.fill("#attribute-name", "x")
    p.press("Tab")
    p.until("document.querySelector('[data-key=name] .problem')?.hidden === false")
    keep("editing")
    for path, there in (("/diagram", ".diagram-picture"), ("/history", ".transaction"), ("/requests", ".requests li"), ("/entities/Kind?chart=small", ".chart")):
        p.go(path)
        p.page.wait_for_selector(there)
        keep(path.split("?")[0].split("/")[-1])


def test_wide_and_light(p):
    pictures(p, "wide light")


@options(dark=True)
def test_wide_and_dark(p):
    pictures(p, "wide dark")


@options(width=390, height=800, touch=True)
def test_narrow_and_light(p):
    pictures(p, "narrow light")


@options(width=390, height=800, touch=True, dark=True)
def test_narrow_and_dark(p):
    pictures(p, "narrow dark")


@options(store="sample", width=1200, height=720)
def test_readme(p):
    """Makes explorer.png, the picture in README.md (docs/explorer.png): a table in sections, and beside it an object."""
    p.table("/entities/Customer?section=state&sort=state,lastName")
    p.page.locator(".lines .line:not(.section)").nth(2).click()
    p.page.wait_for_selector(".object-view dl")
    p.rest()
    p.picture("explorer")
