"""The filter: completion, errors with their position, templates, saved filters."""
from urllib.parse import quote

from browser import options


def type_filter(p, text):
    p.page.click("#filter")
    p.page.keyboard.type(text)


def test_a_filter_is_typed_with_completions(p):
    p.table("/entities/Person")
    p.press("/")
    p.page.keyboard.type("las")
    p.page.wait_for_selector("#completions li")
    p.picture("completion")
    p.press("ArrowDown")
    assert p.page.get_attribute("#filter", "aria-activedescendant") == "completion-0"
    p.press("Enter")
    assert p.page.input_value("#filter") == "lastName "
    p.page.wait_for_selector("#completions li.operator")
    p.page.keyboard.type('== "Adams"')
    p.until("document.querySelector('#filter-error').hidden")
    p.press("Escape", "Enter")
    p.until("location.search.includes('where=lastName')").rest()
    assert set(p.cells("lastName")) == {"Adams"}
    assert p.total() == len(p.server.json("/api/tables/Person?limit=1000&where=" + quote('lastName == "Adams"'))["rows"])
    p.page.go_back()
    p.until("!location.search.includes('where')").rest()
    assert p.page.input_value("#filter") == "" and p.total() == 3750


def test_arrow_keys_cycle_through_the_completions(p):
    p.table("/entities/Person")
    p.press("/")
    p.page.keyboard.type("a")
    p.page.wait_for_selector("#completions li")
    last = p.page.locator("#completions li").count() - 1

    def active():
        return p.page.get_attribute("#filter", "aria-activedescendant")
    # The up arrow moves from the field to the last completion, and the cycle continues from there.
    for key, place in (("ArrowUp", last), ("ArrowDown", 0), ("ArrowDown", min(1, last)), ("ArrowUp", 0), ("ArrowUp", last)):
        p.press(key)
        assert active() == f"completion-{place}", (key, place, active())


def test_moving_the_cursor_closes_the_completions(p):
    p.table("/entities/Person")
    for move in (lambda: p.press("ArrowLeft"), lambda: p.press("Home"), lambda: p.page.click("#filter", position={"x": 4, "y": 8})):
        p.page.fill("#filter", "")
        p.page.keyboard.type("las")
        p.page.wait_for_selector("#completions li")
        move()
        p.until("document.querySelector('#completions').hidden")
        p.press("Tab")
        assert p.page.input_value("#filter") == "las"


def test_an_error_is_shown_at_its_position(p):
    p.table("/entities/Person")
    type_filter(p, 'age > 3 AND lastNme == "x"')
    p.until("!document.querySelector('#filter-error').hidden")
    p.shows("#filter-error mark", "lastNme")
    assert p.page.get_attribute("#filter", "aria-invalid") == "true"
    p.picture("filter error")
    assert p.text("#filter-error mark") == "lastNme" and 'did you mean "lastName"' in p.text("#filter-error")
    p.page.fill("#filter", "age > 3")
    p.until("document.querySelector('#filter-error').hidden")


def test_an_error_after_emoji_has_the_correct_position(p):
    p.table("/entities/Person")
    type_filter(p, 'lastName == "👩‍👩‍👧𝒜" AND oops == 1')
    p.shows("#filter-error mark", "oops")
    assert p.text("#filter-error mark") == "oops", p.text("#filter-error mark")


def test_an_invalid_filter_in_an_address_is_reported(p):
    p.go("/entities/Person?where=age%20%3E%20%3E")
    p.page.wait_for_selector("#filter-error:not([hidden])")
    assert p.text("#filter-error .message"), "a message"
    assert p.text("#filter-error mark") == ">"
    # The page reports the error once, and not as a lost connection.
    assert not p.page.is_visible(".remark") and "lost" not in p.text(".status")
    # The user can correct the filter.
    p.page.fill("#filter", "age > 90")
    p.press("Enter")
    p.until("location.search.includes('90')").rest()
    assert p.total() > 0 and not p.page.is_visible(".remark")


