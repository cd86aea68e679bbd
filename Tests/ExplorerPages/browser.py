"""Pages in headless Chromium, and helpers that read and operate them."""
import os
import shutil
import sys

import server
import stores

CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PICTURES = os.environ.get("PICTURES", "")

# The visible lines in the order of the page, each with its row index. Rows that are fading out are left out.
_LINES = """[...document.querySelectorAll('.lines .line:not(.section):not(.leaving)')]
  .map(line => [Number(line.getAttribute('aria-rowindex')), line]).sort((a, b) => a[0] - b[0])"""

# A table is at rest when its live results have arrived, no row is missing and nothing moves.
_AT_REST = """(() => {
  const table = document.querySelector('.table-view'), live = document.querySelector('.status .live')
  return table?.getAttribute('aria-busy') === 'false' && live?.textContent === 'live' && !document.querySelector('.lines .waiting')
    && !document.getAnimations().some(one => one.effect.getKeyframes().some(frame => frame.transform))
})()"""

# Resolves after the next frame has been drawn.
_NEXT_FRAME = "new Promise(done => requestAnimationFrame(() => setTimeout(done)))"


class Page:
    """A page in a new browser profile. Console errors and blocked requests fail the test when the page closes."""

    def __init__(self, browser, explorer, width=1400, height=900, dark=False, script=True, reduced=False, touch=False):
        self.server, self.store = explorer, explorer.store
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", java_script_enabled=script,
            reduced_motion="reduce" if reduced else "no-preference", has_touch=touch, is_mobile=touch, accept_downloads=True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.errors = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(explorer.address)
        # The address with the token redirects to the overview.
        self.page.wait_for_url(explorer.base + "/")

    def _note(self, message):
        # Some tests request a 4xx response on purpose.
        if message.type == "error" and "status of 4" not in message.text:
            self.errors.append(message.text)

    def go(self, path):
        self.page.goto(self.server.base + path)
        return self

    def table(self, path):
        """Opens a table and waits until it is at rest."""
        return self.go(path).rest()

    def rest(self):
        # The page applies a report in the next frame. Before that frame nothing moves, so the page looks at rest.
        self.page.evaluate(_NEXT_FRAME)
        return self.until(_AT_REST, 60)

    def object(self, path):
        self.go(path)
        self.page.wait_for_selector(".object-view dl")
        return self

    def until(self, script, timeout=20):
        """Waits until a script returns a true value. Playwright's own wait needs eval, which the page's policy forbids."""
        try:
            server.until(lambda: self.page.evaluate(script), timeout)
        except AssertionError:
            raise AssertionError(f"never: {script}") from None
        return self

    def shows(self, selector, text, timeout=20):
        """Waits until an element contains a text."""
        seen = []

        def is_shown():
            seen[:] = self.page.locator(selector).all_inner_texts()
            return any(text in one for one in seen)
        try:
            server.until(is_shown, timeout)
        except AssertionError:
            raise AssertionError(f"{selector} never has {text!r} but {seen[:3]}") from None
        return self

    def rows(self):
        """The visible rows: the index of each, starting at 0, and the texts of its cells."""
        return self.page.evaluate(_LINES + ".map(([index, line]) => [index - 2, [...line.querySelectorAll('[role=gridcell]')].map(cell => cell.innerText)])")

    def cells(self, column):
        """The visible cells of a column, from top to bottom."""
        titles = self.page.locator(".title .name").all_inner_texts()
        return [cells[titles.index(column)] for _, cells in self.rows()]

    def first(self):
        """The index of the first row that is completely visible."""
        return self.page.evaluate("""(() => {
          const grid = document.querySelector('.grid'), below = grid.getBoundingClientRect().top + document.querySelector('.grid-head').offsetHeight
          return [...document.querySelectorAll('.lines .line')].map(line => [line.getBoundingClientRect().top - below, Number(line.getAttribute('aria-rowindex')) - 2])
            .filter(([y]) => y > -1).sort((a, b) => a[0] - b[0])[0][1]
        })()""")

    def total(self):
        return int(self.text(".total").replace(",", ""))

    def text(self, selector):
        return self.page.locator(selector).first.inner_text()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def menu(self, button, item):
        self.page.click(f"header >> text={button}")
        self.page.click(f".menu button:has-text('{item}')")

    def change(self, *arguments):
        """Changes the store in another process."""
        return stores.change(self.store, *arguments)

    def picture(self, name):
        """Saves a screenshot if PICTURES is set."""
        if PICTURES:
            os.makedirs(PICTURES, exist_ok=True)
            self.page.screenshot(path=os.path.join(PICTURES, f"{name}.png"))

    def close(self):
        self.context.close()
        assert not self.errors, self.errors


def options(**values):
    """The options of a test: `store`, `write`, `slow`, and the page's `width`, `height`, `dark`, `script`, `reduced`, `touch`."""
    def mark(test):
        test.options = values
        return test
    return mark


def fail(message):
    print(f"test-explorer: {message}", file=sys.stderr)
    sys.exit(69)
