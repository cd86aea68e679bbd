"""Tables: rows, scrolling, keys, sorting, sections, columns, the object beside a table, addresses."""
import re
import sqlite3

from browser import options


def test_the_overview_lists_entities_with_counts(p):
    p.shows(".navigation", "3,750")
    assert p.page.locator(".page tbody tr").count() == 5
    p.picture("overview")
    p.page.click(".navigation a:has-text('Team')")
    p.rest()
    assert p.page.url.endswith("/entities/Team") and p.total() == 50
    p.page.go_back()
    p.page.wait_for_selector("#overview-title")


def test_the_first_page_has_few_elements(p):
    p.table("/entities/Person")
    assert p.page.get_attribute(".grid", "aria-rowcount") == "3751"
    assert p.rows()[0][1] == ["23", "1613", "Virginia", "Roberts"], p.rows()[0]
    assert p.page.locator(".lines .line").count() < 70
    # Values are below their titles. Rows without an order attribute have no handles.
    assert p.page.locator(".handle").count() == 0
    left = "one => one.getBoundingClientRect().left"
    assert p.page.evaluate(f"[...document.querySelectorAll('.title')].map({left}).join() === [...document.querySelectorAll('.lines .line [role=gridcell]')].slice(0, 4).map({left}).join()")


def test_the_scroll_bar_and_the_address_lead_to_a_row(p):
    p.table("/entities/Person")
    p.page.evaluate("(() => { const grid = document.querySelector('.grid'); grid.scrollTop = 3000 * 30 })()")
    p.until("location.search.includes('at=3000')").rest()
    assert p.first() == 3000, p.first()
    shown = p.rows()
    p.page.reload()
    p.rest()
    assert p.first() == 3000 and p.rows() == shown
    p.table("/entities/Person?at=1234")
    assert p.first() == 1234, p.first()
    expected = p.server.json("/api/tables/Person?offset=1234&limit=1")["rows"][0]["cells"]
    assert dict(map(tuple, p.rows()))[1234] == [str(cell) for cell in expected], expected


def test_scrolling_to_the_last_row_and_in_small_steps(p):
    p.table("/entities/Person")
    p.page.focus(".grid")
    p.press("End")
    p.until("document.querySelector('[aria-rowindex=\"3751\"]')").rest()
    assert p.rows()[-1][0] == 3749
    first = p.first()
    p.page.mouse.move(600, 500)
    p.page.mouse.wheel(0, -300)
    p.until(f"location.search.includes('at={first - 10}')")
    assert p.first() == first - 10
    p.press("Home")
    p.until("!location.search.includes('at=')")
    assert p.first() == 0


def test_a_click_sorts_and_a_shift_click_adds_a_key(p):
    p.table("/entities/Customer")
    p.page.click(".title:has-text('state') .name")
    p.until("location.search.includes('sort=state')").rest()
    states = p.cells("state")
    assert states == sorted(states) and states[0] == "AK", states
    p.page.click(".title:has-text('lastName') .name", modifiers=["Shift"])
    p.until("location.search.includes('sort=state%2ClastName')").rest()
    p.page.click(".title:has-text('lastName') .name", modifiers=["Shift"])
    p.until("location.search.includes('sort=state%2C-lastName')").rest()
    names = [name for name, state in zip(p.cells("lastName"), p.cells("state")) if state == "AK"]
    assert len(names) > 3 and names == sorted(names, reverse=True), names
    assert p.page.get_attribute(".title:has-text('lastName')", "aria-sort") == "descending"
    p.page.go_back()
    p.until("location.search.endsWith('sort=state%2ClastName')")


def test_names_are_sorted_in_localized_order(p):
    p.table("/entities/Person?sort=~lastName&columns=lastName&where=lastName%20BEGINSWITH%5Bcd%5D%20%22mu%22")
    names = p.cells("lastName")
    assert "Müller" in names and "Muñoz" in names and names.index("Müller") < len(names) - 1, names


def test_a_line_whose_row_is_not_loaded_has_no_state(p):
    p.table("/entities/Person")
    p.page.click(".lines .line >> nth=0")
    p.page.wait_for_selector(".line.open")
    p.page.click("[aria-rowindex='25'].line", modifiers=["Shift"])
    p.shows(".selection", "24 rows selected")
    held, pages = [], re.compile(r"/api/tables/Person\?.*offset=(29|30|31)00")
    p.page.route(pages, lambda route: held.append(route))
    p.page.evaluate("(() => { document.querySelector('.grid').scrollTop = 3000 * 30 })()")
    p.until("document.querySelectorAll('.line.waiting').length > 20")
    assert p.page.locator(".lines [aria-selected=true], .lines .open").count() == 0
    for route in held:
        route.continue_()
    p.page.unroute(pages)
    p.rest()
    assert p.page.locator(".lines [aria-selected=true]").count() == 0


