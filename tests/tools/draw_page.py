#!/usr/bin/env python3
"""draw_page.py: a picture of the page of a recording, such as docs/page.png.

    tests/tools/draw_page.py RECORDING -o docs/page.png [--hash v=flame] [--size 1200x640]

docs/page.png is of perfpair itself, which read a recording of g++:

    perfpair-record -q -g -e cpu-clock -F 4000 -o g++.data -- g++ -O2 -c FILE.cc
    perfpair-record -q -g -e cpu-clock -F 4000 -o page.data -- perfpair report -i g++.data
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/page")]

from common import build_dir  # noqa: E402
from shown_page import Shown, open_chromium  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("recording", type=pathlib.Path)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--hash", default="v=flame", help="what the page shows, the part of its address behind #")
    parser.add_argument("--size", default="1200x640")
    args = parser.parse_args()
    width, height = map(int, args.size.split("x"))
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        subprocess.run([build_dir() / "report/perfpair", "report", "--format", "html", "-i", args.recording,
                        "-o", page], check=True)
        browser = open_chromium()
        try:
            Shown(browser, page, None).open(args.hash, width=width, height=height)
            browser.save_screenshot(args.output)
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
