import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { createLog } from "../../src/core/log.ts";
import { hourMs } from "../../src/core/day.ts";
import { mayStart } from "../../src/cli/worker-agreement.ts";
import { runCommand } from "../support/command.ts";
import { until } from "../support/ingest-stage.ts";
import { openSynced } from "../support/synced-stage.ts";
import { checkClock } from "../../src/cli/check-clock.ts";
import { readReadiness } from "../../src/health/readiness.ts";
import { openWarehouse, type Warehouse } from "../../src/postgres/database.ts";
import { freshDatabase } from "../support/database.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
let warehouse: Warehouse;

beforeAll(async () => {
  database = await freshDatabase();
  warehouse = await openWarehouse(database.url, 1);
});
afterAll(async () => {
  await warehouse[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** The clock of a machine that is so many minutes ahead of the database's. */
const ahead = (minutes: number) => ({ ...systemClock(), now: () => systemClock().now() + minutes * 60_000 });

/** Checks such a clock, and returns what is logged. */
async function logged(minutes: number): Promise<readonly Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  const to = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  await checkClock({ warehouse, clock: ahead(minutes), log: createLog({ level: "warn", secrets: [], to }) });
  return lines;
}

test("a clock that differs from the database's by minutes is warned of before work begins, and one that agrees is not", async () => {
  expect(await logged(0)).toEqual([]);
  expect(await logged(5)).toMatchObject([{ msg: "clock.differs" }]);
  expect(await logged(-5)).toMatchObject([{ msg: "clock.differs" }]);
});

test("a clock that is hours off is refused: snapshots would be stamped with another day", async () => {
  await expect(logged(240)).rejects.toThrow(
    /^clock_wrong: the clock of this machine is 4\sh ahead of the database's clock/,
  );
  await expect(logged(-240)).rejects.toThrow(/is 4\sh behind the database's clock/);
});

test("a worker whose clock differs is not ready", async () => {
  const clockOf = async (minutes: number) => {
    const { checks } = await readReadiness({ db: () => warehouse.db, state: () => null, clock: ahead(minutes) });
    return checks.find(({ check }) => check === "clock");
  };
  expect(await clockOf(0)).toMatchObject({ ok: true });
  expect(await clockOf(5)).toMatchObject({ ok: false, next: "synchronise both clocks with a time server (NTP)" });
});

test("a worker whose clock is hours off waits until it is right, since nothing would start it again", async () => {
  await using stage = await openSynced({ market: { apps: 1, countries: ["US"], keywordsPerApp: 1 } });
  await using app = await stage.open();
  let [wrongHours, waits] = [4, 0];
  const lines: Record<string, unknown>[] = [];
  const to = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const clock = {
    ...app.clock,
    now: () => systemClock().now() + wrongHours * hourMs,
    sleep: async () => {
      waits += 1;
      wrongHours = waits < 2 ? 4 : 0;
    },
  };
  const worker = { ...app, clock, log: createLog({ level: "warn", secrets: [], to }) };
  expect(await mayStart(worker, true, new AbortController().signal)).toBe(true);
  expect([waits, lines.map(({ msg }) => msg)]).toEqual([2, ["clock.wrong", "clock.wrong"]]);
});

test.each(["console", "gateway"])(
  "a %s waits as well, since what people do there is planned by its clock",
  async (what) => {
    await using stage = await openSynced({ market: { apps: 1, countries: ["US"], keywordsPerApp: 1 } });
    const before = process.listenerCount("SIGTERM");
    vi.useFakeTimers({ toFake: ["Date"], now: systemClock().now() + 30 * hourMs });
    try {
      const ended = runCommand(stage, [what, "--port", "0"]);
      await until(async () => process.listenerCount("SIGTERM") > before);
      process.emit("SIGTERM", "SIGTERM");
      expect(await ended).toEqual({ code: 0, stdout: "", stderr: "" });
    } finally {
      vi.useRealTimers();
    }
  },
);

test("no command requests slices by a clock that is hours off; what a backfill would cost is shown", async () => {
  await using stage = await openSynced({ market: { apps: 1, countries: ["US"], keywordsPerApp: 1 } });
  const backfill = ["backfill", "--dataset", "keyword_rank", "--from", "2026-08-01", "--to", "2026-08-02"];
  vi.useFakeTimers({ toFake: ["Date"], now: systemClock().now() + 30 * hourMs });
  try {
    for (const command of [["sync"], ["retry"], backfill])
      expect(await runCommand(stage, command)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^clock_wrong: /),
      });
    expect(await runCommand(stage, [...backfill, "--dry-run"])).toMatchObject({ code: 0, stderr: "" });
  } finally {
    vi.useRealTimers();
  }
  expect(stage.requested()).toEqual([]);
});
