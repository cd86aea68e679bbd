"""Runs the tests of the explorer's pages: functions `test_…` of the files `*_pages.py` beside this one.

    python3 run.py            all tests except the slow ones with many rows (EXPLORER_LOAD=1 includes them)
    python3 run.py WORD…      the tests whose file or name contains one of the words

Each test has its own server, copy of a store and browser profile. COREDATA is the path of the tool, CHROMIUM that of the browser, and PICTURES that of a folder for screenshots.
"""
import glob
import importlib
import os
import sys
import time
import traceback

from playwright.sync_api import sync_playwright

import stores
from browser import CHROMIUM, Page, fail
from server import Server

HERE = os.path.dirname(os.path.abspath(__file__))


def selected_tests(words):
    for path in sorted(glob.glob(os.path.join(HERE, "*_pages.py"))):
        theme = os.path.basename(path)[:-len("_pages.py")]
        module = importlib.import_module(f"{theme}_pages")
        for name, test in vars(module).items():
            if not name.startswith("test_") or getattr(test, "__module__", "") != module.__name__:
                continue
            options = {**getattr(module, "OPTIONS", {}), **getattr(test, "options", {})}
            slow = options.pop("slow", False)
            title = f"{theme}: {name[5:].replace('_', ' ')}"
            if words and not any(word in title or word in name for word in words):
                continue
            if slow and not words and os.environ.get("EXPLORER_LOAD") != "1":
                continue
            yield title, test, options


def run(browser, title, test, options):
    started = time.monotonic()
    server = page = None
    options = dict(options)
    try:
        server = Server(stores.copy(options.pop("store", "sample")), options.pop("write", True))
        page = Page(browser, server, **options)
        test(page)
        page.close()
        page = None
        code = server.close()
        server = None
        assert code in (0, 130), f"the server exited with {code}"
    except Exception as error:
        where = "".join(traceback.format_tb(error.__traceback__)[1:])
        print(f"FAILED  {title}: {type(error).__name__}: {str(error)[:800]}\n{where}", flush=True)
        if page:
            print("        console:", page.errors[:5], flush=True)
            page.picture("failed " + title)
        return False
    finally:
        if page:
            page.context.close()
        if server:
            server.close()
    print(f"ok      {title} ({time.monotonic() - started:.1f} s)", flush=True)
    return True


def main(words):
    if not CHROMIUM:
        fail("Chromium is not installed: install it, or specify a browser with CHROMIUM=/path/to/it")
    tests = list(selected_tests(words))
    if not tests:
        fail(f"no file and no test name contains {' or '.join(words)}")
    try:
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            passed = sum([run(browser, *test) for test in tests])
            browser.close()
    finally:
        stores.remove_all()
    print(f"{passed} passed, {len(tests) - passed} failed")
    return passed < len(tests)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
