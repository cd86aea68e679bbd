"""The filter: completion, mistakes with their place, templates, saved filters."""
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


def test_arrows_go_round_the_completions(p):
    p.table("/entities/Person")
    p.press("/")
    p.page.keyboard.type("a")
    p.page.wait_for_selector("#completions li")
    last = p.page.locator("#completions li").count() - 1

    def active():
        return p.page.get_attribute("#filter", "aria-activedescendant")
    # Up from the field is the last one, and so it goes on.
    for key, place in (("ArrowUp", last), ("ArrowDown", 0), ("ArrowDown", min(1, last)), ("ArrowUp", 0), ("ArrowUp", last)):
        p.press(key)
        assert active() == f"completion-{place}", (key, place, active())


def test_a_mistake_is_shown_where_it_is(p):
    p.table("/entities/Person")
    type_filter(p, 'age > 3 AND lastNme == "x"')
    p.until("!document.querySelector('#filter-error').hidden")
    p.shows("#filter-error mark", "lastNme")
    assert p.page.get_attribute("#filter", "aria-invalid") == "true"
    p.picture("filter mistake")
    assert p.text("#filter-error mark") == "lastNme" and 'did you mean "lastName"' in p.text("#filter-error")
    p.page.fill("#filter", "age > 3")
    p.until("document.querySelector('#filter-error').hidden")


def test_a_mistake_behind_emoji_has_its_place(p):
    p.table("/entities/Person")
    type_filter(p, 'lastName == "👩‍👩‍👧𝒜" AND oops == 1')
    p.shows("#filter-error mark", "oops")
    assert p.text("#filter-error mark") == "oops", p.text("#filter-error mark")


def test_an_address_with_a_bad_filter_says_so(p):
    p.go("/entities/Person?where=age%20%3E%20%3E")
    p.page.wait_for_selector(".remark:not([hidden])")
    assert p.text(".remark"), "a message"
    assert p.text("#filter-error mark") == ">"
    # The way out is to mend it.
    p.page.fill("#filter", "age > 90")
    p.press("Enter")
    p.until("location.search.includes('90')").rest()
    assert p.total() > 0 and not p.page.is_visible(".remark")


@options(store="kinds")
def test_templates_ask_for_their_variables(p):
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


def test_operators_that_are_not_for_strangers_are_refused(p):
    for text in ("FUNCTION('', 'pathForKey:', 'x') == 1", "FUNCTION(self, 'valueForKey:', 'lastName') == 'x'", "lastName MATCHES '(a+)+$'"):
        status, _, body = p.server.request("/api/tables/Person?where=" + quote(text))
        assert status < 500, (text, status, body)
    assert p.server.request("/api/store")[0] == 200
