"""Chromium, and pages in it that are watched: what they ask for, and what they complain of."""

import os
import shutil
import time
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Frame, Page, expect, sync_playwright

# A machine that builds and tests at once is slow.
expect.set_options(timeout=45_000)

# What npm installed: the Inspector and axe. `scripts/test` makes it.
MODULES = Path(os.environ.get("DATAROOM_TEST_BROWSER", ""), "node_modules")


@contextmanager
def chromium():
    program = os.environ.get("DATAROOM_TEST_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


def until(page: Page | Frame, expression: str, argument=None, seconds: float = 45):
    """Waits until an expression is true. Chromium's own wait compiles text within the page,
    which the page's policy forbids."""
    end = time.monotonic() + seconds
    while not (value := page.evaluate(expression, argument)):
        assert time.monotonic() < end, f"never true: {expression}"
        time.sleep(0.03)
    return value


class Watched:
    """A page of its own profile, with all that it asked for and complained of."""

    def __init__(self, browser: Browser, **options):
        self.context = browser.new_context(viewport={"width": 1000, "height": 640}, **options)
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(45_000)
        self.asked: list[str] = []
        self.said: list[str] = []
        self.context.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self.asked_for)
        self.page.on("console", self._hear)

    def asked_for(self, dialog):
        """No page of ours asks like this."""
        self.said.append(dialog.message)
        dialog.dismiss()

    def _hear(self, message):
        if message.type in ("error", "warning"):
            self.said.append(f"{message.text} {message.location.get('url', '')}")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.context.close()

    def outside(self, *own: str) -> list[str]:
        """What was asked for that is neither of these places nor within the page."""
        return [url for url in self.asked if not url.startswith((*own, "data:", "blob:", "about:"))]

    def download(self, click) -> Path:
        with self.page.expect_download() as coming:
            click()
        return Path(coming.value.path()), coming.value.suggested_filename

    def faults(self) -> list[str]:
        """What axe says of the page, by its rules for people who see or move otherwise."""
        source = (MODULES / "axe-core" / "axe.min.js").read_text()
        self.page.evaluate(source)
        found = self.page.evaluate("axe.run(document)")
        return [
            f"{fault['id']}: {fault['help']} {[node['html'][:120] for node in fault['nodes'][:3]]}"
            for fault in found["violations"]
        ]
