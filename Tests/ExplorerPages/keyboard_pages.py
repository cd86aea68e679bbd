"""Operating the pages with the keyboard alone."""
from browser import options


def current(p):
    return p.page.evaluate("document.getElementById(document.querySelector('.grid').getAttribute('aria-activedescendant'))?.innerText")


def test_keys_move_between_cells_and_open_objects(p):
    p.table("/entities/Person")
    p.page.focus(".grid")
    p.press("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight")
    assert current(p) == "Jessica", current(p)
    p.press("PageDown")
    p.rest()
    assert current(p) != "Jessica"
    p.press("Enter")
    p.page.wait_for_selector(".object-view dl")
    assert "/entities/Person/p" in p.page.url
    p.press("Escape")
    p.until("!document.querySelector('.object-view')")
    assert p.page.evaluate("document.activeElement.className") == "grid"
    p.press("End")
    p.until("document.querySelector('[aria-rowindex=\"3751\"]')")
    p.press("Home")
    p.until("!location.search.includes('at=')")


def test_keys_lead_from_the_list_of_entities_to_an_object_and_back(p):
    p.page.wait_for_selector("#overview-title")
    p.press("g")
    assert p.page.evaluate("document.activeElement.textContent").startswith("Customer")
    p.press("Tab", "Tab", "Tab", "Tab", "Enter")
    p.rest()
    assert p.page.url.endswith("/Team") and p.page.evaluate("document.activeElement.className") == "grid"
    # The up arrow moves from the first row to the column titles.
    p.press("ArrowUp", "m")
    p.page.wait_for_selector(".menu")
    p.press("ArrowDown", "Enter")
    p.until("location.search.includes('sort=')").rest()
    p.press("?")
    p.page.wait_for_selector("dialog")
    p.picture("keys")
    p.press("Escape")
    p.until("!document.querySelector('dialog')")
    p.page.focus(".grid")
    p.press("ArrowDown", "Enter")
    p.page.wait_for_selector(".object-view dl")
    first = p.page.url
    p.page.focus(".grid")
    p.press("ArrowDown")
    # The object beside the table follows the current row.
    p.until(f"location.href !== '{first}'")
    p.press("Escape")
    p.until("!document.querySelector('.object-view')")


def test_a_key_focuses_the_filter_and_escape_returns_the_focus(p):
    p.table("/entities/Person")
    p.press("/")
    assert p.page.evaluate("document.activeElement.id") == "filter"
    p.press("Escape")
    p.until("document.activeElement.className === 'grid'")


@options(store="kinds")
def test_shortcut_keys_are_text_in_a_field(p):
    p.object("/entities/Kind/p1")
    p.page.click("button:has-text('Edit')")
    p.page.fill("#attribute-name", "")
    p.page.click("#attribute-name")
    p.page.keyboard.type("nesz/?g")
    assert p.page.input_value("#attribute-name") == "nesz/?g"
    assert p.page.locator("dialog").count() == 0 and p.server.json("/api/edit")["inserted"] == 0
