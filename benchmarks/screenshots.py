"""Takes the README's screenshots of the page, light and dark, with the system's Chromium.

python benchmarks/screenshots.py [--model light-model] [--output docs/figures]
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright
from serving import service

FIGURES = Path(__file__).parent.parent / "docs" / "figures"
WIDTH, HEIGHT = 1080, 980
TREE = 3  # the third example of a language


def take(browser: Browser, address: str, file: Path, *, scheme: str, locale: str) -> None:
    """Takes the tree example in the visitor's language after its first step, with an expression selected."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme, locale=locale, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(address)
    page.click(f"#examples > div:first-child button:nth-of-type({TREE})")
    page.wait_for_selector(".whole")
    page.click("#first")
    page.click("#next")
    page.hover(".expression.grown >> nth=0")
    page.wait_for_timeout(500)
    page.screenshot(path=file, full_page=True)
    context.close()
    print(f"{file}: {file.stat().st_size / 1_000:.0f} KB")


def main() -> None:
    parser = argparse.ArgumentParser(description="Takes screenshots of the page.")
    parser.add_argument("--model", type=Path, help="a light model folder; by default the bundled one")
    parser.add_argument("--output", type=Path, default=FIGURES)
    chosen = parser.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("Chromium is not installed; install it first")
    with sync_playwright() as playwright, service(chosen.model) as running:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        take(browser, running.address, chosen.output / "page-light.png", scheme="light", locale="en-GB")
        take(browser, running.address, chosen.output / "page-dark.png", scheme="dark", locale="zh-CN")
        browser.close()


if __name__ == "__main__":
    main()
