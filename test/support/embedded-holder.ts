import { once } from "node:events";
import { openEmbedded } from "../../src/postgres/embedded/embedded-server.ts";

/** A program for child processes: opens the server of the directory given, says so, and leaves on a signal. */
const [directory = ""] = process.argv.slice(2);
await using server = await openEmbedded({ directory, database: "storehouse", durable: false });
const reported = once(process, "message");
process.send?.({ url: server.url, joined: server.joined });
await reported;
process.disconnect();