def test_a_selection_over_rows_that_are_not_loaded_says_so(p):
    p.table("/entities/Person")
    p.page.click(".lines .line >> nth=0")
    p.page.evaluate("(() => { document.querySelector('.grid').scrollTop = 3000 * 30 })()")
    p.until("location.search.includes('at=3000')").rest()
    p.page.click("[aria-rowindex='3007'].line", modifiers=["Shift"])
    p.shows(".notice", "not loaded yet")
    selected = int(p.text(".selection span").split()[0].replace(",", ""))
    missing = int(re.search(r"[\d,]+", p.text(".notice"))[0].replace(",", ""))
    assert selected + missing == 3006 and missing > 1000, (selected, missing)


def test_sections_have_headers_and_an_index(p):
    p.table("/entities/Person?section=lastName")
    p.until("document.querySelector('.line.sticky')")
    assert p.text(".line.sticky").startswith("Adams")
    p.page.click(".index-bar button:has-text('T')")
    p.until("document.querySelector('.line.sticky').innerText.startsWith('T')").rest()
    first = p.text(".line.sticky").split()[0]
    p.page.mouse.move(600, 500)
    p.page.mouse.wheel(0, 200)
    p.until(f"document.querySelector('.line.sticky').innerText.startsWith('{first}')").rest()
    assert p.page.evaluate("""(() => { const a = document.querySelector('.line.sticky').getBoundingClientRect(), h = document.querySelector('.line.titles').getBoundingClientRect()
      return Math.abs(a.top - h.bottom) < 1.5 })()""")
    counted = p.server.json("/api/tables/Person?section=lastName&limit=1")["sections"]
    assert f"in {len(counted)} sections" in p.text(".status"), p.text(".status")
    assert sum(section["count"] for section in counted) == 3750
    p.picture("sections")


def test_sections_by_a_key_path(p):
    p.table("/entities/Job")
    p.page.click("header >> text=Sections")
    p.page.click(".menu button:has-text('customer.lastName')")
    p.until("location.search.includes('section=customer.lastName')").rest()
    p.until("document.querySelector('.line.sticky')")
    assert p.text(".line.sticky").strip(), p.text(".line.sticky")


def test_columns_are_chosen_moved_and_resized(p):
    p.table("/entities/Job")
    p.page.click("header >> text=Columns")
    p.page.click("dialog summary:has-text('customer')")
    p.page.check("dialog input[value='customer.city']")
    p.page.uncheck("dialog input[value=displayOrder]")
    p.page.click("text=Show these")
    p.until("location.search.includes('columns=')").rest()
    titles = p.page.locator(".title .name").all_inner_texts()
    assert titles == ["amount", "date", "title", "customer", "customer.city"], titles
    assert p.cells("customer.city")[0]
    p.page.focus(".grid")
    p.press("ArrowUp", "Alt+ArrowRight")
    p.until("location.search.includes('columns=date')").rest()
    assert p.page.locator(".title .name").all_inner_texts()[:2] == ["date", "amount"]
    before = p.page.locator("#title-1").bounding_box()["width"]
    p.page.focus(".grid")
    p.press("Shift+ArrowRight")
    assert p.page.locator("#title-1").bounding_box()["width"] == before + 16
    edge, width = p.page.locator("#title-0 .edge").bounding_box(), p.page.locator("#title-0").bounding_box()["width"]
    p.page.mouse.move(edge["x"] + 4, edge["y"] + 5)
    p.page.mouse.down()
    p.page.mouse.move(edge["x"] + 64, edge["y"] + 5, steps=3)
    p.page.mouse.up()
    assert abs(p.page.locator("#title-0").bounding_box()["width"] - width - 60) < 2


@options(store="kinds")
def test_elements_of_composite_attributes_are_columns_and_sections(p):
    p.change("update", "Lock", "place.town=Ulm", "--where", "name == 'Lock'")
    p.table("/entities/Lock")
    p.page.click("header >> text=Columns")
    assert p.page.locator("dialog input[value=shown]").count() == 0, "a transient attribute has no stored values"
    p.page.click("dialog summary:has-text('place')")
    p.page.check("dialog input[value='place.town']")
    p.page.click("text=Show these")
    p.until("location.search.includes('place.town')").rest()
    assert p.cells("place.town") == ["Ulm"], p.rows()
    p.page.click("header >> text=Sections")
    offered = p.page.locator(".menu .item").all_inner_texts()
    assert {"place", "shown"}.isdisjoint(offered) and "place.town" in offered, offered
    p.page.click(".menu button:has-text('place.town')")
    p.until("location.search.includes('section=place.town')").rest()
    p.until("document.querySelector('.line.sticky')?.innerText.startsWith('Ulm')")
    p.press("/")
    p.page.keyboard.type("place.to")
    p.page.wait_for_selector("#completions li")
    p.press("ArrowDown", "Enter")
    p.page.keyboard.type('== "Ulm"')
    p.press("Enter")
    p.until("location.search.includes('where=place.town')").rest()
    assert p.total() == 1


def test_a_second_click_on_the_button_of_a_menu_closes_the_menu(p):
    p.table("/entities/Team")
    for expected in (1, 0, 1, 0):
        p.page.click("header >> text=More")
        assert p.page.locator(".menu").count() == expected
    # After a press outside has closed the menu, the keyboard opens it again.
    p.page.click("header >> text=More")
    p.page.click(".lines .line >> nth=3")
    assert p.page.locator(".menu").count() == 0
    p.page.focus("header button:has-text('More')")
    p.press("Enter")
    p.page.wait_for_selector(".menu")


