import { beforeEach } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import { createLog, type Log } from "../../src/core/log.ts";
import type { SliceDraft } from "../../src/core/slice.ts";
import type { Ending } from "../../src/ledger/slices.ts";
import { everyDataset } from "../../src/incidents/lateness.ts";
import { watchOnce, type WatcherParts } from "../../src/incidents/watcher.ts";
import { createWebhook } from "../../src/incidents/webhook.ts";
import { draft, now, openLedgerStage, type LedgerStage } from "./ledger-stage.ts";
import { openReceiver, type Receiver } from "./webhook-receiver.ts";
import { forTests } from "./for-tests.ts";

/** In ms. */
export const minute = 60_000;

/** Checks in a row without a problem that close its incident. */
export const cleanChecks = 10;

/** A clock that stands where a test puts it. */
export type SetClock = Clock & { time: number };

/** A clock that stands at an instant (epoch-ms) until it is moved. */
export function clockAt(time: number): SetClock {
  const clock = { time, now: () => clock.time, today: () => systemClock().today(), sleep: () => Promise.resolve() };
  return Object.assign(clock, {
    today: () => new Date(clock.time).toISOString().slice(0, 10) as ReturnType<Clock["today"]>,
  });
}

/** A line of the log. */
type Line = { readonly msg: string; readonly level: number } & Readonly<Record<string, unknown>>;

/** A log that keeps its lines. */
function keptLog(): { readonly log: Log; readonly lines: () => readonly Line[] } {
  const lines: string[] = [];
  const log = createLog({ level: "trace", secrets: [], to: { write: (line) => void lines.push(line) } });
  return { log, lines: () => lines.map((line) => JSON.parse(line) as Line) };
}

/** A ledger with a webhook and a clock that is set by hand, for the tests of one file: emptied before each. */
export type WatchStage = {
  readonly stage: LedgerStage;
  readonly receiver: Receiver;
  readonly clock: SetClock;
  readonly lines: () => readonly Line[];
  /** The parts of a watcher; each is new, as after a restart. */
  readonly watcher: (change?: Partial<WatcherParts>) => WatcherParts;
  /** Checks so many times, a minute apart. */
  readonly watch: (times: number, parts?: WatcherParts) => Promise<void>;
  /** Makes the check that closes what has had no problem in nine checks, as if these had been made. */
  readonly watchClosing: (parts?: WatcherParts) => Promise<void>;
  /** Brings a slice to an end. */
  readonly ended: (state: Ending["state"], ...drafts: readonly SliceDraft[]) => Promise<readonly string[]>;
  /** Makes a slice of yesterday fail. */
  readonly failSlice: (dataset?: string, app?: string) => Promise<string>;
  /** Makes every slice loaded. */
  readonly mend: () => Promise<void>;
  /** How many incidents each accepted message reports as opened and as closed. */
  readonly sent: () => readonly (readonly [number, number])[];
  /** Every incident that a message reported as opened. */
  readonly opened: () => readonly Record<string, unknown>[];
};

/** Opens one for the tests of a file. */
export function watchForTests(): WatchStage {
  const stage = forTests(openLedgerStage);
  let worker: string;
  let receiver: Receiver;
  let clock: SetClock;
  let kept: ReturnType<typeof keptLog>;
  beforeEach(async () => {
    await stage.reset();
    await stage.pool.query(
      "truncate ops.incident, ops.drift, ops.credit_cost, ops.credit_account, ops.account_stop, ops.api_outage, ops.finding, ops.watch_check, ops.credit_budget, ops.held_answer cascade",
    );
    await stage.pool.query("update ops.watch set pinged_at = null, notify_after = null, notify_failures = 0");
    worker = await stage.alive();
    clock = clockAt(now);
    kept = keptLog();
    receiver = await openReceiver();
    return () => receiver[Symbol.asyncDispose]();
  });
  const watcher: WatchStage["watcher"] = (change = {}) => ({
    db: stage.db,
    settings: Settings.parse({}),
    clock,
    accountId: "a1",
    scheduled: new Map([[everyDataset, 24 * 60 * minute]]),
    log: kept.log,
    checkEveryMs: minute,
    ping: null,
    send: createWebhook({ url: receiver.url, format: "json", timeoutMs: 2_000 }),
    ...change,
  });
  const ended: WatchStage["ended"] = async (state, ...drafts) =>
    stage.inState(await stage.run(), state, worker, ...drafts);
  const watch: WatchStage["watch"] = async (times, parts = watcher()) => {
    for (let turn = 0; turn < times; turn += 1) {
      clock.time += minute;
      // what a test writes did not come with a request
      await stage.pool.query("update ops.watch_check set full_check_at = 'epoch'");
      await watchOnce(parts);
    }
  };
  return {
    stage,
    get receiver() {
      return receiver;
    },
    get clock() {
      return clock;
    },
    lines: () => kept.lines(),
    watcher,
    watch,
    watchClosing: async (parts) => {
      await stage.pool.query("update ops.incident set clean_checks = $1 where closed_at is null", [cleanChecks - 1]);
      await watch(1, parts);
    },
    ended,
    failSlice: async (dataset = "keyword_rank", app = "1") => {
      const [id] = await ended("failed", draft({ dataset, scope: { store: "ios", app, country: "US" } }));
      await stage.pool.query(
        "update ops.slice set error_code = 'server_error', error_message = 'server_error: <the API> & failed' where slice_id = $1",
        [id],
      );
      return id ?? "";
    },
    mend: async () => void (await stage.pool.query("update ops.slice set state = 'loaded', error_code = null")),
    sent: () => receiver.received.map(({ opened = [], closed = [] }) => [opened.length, closed.length] as const),
    opened: () => receiver.received.flatMap(({ opened = [] }) => opened),
  };
}
