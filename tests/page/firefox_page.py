"""firefox_page.py: a page in Firefox, by its Marionette protocol: lengths and JSON
over a socket, so that no geckodriver is needed, which Debian 12 does not have."""

import json
import shutil
import socket
import subprocess
import time

PREFERENCES = """user_pref("marionette.port", %d);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("browser.startup.page", 0);
user_pref("network.proxy.type", 1);
user_pref("network.proxy.socks", "127.0.0.1");
user_pref("network.proxy.socks_port", 9);
"""


def binary():
    return shutil.which("firefox-esr") or shutil.which("firefox")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Firefox:
    def __init__(self, folder):
        port = free_port()
        (folder / "user.js").write_text(PREFERENCES % port)
        self.process = subprocess.Popen(
            [binary(), "--headless", "--no-remote", "--profile", folder, "--marionette", "--remote-allow-system-access",
             "--width", "1400", "--height", "900"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"HOME": str(folder), "PATH": "/usr/bin:/bin", "MOZ_DISABLE_CONTENT_SANDBOX": "1"})
        self.socket, self.number, self.rest = None, 0, b""
        try:
            self.connect(port)
            self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {}})
        except BaseException:
            self.quit()
            raise

    def connect(self, port):
        for _ in range(600):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=600)
                break
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError(f"firefox ended with {self.process.returncode}") from None
                time.sleep(0.1)
        assert self.message()["marionetteProtocol"] == 3

    def message(self):
        while b":" not in self.rest:
            self.rest += self.more()
        length, self.rest = self.rest.split(b":", 1)
        while len(self.rest) < int(length):
            self.rest += self.more()
        data, self.rest = self.rest[:int(length)], self.rest[int(length):]
        return json.loads(data)

    def more(self):
        data = self.socket.recv(65536)
        assert data, "firefox hung up"
        return data

    def call(self, command, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        kind, number, error, value = self.message()
        assert (kind, number) == (1, self.number)
        assert error is None, error
        return value.get("value") if isinstance(value, dict) else value

    def js(self, script, *args):
        return self.call("WebDriver:ExecuteScript", script=script, args=list(args))

    def open(self, path, fragment=""):
        self.call("WebDriver:Navigate", url="about:blank")
        self.call("WebDriver:Navigate", url=f"file://{path}#{fragment}")
        for _ in range(400):
            if self.js("return window.__ready != null"):
                return self
            time.sleep(0.05)
        raise AssertionError("never shown: " + self.js("return document.body.innerText"))

    def errors(self, everything=False):
        """What the page's scripts and style were blamed for so far; everything: and all else that was noted."""
        self.call("Marionette:SetContext", value="chrome")
        found = self.js("""return Services.console.getMessageArray().filter((m) => arguments[0] || m instanceof Ci.nsIScriptError &&
            m.sourceName.startsWith('file:')).map((m) => m.errorMessage || m.message)""", everything)
        self.call("Marionette:SetContext", value="content")
        return found

    def quit(self):
        if self.socket:
            self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
