"""The modules beside the peer tests are imported by their plain names."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from recordings import both, perf_home, recording  # noqa: E402, F401
