import { once } from "node:events";
import { migrate } from "../../src/postgres/migrate.ts";

/** A program for child processes: waits for the word and migrates the database given, saying which migrations ran. */
const [url = ""] = process.argv.slice(2);
process.send?.("ready");
await once(process, "message");
process.send?.(await migrate(url));
process.disconnect();
