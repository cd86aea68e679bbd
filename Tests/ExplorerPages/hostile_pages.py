"""Values that contain markup, that change the text direction, or that are very long."""
from urllib.parse import quote

from browser import options

OPTIONS = {"store": "kinds"}


def unharmed(p):
    assert p.page.evaluate("window.__hit") is None
    assert p.page.evaluate("document.querySelectorAll('main script, main img, main iframe, a[href^=javascript]').length") == 0


def test_values_are_shown_only_as_text(p):
    p.table("/entities/Note?columns=text")
    text = "\n".join(cells[0] for _, cells in p.rows())
    for part in ("<script>window.__hit=1</script>", "‹202E›gnp.exe", "bell‹07› escape‹1B›[31mred", "line one↵line two⇥tab‹0D›",
                 "javascript:window.__hit=1", "{{constructor}} ${1}", "‹200B›‹200B›unseen", "العربية", "👩‍👩‍👧 family", "</textarea></title>",
                 "null‹00›‹01›<b>", "'; DROP TABLE ZNOTE; --"):
        assert part in text, (part, text)
    p.picture("hostile")
    unharmed(p)
    for number in range(1, 16):
        p.object(f"/entities/Note/p{number}")
        p.page.wait_for_selector(".object-view dd")
        unharmed(p)


def test_sections_charts_and_filters_of_hostile_values(p):
    p.table("/entities/Note?section=text")
    unharmed(p)
    p.go("/entities/Note?chart=text")
    p.page.wait_for_selector(".bins")
    p.picture("hostile chart")
    unharmed(p)
    p.page.click(".bins button:has-text('<script>')")
    p.until("location.search.includes('where')").rest()
    assert p.total() == 1
    p.go("/entities/Note?where=" + quote("<script>window.__hit=1</script>"))
    p.page.wait_for_selector("#filter-error:not([hidden])")
    unharmed(p)


def test_a_text_of_a_megabyte(p):
    p.object("/entities/Note/p14")
    p.page.wait_for_selector("[data-key=long] button")
    assert "1,000,000 characters" in p.text("[data-key=long] button")
    p.page.click("[data-key=long] button")
    p.until("document.querySelector('[data-key=long] .text')?.textContent.length > 90000")
    assert p.page.evaluate("document.querySelector('[data-key=long] .text').textContent.length") <= 100_001
    p.page.click("button:has-text('Edit')")
    p.page.wait_for_selector("#attribute-long")
    assert p.page.evaluate("document.querySelector('#attribute-long').value.length") == 1_000_000


def test_pages_without_scripts_escape_hostile_values(p):
    for path in ("/entities/Note", "/entities/Note/p1", "/history", "/store", "/entities/Note?where=" + quote("\"><script>x</script>")):
        _, headers, body = p.server.request(path)
        text = body.decode()
        assert "text/html" in headers["Content-Type"], path
        assert "<script>window" not in text and "<script>x" not in text and "<img src=x" not in text and "<svg onload" not in text, path
    assert "&lt;script&gt;window.__hit" in p.server.request("/entities/Note")[2].decode()


def test_download_names_and_error_messages_are_not_markup(p):
    _, headers, _ = p.server.request("/api/objects/Kind/p1/data/bytes")
    assert "attachment" in headers["Content-Disposition"] and "html" not in headers["Content-Type"]
    name = quote("<img src=x onerror=window.__hit=1>")
    status, _, body = p.server.request("/entities/" + name)
    assert status in (400, 404) and b"<img" not in body, body
    p.go("/entities/" + name)
    p.shows("main", "There is no entity <img")
    unharmed(p)


def test_emoji_are_not_cut_in_half(p):
    p.change("insert", "Note", "text=x" + "😀" * 200)
    p.change("insert", "Note", "text=" + "👩‍👩‍👧" * 100)
    p.table("/entities/Note?columns=text")
    ends = [cells[0].rstrip("…") for _, cells in p.rows() if len(cells[0]) > 100 and ("😀" in cells[0] or "👩" in cells[0])]
    assert len(ends) == 2 and all("‹" not in end and end.endswith(("😀", "👩‍👩‍👧")) for end in ends), ends


def test_a_text_has_its_own_direction(p):
    p.table("/entities/Note?columns=text")
    direction = "[...document.querySelectorAll('.lines .cell')].every(cell => getComputedStyle(cell).unicodeBidi === 'plaintext')"
    assert p.page.evaluate(direction)
