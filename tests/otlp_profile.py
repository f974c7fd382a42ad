"""Reads profiles of OpenTelemetry by protoc --decode.  The field numbers are
those of opentelemetry-proto 1.10.0 (2026-03-09), profiles/v1development and
common/v1; only the fields that an export has are here, so that any other one
is decoded without a name."""

import collections
import re
import subprocess

PROTO = """
syntax = "proto3";
message Data { repeated Resource resources = 1; Dictionary dictionary = 2; }
message Resource { repeated ScopeProfiles scopes = 2; }
message ScopeProfiles { Scope scope = 1; repeated Profile profiles = 2; }
message Scope { string name = 1; string version = 2; }
message Dictionary {
  repeated Mapping mappings = 1;
  repeated Location locations = 2;
  repeated Function functions = 3;
  repeated Link links = 4;
  repeated string strings = 5;
  repeated Attribute attributes = 6;
  repeated Stack stacks = 7;
}
message Profile {
  ValueType type = 1;
  repeated Sample samples = 2;
  fixed64 time = 3;
  uint64 duration = 4;
}
message ValueType { int32 type = 1; int32 unit = 2; }
message Sample {
  int32 stack = 1;
  repeated int32 attributes = 2;
  int32 link = 3;
  repeated int64 values = 4;
}
message Stack { repeated int32 locations = 1; }
message Mapping {
  uint64 start = 1;
  uint64 limit = 2;
  uint64 offset = 3;
  int32 filename = 4;
  repeated int32 attributes = 5;
}
message Location {
  int32 mapping = 1;
  uint64 address = 2;
  repeated Line lines = 3;
  repeated int32 attributes = 4;
}
message Line { int32 function = 1; int64 line = 2; int64 column = 3; }
message Function { int32 name = 1; int32 system = 2; int32 file = 3; }
message Link { bytes trace = 1; bytes span = 2; }
message Attribute { int32 key = 1; AnyValue value = 2; int32 unit = 3; }
message AnyValue { oneof value { string text = 1; int64 number = 3; } }
"""

ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def unquoted(word):
    return ESCAPE.sub(
        lambda m: bytes([int(m[1], 8)]) if len(m[1]) == 3 else
        LETTERS.get(m[1], m[1]), word[1:-1]).decode()


def message(lines):
    """{name: [value]} up to the closing bracket; a value is a number, a text
    or a message."""
    found = collections.defaultdict(list)
    for line in lines:
        line = line.strip()
        if line == b"}":
            break
        if line.endswith(b" {"):
            found[line[:-2].decode()].append(message(lines))
            continue
        name, value = line.split(b": ", 1)
        found[name.decode()].append(
            unquoted(value) if value.startswith(b'"') else int(value))
    return found


def one(found, name):
    assert len(found[name]) <= 1
    return found[name][0] if found[name] else 0


class Otlp:
    def __init__(self, data, folder):
        (folder / "profiles.proto").write_text(PROTO)
        done = subprocess.run(
            ["protoc", "--decode=Data", f"-I{folder}", "profiles.proto"],
            input=data, capture_output=True, check=True)
        assert not done.stderr, done.stderr
        top = message(iter(done.stdout.splitlines()))
        self.tables = one(top, "dictionary")
        scope = one(one(top, "resources"), "scopes")
        self.profiles = scope["profiles"]
        self.scope = one(scope, "scope")
        for table, entries in self.tables.items():
            assert not entries[0], table  # the number 0 is none
        texts = self.tables["strings"]
        self.attributes = [{}] + [
            {texts[one(a, "key")]: (one(a, "value")["text"] or
                                    one(a, "value")["number"])[0]}
            for a in self.tables["attributes"][1:]]

    def text(self, found, name):
        return self.tables["strings"][one(found, name)]

    def types(self):
        return [(self.text(p["type"][0], "type"), self.text(p["type"][0], "unit"))
                for p in self.profiles]

    def attributes_of(self, found):
        all_of = {}
        for number in found["attributes"]:
            assert number
            all_of.update(self.attributes[number])
        return all_of

    def names(self, sample):
        """The functions of a sample, callers first."""
        stack = self.tables["stacks"][one(sample, "stack")]
        return tuple(reversed([
            self.text(self.tables["functions"][one(line, "function")], "name")
            for number in stack["locations"]
            for line in self.tables["locations"][number]["lines"]]))

    def stacks(self, number):
        """{(comm, name, ...): value} of a profile."""
        found = collections.Counter()
        for sample in self.profiles[number]["samples"]:
            value, = sample["values"] or [0]
            comm = self.attributes_of(sample)["thread.name"]
            found[(comm, *self.names(sample))] += value
        return found

    def files(self):
        """{path: build-id}"""
        return {self.text(m, "filename"):
                self.attributes_of(m).get("process.executable.build_id.gnu", "")
                for m in self.tables["mappings"][1:]}
