import { setTimeout as wait } from "node:timers/promises";
import { systemClock, type Clock } from "../src/core/clock.ts";
import { createLog } from "../src/core/log.ts";
import type { IngestParts } from "../src/ingest/ingest-parts.ts";
import { runsInPlanning } from "../src/ledger/run-shards.ts";
import { openWarehouse, type Database } from "../src/postgres/database.ts";
import { planDue } from "../src/runs/scheduled-run.ts";
import { joinPlanning } from "../src/runs/scheduled-planning.ts";
import { answerParent } from "./child.ts";
import { nightSettings } from "./config.ts";
import { ownCpuSince } from "./cpu.ts";
import { today, type Account } from "./scale-size.ts";
import { timed } from "./stopwatch.ts";

/** What a process plans: with `begins` its crontab line is due, else it joins the process that begins. */
export type NightOrder = { readonly url: string; readonly account: Account; readonly begins: boolean };

/** What it took: times in seconds, resident set in MiB before and at its peak, shards that it planned. */
export type PlannedNight = Record<"wall" | "node" | "beforeMiB" | "peakMiB" | "shards", number>;

/** Connections of a worker for planning; it has more for fetching. */
const connections = 4;

const checkMs = 5;

async function planNight({ url, account, begins }: NightOrder): Promise<PlannedNight> {
  await using warehouse = await openWarehouse(url, connections);
  const settings = nightSettings(account);
  let shards = 0;
  const parts = partsOf(warehouse.db, () => {
    shards += 1;
    return Promise.resolve();
  });
  if (!begins) while ((await runsInPlanning(warehouse.db, "")).length === 0) await wait(checkMs);
  const beforeMiB = residentMiB();
  let peakMiB = beforeMiB;
  const watch = setInterval(() => {
    peakMiB = Math.max(peakMiB, residentMiB());
  }, 20);
  const before = process.cpuUsage();
  const plan = () => (begins ? planDue(parts, settings, ["keyword_rank"]) : joinPlanning(parts, settings));
  const { ms } = await timed(plan);
  clearInterval(watch);
  return { wall: ms / 1000, node: ownCpuSince(before) / 1000, beforeMiB, peakMiB, shards };
}

/** What planning needs of a worker: it sends nothing. */
function partsOf(db: Database, crashPoint: NonNullable<IngestParts["crashPoint"]>): IngestParts {
  const clock: Clock = { ...systemClock(), today: () => today };
  return {
    db,
    clock,
    crashPoint,
    log: createLog({ level: "silent", secrets: [] }),
    halted: new AbortController().signal,
    accountId: "bench",
    workerId: "0",
    refreshBalance: () => Promise.resolve(),
    reapDeadWorkers: () => Promise.resolve(),
  } as Partial<IngestParts> as IngestParts;
}

function residentMiB(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}

answerParent((order) => planNight(order as NightOrder));
