// What others' readers find in an Arrow stream, as JSON: how many rows, the sums
// of periods and tids, the rows of each sym, comm and stack (null: it has none).
//	node arrow_readers.mjs js|rust|duckdb|polars|clickhouse FILE
import { createRequire } from "node:module";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const require = createRequire(process.env.ARROW_MODULES + "/");
const [reader, path] = process.argv.slice(2);
const COLUMNS = ["sym", "comm", "stack"];

function ofTable(table) {
	const sum = name => {
		let all = 0n;
		for (const v of table.getChild(name))
			all += BigInt(v ?? 0);
		return all;
	};
	const counts = name => {
		const found = {};
		for (const v of table.getChild(name))
			found[v] = (found[v] ?? 0) + 1;
		return found;
	};
	return { rows: table.numRows, period: sum("period"), tid: sum("tid"),
		columns: COLUMNS.map(counts) };
}

function js() {
	return ofTable(require("apache-arrow").tableFromIPC(readFileSync(path)));
}

// arrow-rs, which hands it on to the other one
function rust() {
	const table = require("parquet-wasm/node").Table.fromIPCStream(readFileSync(path));
	return ofTable(require("apache-arrow").tableFromIPC(table.intoIPCStream()));
}

// By SQL, whose answers are lists of rows.
function bySql(ask, table) {
	const [[rows, period, tid]] = ask(`SELECT count(*), sum(period), sum(tid) FROM ${table}`);
	const columns = COLUMNS.map(name => Object.fromEntries(
		ask(`SELECT ${name}, count(*) FROM ${table} GROUP BY ${name}`)
			.map(([v, nr]) => [v, Number(nr)])));
	return { rows: Number(rows), period, tid, columns };
}

async function duckdb() {
	const { createDuckDB, NODE_RUNTIME, VoidLogger } = require("@duckdb/duckdb-wasm/blocking");
	const folder = dirname(require.resolve("@duckdb/duckdb-wasm/blocking"));
	const at = name => ({ mainModule: join(folder, `duckdb-${name}.wasm`), mainWorker: "" });
	const db = await createDuckDB({ mvp: at("mvp"), eh: at("eh") }, new VoidLogger(), NODE_RUNTIME);
	await db.instantiate();
	const connection = db.connect();
	connection.insertArrowFromIPCStream(readFileSync(path), { name: "t", create: true });
	return bySql(sql => connection.query(sql.replaceAll(/sum\((\w+)\)/g, "sum($1)::VARCHAR"))
		.toArray().map(row => Object.values(row.toJSON())), "t");
}

function polars() {
	const pl = require("nodejs-polars");
	const t = pl.readIPCStream(readFileSync(path));
	const counts = name => Object.fromEntries(
		t.groupBy(name).agg(pl.col("tid").count().alias("nr")).rows().map(([v, nr]) => [v, Number(nr)]));
	return { rows: t.height, period: t.getColumn("period").sum(), tid: t.getColumn("tid").sum(),
		columns: COLUMNS.map(counts) };
}

function clickhouse() {
	const folder = mkdtempSync(join(tmpdir(), "arrow-"));
	const session = new (require("chdb").Session)(folder);
	try {
		return bySql(sql => session.query(sql, "JSONCompactEachRow").split("\n").filter(line => line)
			.map(line => JSON.parse(line)), `file('${path}', 'ArrowStream')`);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

const found = await { js, rust, duckdb, polars, clickhouse }[reader]();
console.log(JSON.stringify(found, (key, v) => typeof v === "bigint" ? String(v) : v));
process.exit(0);