def test_an_invalid_filter_keeps_the_rows(p):
    p.table("/entities/Person?where=" + quote("age > 40") + "&sort=age")
    # The line with the error makes the table shorter, so only the first rows are compared.
    place = "[...new URLSearchParams(location.search)].join()"
    rows, total, shown = p.rows()[:10], p.total(), p.page.evaluate(place)
    for bad in ("Natalie Wilson", "lastName = Wilson", "nothing == 3"):
        p.page.fill("#filter", bad)
        p.press("Enter")
        p.until("!document.querySelector('#filter-error').hidden")
        p.rest()
        assert p.rows()[:10] == rows and p.total() == total and p.text(".status .live") == "live", bad
        assert p.page.input_value("#filter") == bad and not p.page.is_visible(".remark")
        assert p.page.locator("#filter-error .message").count() == 1
        # The address still describes the visible rows, and later actions continue from it.
        assert p.page.evaluate(place) == shown, p.page.url
    p.picture("bad filter")
    assert "nothing" in p.text("#filter-error mark")
    p.page.fill("#filter", "age > 90")
    p.press("Enter")
    p.until("location.search.includes('90')").rest()
    assert p.page.is_hidden("#filter-error") and "sort=age" in p.page.url and p.total() < total


def test_sql_expressions_have_a_hint(p):
    p.table("/entities/Customer")
    p.page.fill("#filter", "customerSince > 2020")
    p.press("Enter")
    p.until("location.search.includes('2020')").rest()
    p.shows("#filter-error .hint", "means seconds since 2001")
    assert p.total() == 2000 and p.page.get_attribute("#filter", "aria-invalid") == "false"
    p.picture("hint")
    p.page.click("#filter-error .hint button")
    assert p.page.input_value("#filter") == 'customerSince > "2020-01-01"'
    p.press("Enter")
    p.until("location.search.includes('2020-01-01')").rest()
    assert p.total() < 2000 and p.page.is_hidden("#filter-error")
    p.page.fill("#filter", "lastName = Wilson")
    p.press("Enter")
    p.shows("#filter-error", "text must be quoted")
    p.page.click("#filter-error button:has-text('Wilson')")
    p.press("Enter")
    p.until("location.search.includes('%22Wilson%22')").rest()
    assert set(p.cells("lastName")) == {"Wilson"}


@options(store="kinds")
def test_templates_prompt_for_their_variables(p):
    p.table("/entities/Kind")
    p.page.click("text=Filters")
    p.page.click(".menu button:has-text('kindsFrom')")
    p.page.fill("dialog input[name=LEAST]", "10")
    p.page.fill("dialog input[name=BEGIN]", "s")
    p.picture("template")
    p.page.click("dialog button.primary")
    p.until("location.search.includes('where')").rest()
    assert p.cells("name") == ["Second"], (p.page.url, p.rows())


def test_filters_are_saved(p):
    p.table("/entities/Person")
    type_filter(p, 'lastName == "Adams"')
    p.press("Enter")
    p.until("location.search.includes('where')").rest()
    p.page.click("text=Filters")
    p.page.click(".menu button:has-text('Save')")
    p.page.fill("dialog input", "The Adams")
    p.page.click("dialog button.primary")
    p.until("!document.querySelector('dialog')")
    p.page.reload()
    p.rest()
    p.page.click("button.clear")
    p.until("!location.search.includes('where')").rest()
    p.page.click("text=Filters")
    p.page.click(".menu button:has-text('The Adams') >> nth=0")
    p.until("location.search.includes('where')").rest()
    assert set(p.cells("lastName")) == {"Adams"}


def test_a_filter_along_a_relationship(p):
    p.table("/entities/Job?columns=title,customer.state&where=" + quote("customer.state == 'TX' AND amount > 20000"))
    assert set(p.cells("customer.state")) == {"TX"}
    p.table("/entities/Customer?where=" + quote("ANY jobs.amount > 24000"))
    assert 0 < p.total() < 2000


def test_dangerous_operators_do_no_harm(p):
    for text in ("FUNCTION('', 'pathForKey:', 'x') == 1", "FUNCTION(self, 'valueForKey:', 'lastName') == 'x'", "lastName MATCHES '(a+)+$'"):
        status, _, body = p.server.request("/api/tables/Person?where=" + quote(text))
        assert status < 500, (text, status, body)
    assert p.server.request("/api/store")[0] == 200
