"""servers.py: ClickHouse servers on the loopback, each in a folder of its own,
a newer ClickHouse on a socket, and packages of npm."""

import os
import shutil
import signal
import socket
import subprocess
import time

import pytest

from common import ROOT

# What is installed comes first, then what tests/packages.sh has unpacked.
os.environ["PATH"] += f":/usr/sbin:{ROOT}/build/clickhouse/bin"

CONFIG = """<yandex>
<logger><level>warning</level><log>{folder}/log</log>
<errorlog>{folder}/err</errorlog></logger>
<tcp_port>{port}</tcp_port><http_port>{http}</http_port>
<listen_host>127.0.0.1</listen_host>
<path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path>
<users_config>users.xml</users_config>
<default_profile>default</default_profile>
<default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size>
<remote_servers><perfpair>{shards}</perfpair>
<perfpair_stacks><shard><internal_replication>false</internal_replication>
{copies}</shard></perfpair_stacks></remote_servers>
</yandex>"""
COPY = "<replica><host>127.0.0.1</host><port>{}</port></replica>"
SHARD = f"<shard>{COPY}</shard>"
USERS = """<yandex><profiles><default>
<max_memory_usage>2000000000</max_memory_usage>
<connect_timeout_with_failover_ms>300</connect_timeout_with_failover_ms>
</default></profiles><users><default><password></password>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></default></users>
<quotas><default></default></quotas></yandex>"""


def free_ports(nr):
    held = []
    for _ in range(nr):
        held.append(socket.create_server(("127.0.0.1", 0)))
    ports = [at.getsockname()[1] for at in held]
    for at in held:
        at.close()
    return ports


class Server:
    def __init__(self, folder, port, http, ports):
        self.folder, self.port, self.process = folder, port, None
        (folder / "data").mkdir(parents=True)
        (folder / "tmp").mkdir()
        (folder / "users.xml").write_text(USERS)
        (folder / "config.xml").write_text(CONFIG.format(
            folder=folder, port=port, http=http,
            shards="".join(map(SHARD.format, ports)),
            copies="".join(map(COPY.format, ports))))

    @property
    def client(self):
        return ["clickhouse-client", "--host", "127.0.0.1", "--port",
                str(self.port)]

    def ask(self, query, data=None, code=0):
        done = subprocess.run([*self.client, "--query", query], input=data,
                              capture_output=True)
        assert done.returncode == code or code is None, done.stderr
        return done.stdout

    def run(self, sql):
        done = subprocess.run([*self.client, "-n"], input=sql.encode(),
                              capture_output=True)
        assert done.returncode == 0, done.stderr

    def start(self):
        with open(self.folder / "out", "ab") as out:
            self.process = subprocess.Popen(
                ["clickhouse-server",
                 f"--config-file={self.folder}/config.xml"],
                cwd=self.folder, stdout=out, stderr=out,
                stdin=subprocess.DEVNULL)
        for _ in range(300):
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.1)
        self.stop()
        pytest.skip("clickhouse-server does not start here: "
                    + (self.folder / "out").read_text()[-300:])

    def stop(self, by=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            os.kill(self.process.pid, by)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                os.kill(self.process.pid, signal.SIGKILL)
                self.process.wait()
        self.process = None


def started(folder, nr):
    """nr servers of one cluster, with the tables in them."""
    for name in "clickhouse-server", "clickhouse-client":
        if not shutil.which(name):
            pytest.skip(f"{name} is not here (tests/run.sh unpacks Debian's)")
    ports = free_ports(2 * nr)
    servers = [Server(folder / str(i), ports[i], ports[nr + i], ports[:nr])
               for i in range(nr)]
    for server in servers:
        server.start()
    for server in servers:
        server.run((ROOT / "report/fleet/schema.sql").read_text())
        server.run((ROOT / "report/fleet/cluster.sql").read_text())
    return servers


# Its package is 546 MB.
NEWER = pytest.param("newer", marks=pytest.mark.slow)


def npm_modules(package, *more):
    """A folder that has packages of npm, or the test is skipped."""
    folder = ROOT / "build" / ("npm-" + package.strip("@").split("/")[0])
    if all((folder / "node_modules" / at).exists() for at in (package, *more)):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"name": "none"}')
    try:
        done = subprocess.run(["npm", "install", "--no-audit", "--no-fund",
                               package, *more], cwd=folder,
                              capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"no npm package {package}: {error}")
    if done.returncode:
        pytest.skip(f"no npm package {package}: {done.stderr[-200:]}")
    return folder


class Newer(Server):
    """The ClickHouse of chdb: the tables, with what newer.sql adds."""

    def __init__(self, folder):
        self.socket, self.folder = folder / "socket", folder
        modules = npm_modules("chdb")
        self.process = subprocess.Popen(
            ["node", ROOT / "tests/fleet/chdb.mjs", "serve", self.socket,
             folder / "data"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, env={**os.environ,
                                         "CHDB_MODULES": str(modules)})
        if self.process.stdout.readline() != b"ready\n":
            self.stop()
            pytest.skip("chdb does not start here")
        for name in "schema", "newer":
            self.ask((ROOT / f"report/fleet/{name}.sql").read_text())

    @property
    def client(self):
        return ["node", str(ROOT / "tests/fleet/chdb.mjs"), "ask",
                str(self.socket)]
