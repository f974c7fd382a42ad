// Runs SQL from standard input in a database file, as the program duckdb does
// with -list -noheader: a line for each row, columns with tabs between them.
//	node duckdb.mjs FILE [OPTION]... < SQL
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.env.DUCKDB_MODULES + "/");
const { DuckDBInstance } = require("@duckdb/node-api");
const instance = await DuckDBInstance.create(process.argv[2]);
const connection = await instance.connect();
try {
	const all = await connection.extractStatements(readFileSync(0, "utf8"));
	for (let i = 0; i < all.count; i++) {
		const statement = await all.prepare(i);
		const reader = await statement.runAndReadAll();
		const rows = reader.getRows();
		if (i === all.count - 1 && reader.columnNames()[0] !== "Count")
			for (const row of rows)
				process.stdout.write(row.map(v => v === null ? "" : String(v)).join("\t") + "\n");
	}
} catch (error) {
	console.error(error.message);
	process.exit(1);
}
connection.closeSync();
