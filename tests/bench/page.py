#!/usr/bin/env python3
"""The page against other pages of the same profile, each in a browser of its own, in turn:
bytes, CPU time to load, to zoom and to search; and what it takes to write it.

page.py [RECORDING...] [--runs N] [--keep DIR] [--jfrconv PROGRAM] [--flamegraph PROGRAM]

Without a RECORDING it records compilers (cc) and the whole machine for a minute
(machine).  See README.md beside this file.
"""

import argparse
import base64
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

from carried import mix
from run import BUILD, ROOT, Bench, generated_templates, work_folder

sys.path.insert(0, str(ROOT / "tests"))
from page_data import Page  # noqa: E402

FLAGS = ("--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--window-size=1400,900", "--allow-file-access-from-files", "--js-flags=--expose-gc")
WORD = "alloc"
# Of a page: when it can be used (JavaScript), what zooms to its i-th level from 3
# on, and what searches.  Those of speedscope are keys and the mouse: see below.
KINDS = {
    "ours": {
        "ready": "window.__ready != null",
        "zoom": "const {D, tot} = pp; let best = 0, most = 0; for (let k = 1; k < D.n; k++) "
                "if (D.depth[k] === 3 + i && tot[k] > most) { most = tot[k]; best = k; } pp.root = best; pp.draw();",
        "search": f"pp.search(''); pp.search('{WORD}');",
        "range": "const n = pp.D.bins; pp.root = 0; pp.search(''); pp.select(n * (0.2 + 0.1 * i) | 0, "
                 "n * (0.5 + 0.1 * i) | 0); pp.draw();",
        "table": "pp.topTable();"},
    "async-profiler": {
        "ready": "typeof levels !== 'undefined' && levels.length > 0 && !!root",
        "zoom": "render(levels[3 + i].slice().sort((a, b) => b.width - a.width)[0]);",
        "search": f"search(''); search('{WORD}');"},
    "flamegraph.pl": {
        "ready": "document.readyState === 'complete' && typeof searchbtn !== 'undefined' "
                 "&& !!document.querySelector('#frames g')",
        "zoom": "zoom([...document.querySelectorAll('#frames > g')].map((g) => [g, +g.querySelector('rect')"
                ".getAttribute('width')]).filter((x) => x[1] < 1000 - 200 * i).sort((a, b) => b[1] - a[1])[0][0]);",
        "search": f"reset_search(); search('{WORD}');"},
    "speedscope": {
        "ready": "document.querySelectorAll('canvas').length > 0 && /Left Heavy/.test(document.body.innerText)",
        "settle": 1.2},
    # What a browser takes to begin, and for one frame that differs.
    "an empty page": {
        "ready": "document.readyState === 'complete'",
        "zoom": "document.body.style.background = ['#eee', '#ddd', '#ccc'][i];",
        "search": "document.body.style.background = ['#fed', '#edf', '#def'][i];"},
}
WATCH = """(() => { const ready = () => READY; const tick = () => { let is = false;
    try { is = ready(); } catch { }
    requestAnimationFrame(is ? () => setTimeout(() => { window.benchReady = performance.now(); }, 0) : tick); };
    requestAnimationFrame(tick); })();"""
ACT = """const i = arguments[0], done = arguments[1], start = performance.now(); ACTION
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start), 0));"""


