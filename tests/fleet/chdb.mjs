// The ClickHouse that the npm package chdb has inside, as a server on a socket
// with the tables in FOLDER:
//	node chdb.mjs serve SOCKET FOLDER
// and its client, which takes a query as clickhouse-client does: of --query,
// where standard input has the rows of an INSERT, or else of standard input.
//	node chdb.mjs ask SOCKET [--query SQL] < SQL or rows
import { createRequire } from "node:module";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";

const [mode, socket, ...words] = process.argv.slice(2);

// The library reads rows of files only.
function insert(session, folder, query, rows) {
	const [, into, format] = /^(INSERT INTO \S+) FORMAT (\w+)$/.exec(query);
	const path = join(folder, "rows");
	writeFileSync(path, rows);
	try {
		session.query(`${into} FROM INFILE '${path}' FORMAT ${format}`);
	} finally {
		rmSync(path);
	}
	return "";
}

function serve(folder) {
	const require = createRequire(process.env.CHDB_MODULES + "/");
	const session = new (require("chdb").Session)(folder);
	createServer((asked, answer) => {
		const parts = [];
		asked.on("data", part => parts.push(part));
		asked.on("end", () => {
			const body = Buffer.concat(parts);
			const query = new URL(asked.url, "http://chdb").searchParams.get("query");
			try {
				answer.end(query?.startsWith("INSERT") && body.length ?
					insert(session, folder, query, body) :
					session.query(query ?? body.toString(), "TabSeparated"));
			} catch (error) {
				answer.statusCode = 500;
				answer.end(error.message);
			}
		});
	}).listen(socket, () => console.log("ready"));
}

function ask() {
	const path = words[0] === "--query" ? "/?query=" + encodeURIComponent(words[1]) : "/";
	request({ socketPath: socket, path, method: "POST" }, answer => {
		const out = answer.statusCode === 200 ? process.stdout : process.stderr;
		process.exitCode = answer.statusCode === 200 ? 0 : 1;
		answer.pipe(out);
	}).end(readFileSync(0));
}

if (mode === "serve")
	serve(words[0]);
else
	ask();
