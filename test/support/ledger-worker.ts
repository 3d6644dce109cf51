import { systemClock } from "../../src/core/clock.ts";
import { enterWorker } from "../../src/ledger/workers.ts";
import { openWarehouse } from "../../src/postgres/database.ts";

/** A program for child processes: enters itself in the ledger of the database given, says its number, and lives until it is killed. */
const [url = ""] = process.argv.slice(2);
const { pool } = await openWarehouse(url, 2);
const { workerId } = await enterWorker(pool, { kind: "foreground", account: "", clock: systemClock() });
process.send?.(workerId);