def cpu_by_process(parent):
    """CPU time, in ms, of the browser's processes that show and draw pages."""
    of = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            of[int(stat.parent.name)] = int(stat.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    out = {}
    for pid in of:
        up = pid
        while up in of and up != parent:
            up = of[up]
        try:
            words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
            if up == parent and (b"--type=renderer" in words or b"--type=gpu" in words):
                out[pid] = sum(int(task.read_text().split()[0]) / 1e6
                               for task in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"))
        except OSError:
            pass
    return out


class Shown:
    """A page in a browser of its own."""

    def __init__(self, kind, path):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for flag in FLAGS:
            options.add_argument(flag)
        self.service = Service(shutil.which("chromedriver"))
        self.browser = webdriver.Chrome(service=self.service, options=options)
        self.browser.set_script_timeout(120)
        self.kind, self.path = kind, path
        self.settle = KINDS[kind].get("settle", 0.3)

    def cpu(self):
        return cpu_by_process(self.service.process.pid)

    def since(self, before):
        return sum(now - before.get(pid, 0) for pid, now in self.cpu().items())

    def load(self):
        """{figure: value} of loading it."""
        watch = WATCH.replace("READY", KINDS[self.kind]["ready"])
        self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": watch})
        before = self.cpu()
        self.browser.get(f"file://{self.path}")
        end = time.monotonic() + 120
        while not (ready := self.browser.execute_script("return window.benchReady")):
            if time.monotonic() > end:
                raise TimeoutError(f"{self.path} is not shown after two minutes")
            time.sleep(0.05)
        if self.kind == "speedscope":
            self.press("2")  # the view that adds up equal stacks
            time.sleep(1.5)
        time.sleep(0.8)
        load = self.since(before)
        self.browser.execute_script("window.gc && gc();")
        heap = self.browser.execute_cdp_cmd("Runtime.getHeapUsage", {})
        used = heap["usedSize"] + heap.get("backingStorageSize", 0)
        return {"first frame, ms": ready, "load, ms of CPU": load, "memory, MB": used / 1e6}

    def press(self, *keys, control=False):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys
        chain = ActionChains(self.browser)
        if control:
            chain.key_down(Keys.CONTROL).send_keys(*keys).key_up(Keys.CONTROL).perform()
        else:
            chain.send_keys(*keys).perform()

    def speedscope(self, action, i):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys
        if action == "zoom":
            chain = ActionChains(self.browser)
            chain.w3c_actions.pointer_action.move_to_location(400 + 60 * i, 300)
            chain.double_click().perform()
        else:
            self.press("f", control=True)
            self.press(WORD)
            time.sleep(0.5)
            self.press(Keys.ESCAPE)

    def act(self, action, times=3):
        """Medians: CPU time, and milliseconds to the frame after it."""
        cpu, wall = [], []
        for i in range(times):
            before = self.cpu()
            if self.kind == "speedscope":
                self.speedscope(action, i)
            else:
                script = ACT.replace("ACTION", KINDS[self.kind][action])
                wall.append(self.browser.execute_async_script(script, i))
            time.sleep(self.settle)
            cpu.append(self.since(before))
        out = {f"{action}, ms of CPU": statistics.median(cpu)}
        if wall:
            out[f"{action}, ms"] = statistics.median(wall)
        return out

    def figures(self):
        try:
            out = self.load()
            actions = ("zoom", "search") if self.kind == "speedscope" else \
                ("zoom", "search", "range", "table")
            for action in actions:
                if self.kind == "speedscope" or action in KINDS[self.kind]:
                    out.update(self.act(action))
            return out
        finally:
            self.browser.quit()


def folded(path, out):
    """The stacks of a page, as others take them: the same frames in all pages."""
    stacks = Page(path.read_text()).trees[0].stacks()
    with open(out, "w", encoding="utf-8") as file:
        for frames, nr in stacks.items():
            names = [name.replace(";", ":").replace("\n", " ") or "[]" for name, _, _ in frames]
            file.write(f"{';'.join(names)} {nr}\n")


def speedscope_page(bench, stacks, out):
    """speedscope's page, of npm, with its parts and the profile in one file."""
    folder = bench.work / "npm"
    release = folder / "node_modules/speedscope/dist/release"
    if not release.exists():
        if not shutil.which("npm"):
            return "npm is not installed"
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, "speedscope@1"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            return "npm does not install it: " + done.stdout.strip()[-100:]
    script = next(release.glob("speedscope-*.js")).read_text().replace("</script", "<\\/script")
    style = next(release.glob("speedscope-*.css")).read_text()
    data = base64.b64encode(stacks.read_bytes()).decode()
    load = f"const load = () => window.speedscope ? speedscope.loadFileFromBase64('profile.folded', '{data}') " \
        ": setTimeout(load, 5); load();"
    out.write_text("<!doctype html><html><head><meta charset='utf-8'><title>speedscope</title>"
                   f"<style>{style}</style></head><body><script>location.hash = 'localProfilePath=/dev/null';</script>"
                   f"<script>{script}</script><script>{load}</script></body></html>")
    return None


def converted(program, stacks, out):
    """A page that PROGRAM makes; its last words are the two files' names."""
    if not program:
        return "no program was named that makes it"
    done = subprocess.run([program, stacks, out], stderr=subprocess.PIPE, text=True)
    return done.stderr.strip()[-100:] if done.returncode else None


def drawn(program, stacks, out):
    if not program:
        return "no program was named that makes it"
    with open(out, "wb") as file:
        return "it ended with an error" if subprocess.run([program, stacks], stdout=file).returncode else None


class Row:
    """One recording."""

    def __init__(self, bench, args, name, path):
        self.bench, self.args, self.name, self.path = bench, args, name, path

    def write(self):
        """Our page, and how long that takes."""
        page = self.bench.work / f"{self.name}.html"
        took = {"html": [], "folded": []}
        for _ in range(self.bench.runs):
            for form, times in took.items():
                out = page if form == "html" else self.bench.work / "folded.txt"
                times.append(self.bench.measure.run([self.bench.ours, "report", "-i", self.path, "--format", form,
                                                     "-f", "-o", out]))
        for form, times in took.items():
            print(f"  report --format {form:<8}{statistics.median(t.wall_s for t in times):>8.3f} s, "
                  f"{max(t.peak_mib for t in times):.0f} MiB")
        ratio = statistics.median(a.wall_s / b.wall_s for a, b in zip(took["html"], took["folded"]))
        print(f"  html by folded {ratio:.2f} (aim: 1.5)", flush=True)
        return page

    def pages(self, page):
        """{kind: file}; what cannot be had is left out with the reason."""
        stacks, out = self.bench.work / f"{self.name}.folded", {"ours": page}
        folded(page, stacks)
        makers = {"async-profiler": lambda to: converted(self.args.jfrconv, stacks, to),
                  "flamegraph.pl": lambda to: drawn(self.args.flamegraph, stacks, to),
                  "speedscope": lambda to: speedscope_page(self.bench, stacks, to)}
        for kind, make in makers.items():
            to = self.bench.work / f"{self.name}.{kind}.{'svg' if kind == 'flamegraph.pl' else 'html'}"
            why = make(to)
            if why:
                print(f"  without {kind}: {why}", flush=True)
            else:
                out[kind] = to
        out["an empty page"] = self.bench.work / "empty.html"
        out["an empty page"].write_text("<!doctype html><title>empty</title>")
        return out

    def run(self):
        pages = self.pages(self.write())
        found = {kind: [] for kind in pages}
        for _ in range(self.bench.runs):
            for kind, path in pages.items():
                found[kind].append(Shown(kind, path.resolve()).figures())
        table = {kind: {key: min(f[key] for f in figures) for key in figures[0]} for kind, figures in found.items()}
        for kind, path in pages.items():
            table[kind]["bytes, KB"] = path.stat().st_size / 1e3
        keys = list(dict.fromkeys(["bytes, KB", *table["ours"]]))
        print(f"  {'':<20}" + "".join(f"{kind:>24}" for kind in table))
        for key in keys:
            line = ""
            for kind, figures in table.items():
                value = figures.get(key)
                ratio = "" if value is None or kind in ("ours", "an empty page") else \
                    f" ({table['ours'][key] / value:.2f})" if value else ""
                line += f"{'-' if value is None else f'{value:.0f}' + ratio:>24}"
            print(f"  {key:<20}{line}", flush=True)
        (self.bench.work / f"{self.name}.json").write_text(json.dumps(table, indent=1))


def record_cc(bench, out):
    source = bench.work / "generated.cc"
    source.write_text(generated_templates(60))
    one = f"g++ -O2 -c -o /dev/null {source}"
    bench.measure.run([*bench.ours_record, "-g", "-e", "cpu-clock", "-F", "10000", "-o", out, "--",
                       "sh", "-c", f"{one} & {one} & wait"])


def record_machine(bench, out):
    loop = "while :; do " + mix(bench)[2] + "; done"
    bench.measure.run([*bench.ours_record, "-a", "-g", "-e", "cpu-clock", "-F", "999", "-o", out, "--",
                       "timeout", "60", "sh", "-c", loop])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", nargs="*", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keep", type=pathlib.Path, help="leave recordings, pages and figures in this folder")
    parser.add_argument("--jfrconv", type=pathlib.Path, help="async-profiler's converter")
    parser.add_argument("--flamegraph", type=pathlib.Path, help="flamegraph.pl")
    args = parser.parse_args()
    if not BUILD.exists():
        parser.error(f"{BUILD}: build the release preset first")
    with work_folder(args.keep) as work:
        bench = Bench(work, args.runs)
        rows = {path.name.split(".")[0]: path for path in args.recording}
        for name, record in () if rows else (("cc", record_cc), ("machine", record_machine)):
            rows[name] = work / f"{name}.data"
            record(bench, rows[name])
        for name, path in rows.items():
            print(f"{name}: {path.stat().st_size / 1e6:.2f} MB", flush=True)
            Row(bench, args, name, path).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
