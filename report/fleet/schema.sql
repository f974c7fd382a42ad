-- The tables of a fleet in ClickHouse 18.16 (Debian 12) and later, one server:
--	clickhouse-client -n < schema.sql
-- The columns are those of docs/formats.md "Rows", version 1.
--
-- A slice that is loaded twice has two rows of one key, of which
-- ReplacingMergeTree keeps that of the later load; `perfpair fleet` looks for
-- slices whose rows are not merged yet, and only then asks with FINAL.
-- (Deduplication of inserts would need ZooKeeper in 18.16, and the same blocks
-- of rows again, which an export by a later perfpair does not give.)
CREATE DATABASE IF NOT EXISTS perfpair;

CREATE TABLE IF NOT EXISTS perfpair.samples
(
	version UInt8,
	run String,
	slice UInt64,
	start DateTime,
	load UInt64,
	seq UInt32,
	rows UInt32,
	lost UInt64,
	damaged UInt8,
	host String,
	release String,
	service String,
	labels String,
	cgroup String,
	pod String,
	container String,
	comm String,
	event String,
	is_clock UInt8,
	time DateTime,
	bin UInt32,
	stack UInt64,
	code UInt64,
	function UInt64,
	weight UInt64,
	number UInt64
)
ENGINE = ReplacingMergeTree(load)
PARTITION BY toYYYYMMDD(start)
ORDER BY (service, release, host, run, slice, seq);

CREATE TABLE IF NOT EXISTS perfpair.stacks
(
	version UInt8,
	stack UInt64,
	code UInt64,
	place UInt32,
	is_self UInt8,
	function UInt64,
	name String,
	level String,
	kind String,
	dso String,
	path String,
	build_id String,
	offset UInt64
)
ENGINE = ReplacingMergeTree
ORDER BY (stack, code, place);
