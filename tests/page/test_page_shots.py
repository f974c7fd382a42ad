"""Pictures of every view, light and dark, for people to look at: they are left in
build/results/page."""

import base64

import pytest

VIEWS = {"flame": "v=flame", "zoomed": "v=flame&z=app;main&t=2-7", "inverted": "v=flame&i=1&up=1&q=alloc", "table": "v=table",
         "time": "v=time&c=1", "tree": "v=tree", "function": "v=function&f=recurse", "facts": "v=facts"}


def colours(page):
    """How many colours the flame graph has; a blank canvas has one."""
    return page.js("""
        const canvas = document.querySelector('canvas'), g = canvas.getContext('2d');
        const data = g.getImageData(0, 0, canvas.width, canvas.height).data, seen = new Set();
        for (let i = 0; i < data.length; i += 4)
            seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
        return seen.size;""")


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_picture(made, artefacts, name, dark):
    page = made.open(VIEWS[name], dark=dark)
    background = page.js("return getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(24, 26, 31)" if dark else "rgb(255, 255, 255)")
    assert colours(page) > 5
    page.browser.save_screenshot(str(artefacts / f"{name}-{'dark' if dark else 'light'}.png"))
    assert page.errors() == []


def test_narrow_window(made, artefacts):
    page = made.open("v=flame&f=recurse&t=2-7", width=700, height=600)
    page.browser.save_screenshot(str(artefacts / "narrow.png"))
    assert page.js("return document.documentElement.scrollWidth") <= 700
    assert page.js("return pp.app.flame.host.clientHeight") > 150


def test_printed_page_is_light_and_has_the_picture(made, artefacts):
    """What a printer gets: the media is emulated, as a PDF cannot be looked into here."""
    page = made.open("v=flame", dark=True)
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": []})
    page.js("window.dispatchEvent(new Event('beforeprint'))")
    page.frame()
    assert page.js("return document.querySelector('.flame').clientHeight") > 500
    assert page.js("return getComputedStyle(document.querySelector('#nav')).display") == "none"
    # the top of the picture is the root's light grey
    assert min(page.js("return [...document.querySelector('.flame canvas').getContext('2d').getImageData(300, 5, 1, 1).data]")) > 200
    pdf = page.browser.execute_cdp_cmd("Page.printToPDF", {"landscape": True, "printBackground": True})["data"]
    (artefacts / "printed.pdf").write_bytes(base64.b64decode(pdf))
    page.js("window.dispatchEvent(new Event('afterprint'))")
