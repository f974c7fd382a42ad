"""shown_page.py: the viewer as the C build joins it, and a page in a browser."""

import pathlib
import shutil
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VIEWER = ROOT / "report/page/viewer"
FLAGS = ("--headless=new", "--no-sandbox", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader", "--force-device-scale-factor=1")


def open_chromium():
    """A headless browser, which the caller quits; or the test is skipped."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="python3-selenium is not installed")
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("chromium or chromium-driver is not installed")
    options = Options()
    options.binary_location = binary
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(driver), options=options)


def join_viewer(folder):
    """(page, program): what the C build holds of the viewer, as texts."""
    page, program = folder / "page.html", folder / "program.js"
    subprocess.run(["cmake", f"-DPAGE={page}", f"-DPROGRAM={program}", "-P", VIEWER / "join.cmake"], check=True)
    return page.read_text(), program.read_text()


class Shown:
    """A page in the browser."""

    def __init__(self, browser, path, encoder):
        self.browser, self.path, self.encoder = browser, path, encoder

    def open(self, fragment="", dark=False, width=1400, height=900):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.browser.get("about:blank")
        self.browser.get_log("browser")
        self.browser.get(f"file://{self.path}#{fragment}")
        self.until("return window.__ready != null")
        self.frame()
        return self

    def until(self, script, *args):
        for _ in range(400):
            value = self.browser.execute_script(script, *args)
            if value:
                return value
            time.sleep(0.025)
        raise AssertionError(f"never: {script}: {self.browser.get_log('browser')}")

    def frame(self):
        """Waits until the browser has drawn."""
        self.browser.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => setTimeout(done, 30));")

    def js(self, script, *args):
        return self.browser.execute_script(script, *args)

    def key(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains
        for key in keys:
            ActionChains(self.browser).send_keys(key).perform()
            self.frame()

    def hash(self):
        """The address's fragment, once it is written."""
        self.until("return pp.app.later === 0")
        return self.js("return location.hash")

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0]).textContent", selector)

    def media(self, **features):
        """Emulates media features: forced_colors="active"."""
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": [
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()]})
        self.frame()

    def axe(self, tools):
        """What axe-core finds wrong."""
        # given by the browser's own interface: the page's policy lets nothing in
        self.browser.execute_cdp_cmd("Runtime.evaluate", {"expression": (tools / "axe-core/axe.min.js").read_text()})
        return self.browser.execute_async_script("""
            const done = arguments[0];
            axe.run({resultTypes: ['violations']}).then((r) => done(r.violations.map((v) =>
                [v.id, v.nodes.map((n) => n.html.slice(0, 100) + ' ' + n.failureSummary).slice(0, 3)])), (e) => done(String(e)))""")

    def errors(self):
        return [e["message"] for e in self.browser.get_log("browser") if e["level"] == "SEVERE"]
