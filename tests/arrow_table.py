"""Reads an Arrow stream: the "IPC Streaming Format" of the columnar format's
specification, with Schema.fbs and Message.fbs of github.com/apache/arrow."""

import struct

SCHEMA, DICTIONARY, BATCH = 1, 2, 3
INT, UTF8, TIMESTAMP = 2, 5, 10


class Table:
    """A table of a FlatBuffer, whose numbers lie where it says."""

    def __init__(self, data, at):
        self.data, self.at = data, at
        assert at % 4 == 0
        head = at - struct.unpack_from("<i", data, at)[0]
        length, self.length = struct.unpack_from("<2H", data, head)
        self.offs = struct.unpack_from(f"<{length // 2 - 2}H", data, head + 4)
        assert head % 2 == 0 and at + self.length <= len(data)

    def place(self, field):
        """None: the table does not have it."""
        off = self.offs[field] if field < len(self.offs) else 0
        assert off < self.length
        return self.at + off if off else None

    def number(self, field, form):
        at = self.place(field)
        if at is None:
            return 0
        assert at % struct.calcsize(form) == 0
        return struct.unpack_from("<" + form, self.data, at)[0]

    def target(self, field):
        at = self.place(field)
        return at and at + struct.unpack_from("<I", self.data, at)[0]

    def table(self, field):
        return self.target(field) and Table(self.data, self.target(field))

    def text(self, field):
        at = self.target(field)
        length = struct.unpack_from("<I", self.data, at)[0]
        assert self.data[at + 4 + length] == 0
        return self.data[at + 4:at + 4 + length].decode()

    def tables(self, field):
        at = self.target(field)
        nr = struct.unpack_from("<I", self.data, at)[0]
        items = range(at + 4, at + 4 + 4 * nr, 4)
        return [Table(self.data,
                      i + struct.unpack_from("<I", self.data, i)[0])
                for i in items]

    def pairs(self, field):
        at = self.target(field)
        nr = struct.unpack_from("<I", self.data, at)[0]
        assert (at + 4) % 8 == 0
        return [struct.unpack_from("<2q", self.data, at + 4 + 16 * i)
                for i in range(nr)]


class Column:
    def __init__(self, field):
        self.name, self.is_optional = field.text(0), field.number(1, "B")
        kind, of = field.number(2, "B"), field.table(3)
        encoding = field.table(4)
        assert field.tables(5) == []
        self.dictionary = encoding and encoding.number(0, "q")
        if kind == UTF8:
            index = encoding.table(1)
            assert (index.number(0, "i"), index.number(1, "B")) == (32, 1)
            self.kind, self.form = "text", "i"
        elif kind == TIMESTAMP:
            assert (of.number(0, "h"), of.text(1)) == (3, "UTC")
            self.kind, self.form = "time", "q"
        else:
            assert kind == INT and encoding is None
            self.kind = ("int" if of.number(1, "B") else "uint") + \
                str(of.number(0, "i"))
            self.form = {"int32": "i", "int64": "q", "uint64": "Q"}[self.kind]


def texts_of(nr, parts):
    """Those of a dictionary."""
    has, offsets, data = parts
    assert has == b"" and len(offsets) == 4 * (nr + 1)
    ends = struct.unpack(f"<{nr + 1}i", offsets)
    assert ends[0] == 0 and ends[-1] == len(data)
    texts = [data[a:b].decode() for a, b in zip(ends, ends[1:])]
    assert len(set(texts)) == nr
    return texts


class Arrow:
    """columns by name, facts, and rows as dicts, without what has no value."""

    def __init__(self, data):
        self.data, self.at = data, 0
        self.columns, self.rows, self.batches, texts = None, [], [], {}
        while (message := self.message()) is not None:
            kind, header, body = message
            if self.columns is None:
                assert kind == SCHEMA and header.number(0, "h") == 0
                self.columns = list(map(Column, header.tables(1)))
                self.facts = {fact.text(0): fact.text(1)
                              for fact in header.tables(2)}
            elif kind == DICTIONARY:
                assert header.number(2, "B") == 0  # it replaces another
                batch, parts = self.parts(header.table(1), body)
                nr = batch.number(0, "q")
                assert batch.pairs(1) == [(nr, 0)]
                texts[header.number(0, "q")] = texts_of(nr, parts)
            else:
                assert kind == BATCH
                self.add_rows(*self.parts(header, body), texts)
        assert self.at == len(data)

    def message(self):
        mark, length = struct.unpack_from("<2I", self.data, self.at)
        assert mark == 0xffffffff and length % 8 == 0 and self.at % 8 == 0
        start = self.at + 8
        self.at = start + length
        if not length:
            return None
        top = Table(self.data[start:self.at],
                    struct.unpack_from("<I", self.data, start)[0])
        assert top.number(0, "h") == 4
        body = self.data[self.at:self.at + top.number(3, "q")]
        assert len(body) == top.number(3, "q") and len(body) % 8 == 0
        self.at += len(body)
        return top.number(1, "B"), top.table(2), body

    @staticmethod
    def parts(batch, body):
        assert batch.place(3) is None  # not compressed
        spans = batch.pairs(2)
        end = 0
        for at, length in spans:  # one behind the other, each at 8
            assert at == end
            end = (at + length + 7) & ~7
        assert end == len(body)
        return batch, [body[at:at + length] for at, length in spans]

    def add_rows(self, batch, parts, texts):
        nr = batch.number(0, "q")
        rows = [{} for _ in range(nr)]
        assert len(parts) == 2 * len(self.columns)
        for i, (column, (length, null_nr)) in enumerate(
                zip(self.columns, batch.pairs(1), strict=True)):
            has, items = parts[2 * i:2 * i + 2]
            assert length == nr and len(has) == (-(-nr // 8) if null_nr else 0)
            bits = int.from_bytes(has, "little") if null_nr else -1
            assert (nr if bits < 0 else
                    (bits & (1 << nr) - 1).bit_count()) == nr - null_nr
            assert column.is_optional or not null_nr
            of = texts[column.dictionary] if column.kind == "text" else None
            values = struct.unpack(f"<{nr}{column.form}", items)
            for row, value, at in zip(rows, values, range(nr)):
                if bits >> at & 1:
                    row[column.name] = value if of is None else of[value]
        self.batches.append(nr)
        self.rows += rows
