"""axe-core's rules on every page, attributes and messages for screen readers, reduced motion."""
import os

import axe_core_python

from browser import options

with open(os.path.join(os.path.dirname(axe_core_python.__file__), "axe.min.js"), encoding="utf-8") as _file:
    AXE = _file.read()


STILL = "!document.getAnimations().some(one => one.playState === 'running' && one.effect.getTiming().iterations === 1)"


def violations(p):
    # A fade changes colors, so the check waits until every animation has ended.
    p.until(STILL)
    p.page.evaluate(AXE + ";1")
    return p.page.evaluate("""axe.run(document, { resultTypes: ['violations'] }).then(result => result.violations.map(one =>
      one.id + ': ' + one.nodes.slice(0, 3).map(node => node.html.slice(0, 160) + ' | ' + node.failureSummary.slice(0, 200)).join(' ;; ')))""")


def check(p):
    # A change that arrives during the check flashes for a moment, so only a violation that is found twice counts.
    found = violations(p) and violations(p)
    assert not found, (p.page.url, found)


def everywhere(p):
    p.page.wait_for_selector(".navigation")
    check(p)
    for path, there in (("/entities/Step?sort=position", ".handle"), ("/entities/Kind", ".lines .cell"), ("/entities/Note?section=text&sort=text", ".line.sticky"),
                        ("/entities/Kind/p1", ".object-view dl"), ("/entities/Plan/p1", ".object-view dl"), ("/entities/Kind?chart=small", ".chart"),
                        ("/diagram", ".diagram"), ("/history", ".transaction"), ("/requests", ".figures b"), ("/store", ".facts"),
                        ("/entities/Kind?where=small%20%3E%201000", ".grid"), ("/entities/Kind?where=oops", "#filter-error:not([hidden])")):
        p.go(path)
        p.page.locator(there).first.wait_for(state="attached")
        check(p)
    p.object("/entities/Kind/p1")
    p.page.click("button:has-text('Edit')")
    p.page.fill("#attribute-small", "500")
    p.press("Enter")
    p.until("document.querySelector('[data-key=small] .problem')?.hidden === false")
    check(p)


@options(store="kinds")
def test_axe_finds_nothing(p):
    everywhere(p)


@options(store="kinds", dark=True)
def test_axe_finds_nothing_in_the_dark(p):
    everywhere(p)


@options(store="kinds", width=390, height=800, touch=True)
def test_axe_finds_nothing_on_a_narrow_page(p):
    everywhere(p)


def test_axe_finds_nothing_in_dialogs_and_menus(p):
    def opened(what, there):
        p.table("/entities/Customer")
        what()
        p.page.wait_for_selector(there)
        check(p)
    opened(lambda: p.page.click("header >> text=Columns"), "dialog")
    opened(lambda: p.page.click("header >> text=More"), ".menu")
    opened(lambda: p.press("?"), "dialog")
    opened(lambda: (p.page.focus(".grid"), p.press("Delete")), "dialog")
    opened(lambda: (p.page.click("#filter"), p.page.keyboard.type("a")), "#completions li")
    opened(lambda: (p.menu("More", "Change all"), p.page.fill("dialog input[aria-label='New city']", "x"), p.page.click("dialog button:has-text('Preview')")), "dialog .related li")
    opened(lambda: p.menu("More", "SQL"), "dialog pre")


def test_screen_readers_receive_the_grid_and_its_changes(p):
    p.table("/entities/Person?section=lastName")
    sections = len(p.server.json("/api/tables/Person?section=lastName&limit=1")["sections"])
    p.page.focus(".grid")
    p.press("ArrowDown")
    grid = p.page.locator(".grid")
    assert grid.get_attribute("aria-rowcount") == str(3750 + sections + 1) and grid.get_attribute("aria-colcount") == "4"
    row = p.page.evaluate("""(() => { const cell = document.getElementById(document.querySelector('.grid').getAttribute('aria-activedescendant'))
      return [cell.getAttribute('role'), cell.getAttribute('aria-colindex'), cell.parentElement.getAttribute('aria-rowindex'), cell.parentElement.getAttribute('role')] })()""")
    assert row == ["gridcell", "1", "4", "row"], row
    p.change("update", "Person", "firstName=Heidi", "--where", "displayOrder == 1613")
    p.shows("[role=status]", "1 row changed")


@options(reduced=True)
def test_nothing_moves_where_motion_is_reduced(p):
    p.table("/entities/Team?sort=name")
    p.page.evaluate("""(() => { window.__moving = 0; const animate = Element.prototype.animate
      Element.prototype.animate = function (frames, timing) { if (frames.some(one => one.transform || (one.opacity !== undefined && one.opacity !== 1))) __moving += 1; return animate.call(this, frames, timing) } })()""")
    p.change("insert", "Team", "name=AAA")
    p.shows(".total", "51").rest()
    p.change("delete", "Team", "--where", "name == 'AAA'")
    p.shows(".total", "50").rest()
    assert p.page.evaluate("__moving") == 0
