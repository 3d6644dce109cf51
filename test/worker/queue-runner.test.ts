import type pg from "pg";
import { expect, test } from "vitest";
import type { App } from "../../src/app.ts";
import { createLog } from "../../src/core/log.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { startQueue } from "../../src/worker/queue-runner.ts";
import { freshDatabase } from "../support/database.ts";

test("a connection that breaks while the queue stops to listen on it does not end the process", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 4);
  const listening = Promise.withResolvers<never>();
  const requested: string[] = [];
  const unlistened: Promise<unknown>[] = [];
  const held = new WeakSet<pg.PoolClient>();
  warehouse.pool.on("acquire", (client) => {
    if (!held.has(client)) holdListening(client, { listening: listening.promise, requested, unlistened });
    held.add(client);
  });
  const unhandled: unknown[] = [];
  const note = (problem: unknown) => unhandled.push(problem);
  process.on("unhandledRejection", note);
  const log = createLog({ level: "silent", secrets: [] });
  const app = { config: { settings: { api: { retry_seconds: 1 } } }, hide: String, log, warehouse };
  const queue = await startQueue(app as unknown as App, { taskList: {}, schedule: [], onLost: () => undefined });
  await expect.poll(() => requested).toContain("LISTEN");
  await queue.stop();
  listening.reject(new Error("the connection broke"));
  await expect.poll(() => unlistened.length).toBe(2);
  await Promise.allSettled(unlistened);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

test("a job that ends because the worker stops is not logged as an error, and is tried again", async () => {
  await using database = await freshDatabase();
  await using warehouse = await openWarehouse(database.url, 4);
  const lines: string[] = [];
  const log = createLog({ level: "debug", secrets: [], to: { write: (line) => void lines.push(line) } });
  const app = { config: { settings: { api: { retry_seconds: 1 } } }, hide: String, log, warehouse };
  const failed = async (reason?: Error, maxAttempts = 25) => {
    const task = () => AbortSignal.abort(reason).throwIfAborted();
    const taskList = { stopped: task };
    const queue = await startQueue(app as unknown as App, { taskList, schedule: [], onLost: () => undefined });
    await queue.addJob("stopped", {}, { jobKey: "stopped", maxAttempts });
    const isTried = "select attempts from graphile_worker.jobs where last_error is not null";
    await expect.poll(async () => (await warehouse.pool.query(isTried)).rows).toEqual([{ attempts: 1 }]);
    await queue.stop();
    return lines.splice(0).filter((line) => /"level":50/.test(line)).length;
  };
  expect(await failed()).toBe(0);
  expect(await failed(new Error("not a stop"))).toBe(1);
  // nothing runs it again
  await warehouse.pool.query("delete from graphile_worker._private_jobs");
  expect(await failed(undefined, 1)).toBe(1);
});

type Held = {
  readonly listening: Promise<never>;
  readonly requested: string[];
  readonly unlistened: Promise<unknown>[];
};

/** Has a connection answer LISTEN with `listening`, and notes what it answers to UNLISTEN. */
function holdListening(client: pg.PoolClient, { listening, requested, unlistened }: Held): void {
  const query = client.query.bind(client) as (...given: readonly unknown[]) => Promise<unknown>;
  Object.assign(client, {
    query: (...given: readonly unknown[]) => {
      const [word = ""] = String(given[0]).split(" ");
      requested.push(word);
      if (word === "LISTEN") return listening;
      const answer = query(...given);
      if (word === "UNLISTEN") unlistened.push(answer);
      return answer;
    },
  });
}
