import pg from "pg";
import { expect, test } from "vitest";
import { checkLocks } from "../../src/doctor/database-checks.ts";
import { lockWaitText, readLockWait } from "../../src/postgres/lock-waits.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { createLog } from "../../src/core/log.ts";
import { syncInForeground } from "../../src/foreground.ts";
import { must } from "../support/must.ts";
import { openStage, today, until } from "../support/ingest-stage.ts";
import { calmRun, expectCalm } from "../support/ingest-witness.ts";

/** Beats a hundred times as often as usual, so that a test need not wait for half a minute. */
const intervals = { beatMs: 100, deadAfterMs: 60_000, firstCheckMs: 1_000, longestCheckMs: 1_000 };

const market = { apps: 2, countries: ["US"] };

test("a table that another session has locked is waited for; the log says once which session has it, and heartbeats go on", async () => {
  const calm = await calmRun({ market });
  await using stage = await openStage({ market });
  const lines: unknown[] = [];
  const log = createLog({ level: "warn", secrets: [], to: { write: (line) => void lines.push(JSON.parse(line)) } });
  await using app = await stage.open();
  const beats = async () =>
    (await stage.query<{ at: string }>("select max(heartbeat_at)::text as at from ops.worker"))[0]?.at;
  await using opened = new AsyncDisposableStack();
  const other = opened.adopt(
    new pg.Client({ connectionString: stage.databaseUrl, application_name: "a report" }),
    (client) => client.end(),
  );
  await other.connect();
  const { rows } = await other.query<{ pid: number }>("select pg_backend_pid() as pid");
  await other.query("begin");
  await other.query("lock table core.fact_keyword_rank in share mode");
  const running = syncInForeground(
    { ...app, log, intervals },
    {
      request: { datasets: [], bounds: {}, today },
      maxCredits: null,
      stop: new AbortController().signal,
      progress: () => undefined,
    },
  );
  await until(() => lines.length > 0);
  for (const before of [await beats(), await beats()]) await until(async () => (await beats()) !== before);
  expect(lines).toMatchObject([
    { msg: "database.lock_awaited", table: "core.fact_keyword_rank", held_by: rows[0]?.pid, program: "a report" },
  ]);
  await using doctor = await openWarehouse(stage.databaseUrl, 1);
  const wait = must(await readLockWait(doctor.db, 0));
  expect(lockWaitText(wait)).toMatch(
    new RegExp(`for core.fact_keyword_rank, locked by session ${rows[0]?.pid} of \\S+ \\(a report\\)$`),
  );
  await opened.disposeAsync();
  expect(await running).toMatchObject({ outcome: "loaded" });
  expect(await checkLocks(doctor.db)).toMatchObject({ state: "ok" });
  await expectCalm(stage, calm, 0);
});
