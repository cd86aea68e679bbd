"""Pages in headless Chromium, and what tests ask of them."""
import os
import shutil
import sys

import server
import stores

CHROMIUM = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PICTURES = os.environ.get("PICTURES", "")

# The lines that are seen, by their place on the page: the rank of each and its text. Rows that leave are none.
_LINES = """[...document.querySelectorAll('.lines .line:not(.section):not(.leaving)')]
  .map(line => [Number(line.getAttribute('aria-rowindex')), line]).sort((a, b) => a[0] - b[0])"""

# A table is at rest when its live results are there, no row is missing and nothing moves.
_AT_REST = """(() => {
  const table = document.querySelector('.table-view'), live = document.querySelector('.status .live')
  return table?.getAttribute('aria-busy') === 'false' && live?.textContent === 'live' && !document.querySelector('.lines .waiting')
    && !document.getAnimations().some(one => one.effect.getKeyframes().some(frame => frame.transform))
})()"""

# Whoever asks in a frame is told behind what was to be shown in it.
_NEXT_FRAME = "new Promise(done => requestAnimationFrame(() => setTimeout(done)))"


class Page:
    """A page with a fresh profile. Errors on its console, and what its policy blocked, are failures at the end."""

    def __init__(self, browser, shown, width=1400, height=900, dark=False, script=True, reduced=False, touch=False):
        self.server, self.store = shown, shown.store
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", java_script_enabled=script,
            reduced_motion="reduce" if reduced else "no-preference", has_touch=touch, is_mobile=touch, accept_downloads=True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.errors = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(shown.address)
        # The first page leads on by itself.
        self.page.wait_for_url(shown.base + "/")

    def _note(self, message):
        # That an answer was an error is what some tests are about.
        if message.type == "error" and "status of 4" not in message.text:
            self.errors.append(message.text)

    def go(self, path):
        self.page.goto(self.server.base + path)
        return self

    def table(self, path):
        """Goes to a table and waits until it is at rest."""
        return self.go(path).rest()

    def rest(self):
        # What a report changes is on the page with the next frame: before it nothing moves yet, and all looks at rest.
        self.page.evaluate(_NEXT_FRAME)
        return self.until(_AT_REST, 60)

    def object(self, path):
        self.go(path)
        self.page.wait_for_selector(".object-view dl")
        return self

    def until(self, script, timeout=20):
        """Waits until a script gives something true. (Playwright's own waiting needs eval, which the page's policy forbids.)"""
        try:
            server.until(lambda: self.page.evaluate(script), timeout)
        except AssertionError:
            raise AssertionError(f"never: {script}") from None
        return self

    def shows(self, selector, text, timeout=20):
        """Waits until an element has a text in it."""
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
        """The rows that are seen: places from 0, with the texts of their cells."""
        return self.page.evaluate(_LINES + ".map(([index, line]) => [index - 2, [...line.querySelectorAll('[role=gridcell]')].map(cell => cell.innerText)])")

    def cells(self, column):
        """What is seen in a column, from above."""
        titles = self.page.locator(".title .name").all_inner_texts()
        return [cells[titles.index(column)] for _, cells in self.rows()]

    def first(self):
        """The place of the first row that is seen in full."""
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
        """Has another process change the store."""
        return stores.change(self.store, *arguments)

    def picture(self, name):
        """Keeps a screenshot, where pictures are wanted."""
        if PICTURES:
            os.makedirs(PICTURES, exist_ok=True)
            self.page.screenshot(path=os.path.join(PICTURES, f"{name}.png"))

    def close(self):
        self.context.close()
        assert not self.errors, self.errors


def options(**given):
    """What a test wants: `store`, `write`, and the page's `width`, `height`, `dark`, `script`, `reduced`, `touch`."""
    def mark(test):
        test.options = given
        return test
    return mark


def fail(message):
    print(f"test-explorer: {message}", file=sys.stderr)
    sys.exit(69)