def test_relationships_lead_on_and_back(p):
    p.table("/entities/Team")
    p.page.click(".lines .line >> nth=2")
    p.page.wait_for_selector(".relationship summary")
    count = int(p.text(".relationship summary .count"))
    assert count > 5 and p.page.locator(".related li").count() == 0, "members are loaded only when the relationship is opened"
    p.page.click(".relationship summary:has-text('players')")
    p.page.wait_for_selector(".related li a")
    assert p.page.locator(".related li").count() == count
    p.page.click(".related li a >> nth=0")
    p.shows(".object-view .pale", "Player")
    assert "/entities/Player/" in p.page.url and "in=Team" in p.page.url
    # The inverse relationship leads back.
    assert p.page.locator(".relationship.one a").inner_text()
    p.page.reload()
    p.rest()
    p.page.wait_for_selector(".object-view dl")
    assert p.text("#table-title") == "Team"
    p.page.go_back()
    p.shows(".object-view .pale", "Team")
    p.picture("object")


@options(store="kinds")
def test_the_marked_row_is_the_object_beside_it(p):
    p.table("/entities/Plan")
    p.page.click(".lines .line >> nth=0")
    p.page.wait_for_selector(".relationship summary")
    assert p.page.locator(".line.open").count() == 1
    p.page.click(".relationship summary:has-text('steps')")
    # Plan p2 is in the table, and Step p2 is not.
    p.page.click(".related li a >> nth=1")
    p.shows(".object-view .pale", "Step p2")
    p.until("document.querySelectorAll('.line.open').length === 0")
    # The rows of an abstract entity are objects of its subentities.
    p.table("/entities/Shape/p2")
    p.page.wait_for_selector(".object-view dl")
    assert p.page.locator(".line.open").count() == 1


@options(store="kinds")
def test_subentities_are_rows_of_their_superentity(p):
    p.table("/entities/Shape")
    assert p.total() == 2
    p.page.click(".lines .line >> nth=1")
    p.page.wait_for_selector(".object-view dl")
    p.shows(".object-view .pale", "Square")


@options(store="kinds")
def test_an_address_of_a_missing_object_or_entity_is_reported(p):
    p.go("/entities/Kind/p99")
    p.shows(".object-view", "does not exist")
    p.go("/entities/Kinds")
    p.shows("main", "There is no entity Kinds")
    p.go("/entities/%")
    p.shows("main", "There is no entity %")
    p.go("/entities/Kind?sort=nothing")
    p.shows(".remark", "nothing")


@options(store="kinds")
def test_dates_fit_their_columns(p):
    with sqlite3.connect(p.store) as database:
        database.execute("UPDATE ZKIND SET ZDAY = 600000000.123456 WHERE ZNAME = 'First'")
    database.close()
    p.table("/entities/Kind?columns=day")
    assert p.cells("day")[0] == "2020-01-06 10:40:00", p.cells("day")
    cell = p.page.locator(".lines .cell.date").first
    assert cell.get_attribute("title").startswith("2020-01-06 10:40:00.123")
    assert cell.evaluate("one => one.scrollWidth <= one.clientWidth")
    p.object("/entities/Kind/p1")
    assert "10:40:00.123" in p.text("[data-key=day]")


def test_titles_fit_their_columns(p):
    for entity in ("Person", "Customer", "Job"):
        p.table(f"/entities/{entity}?sort=-{'displayOrder' if entity != 'Customer' else 'lastName'}")
        cut = p.page.locator(".title .name").evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)")
        assert cut == [], cut


@options(store="kinds")
def test_a_few_columns_have_no_search_field(p):
    p.table("/entities/Kind")
    p.page.click("header >> text=Columns")
    assert p.page.locator("dialog input[type=text]").count() == 0
    p.page.click("dialog button:has-text('None')")
    assert p.page.is_disabled("dialog button:has-text('Show these')")
    p.page.check("dialog input[value=small]")
    p.page.click("text=Show these")
    p.until("location.search.includes('columns=small')").rest()
    assert p.page.locator(".title .name").all_inner_texts() == ["small"]


@options(store="kinds")
def test_a_column_among_many_is_found_by_search(p):
    def widen(route):
        store = route.fetch().json()
        kind, = (one for one in store["entities"] if one["name"] == "Kind")
        kind["properties"] += [{"kind": "attribute", "name": f"more{number}", "type": "String"} for number in range(20)]
        route.fulfill(json=store)
    p.page.route("**/api/store", widen)
    p.table("/entities/Kind?columns=small")
    p.page.click("header >> text=Columns")
    p.page.fill("dialog input[aria-label='Search columns']", "NAM")
    assert p.page.locator("dialog .choice:visible").count() == 1, p.text("dialog")
    p.page.check("dialog input[value=name]")
    p.page.click("text=Show these")
    p.until("location.search.includes('columns=small%2Cname')").rest()
