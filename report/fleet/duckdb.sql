-- The tables of a fleet in DuckDB, over the TSV files of a folder:
--	cd FOLDER && duckdb fleet.db < duckdb.sql
-- where
--	perfpair export --format rows -i SLICE -o NAME.samples.tsv \
--		--stacks NAME.stacks.tsv
-- has written them.  The columns are those of docs/formats.md "Rows", version
-- 1.  Of a slice that was loaded twice the later load counts.
--
-- In TSV a backslash begins an escape; `unescaped` undoes those of each part
-- between two backslashes that stand for one.
CREATE OR REPLACE MACRO unescaped(x) AS array_to_string(list_transform(
	string_split(x, '\\'), lambda s: replace(replace(replace(replace(replace(
		s, '\t', chr(9)), '\n', chr(10)), '\r', chr(13)),
		'\b', chr(8)), '\f', chr(12))), '\');

CREATE OR REPLACE TABLE samples AS
SELECT version, unescaped(run) AS run, slice, start, load, seq, rows, lost,
	damaged, unescaped(host) AS host, unescaped(release) AS release,
	unescaped(service) AS service, unescaped(labels) AS labels,
	unescaped(cgroup) AS cgroup, unescaped(pod) AS pod,
	unescaped(container) AS container, unescaped(comm) AS comm,
	unescaped(event) AS event, is_clock, time, bin, stack, code, function,
	weight, number
FROM read_csv('*.samples.tsv', delim = '\t', quote = '', escape = '',
	header = false, auto_detect = false, nullstr = '\N', columns = {
	'version': 'UTINYINT', 'run': 'VARCHAR', 'slice': 'UBIGINT',
	'start': 'UINTEGER', 'load': 'UBIGINT', 'seq': 'UINTEGER',
	'rows': 'UINTEGER', 'lost': 'UBIGINT', 'damaged': 'UTINYINT',
	'host': 'VARCHAR', 'release': 'VARCHAR', 'service': 'VARCHAR',
	'labels': 'VARCHAR', 'cgroup': 'VARCHAR', 'pod': 'VARCHAR',
	'container': 'VARCHAR', 'comm': 'VARCHAR', 'event': 'VARCHAR',
	'is_clock': 'UTINYINT', 'time': 'UINTEGER', 'bin': 'UINTEGER',
	'stack': 'UBIGINT', 'code': 'UBIGINT', 'function': 'UBIGINT',
	'weight': 'UBIGINT', 'number': 'UBIGINT' })
QUALIFY load = max(load) OVER (PARTITION BY run, slice)
	AND row_number() OVER (PARTITION BY run, slice, load, seq) = 1;

CREATE OR REPLACE TABLE stacks AS
SELECT DISTINCT version, stack, code, place, is_self, function,
	unescaped(name) AS name, level, kind, unescaped(dso) AS dso,
	unescaped(path) AS path, build_id, "offset"
FROM read_csv('*.stacks.tsv', delim = '\t', quote = '', escape = '',
	header = false, auto_detect = false, nullstr = '\N', columns = {
	'version': 'UTINYINT', 'stack': 'UBIGINT', 'code': 'UBIGINT',
	'place': 'UINTEGER', 'is_self': 'UTINYINT', 'function': 'UBIGINT',
	'name': 'VARCHAR', 'level': 'VARCHAR', 'kind': 'VARCHAR',
	'dso': 'VARCHAR', 'path': 'VARCHAR', 'build_id': 'VARCHAR',
	'offset': 'UBIGINT' });
