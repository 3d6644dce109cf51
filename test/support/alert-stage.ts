import { beforeAll, beforeEach } from "vitest";
import { checkAlerts } from "../../src/alerts/check-alerts.ts";
import { Settings } from "../../src/config/settings.ts";
import { createLog } from "../../src/core/log.ts";
import { watchOnce } from "../../src/incidents/watcher.ts";
import { createWebhook } from "../../src/incidents/webhook.ts";
import { openMartStage, type MartStage } from "./mart-stage.ts";
import { clockAt, type SetClock } from "./watch-stage.ts";
import { openReceiver, type Receiver } from "./webhook-receiver.ts";
import { forTests } from "./for-tests.ts";

/** Settings of alerts as a file has them. */
type GivenAlerts = Readonly<Record<string, unknown>>;

/** A slice with its answer: its dataset, scope, day, and state (loaded unless said otherwise). */
type Answer = {
  readonly dataset?: string;
  readonly scope?: Readonly<Record<string, string>>;
  readonly day: string;
  readonly state?: string;
};

/** Marts that are filled by hand, with a clock and a webhook, for the tests of one file: emptied before each. */
export type AlertStage = {
  readonly mart: MartStage;
  readonly receiver: Receiver;
  readonly clock: SetClock;
  /** Lines of the log that warn. */
  readonly lines: () => readonly Record<string, unknown>[];
  /** Ranks of "plan" for app 1 in the US on an iPhone by day, and the slices that loaded them. Null: not ranked. */
  readonly ranks: (byDay: Readonly<Record<string, number | null>>) => Promise<void>;
  readonly answered: (...answers: readonly Answer[]) => Promise<void>;
  /** Checks at the time of the clock, and sends what is due. */
  readonly watch: (alerts: GivenAlerts, notify?: object) => Promise<void>;
  /** Checks without sending. */
  readonly check: (alerts: GivenAlerts) => Promise<void>;
  /** What fired, in order: alert, day, compared day, text. */
  readonly fired: () => Promise<readonly string[]>;
  /** The lines about alerts of each accepted message. */
  readonly sent: () => readonly (readonly string[])[];
};

/** Settings with these alerts. */
export function settingsWith(alerts: GivenAlerts, notify: object = {}): Settings {
  return Settings.parse({ alerts, notify });
}

const tables = [
  "ops.slice",
  "ops.alert",
  "core.fact_keyword_rank",
  "core.review",
  "core.fact_top_chart",
  "core.fact_app_rating",
  "core.app_history",
  "core.app_version",
  "core.app_change",
];

/** Opens one for the tests of a file. */
export function alertsForTests(): AlertStage {
  const mart = forTests(openMartStage);
  let receiver: Receiver;
  let clock: SetClock;
  let kept: string[] = [];
  const log = createLog({ level: "warn", secrets: [], to: { write: (line) => void kept.push(line) } });
  beforeAll(async () => {
    await mart.ask(
      "insert into ops.run (kind, as_of, datasets, started_at) values ('sync', '2026-08-08', '{}', '2026-08-08Z')",
    );
    await mart.name({ "ios:1": "Ours", "ios:2": "Theirs" });
  });
  beforeEach(async () => {
    await mart.ask(`truncate ${tables.join(", ")} cascade`);
    await mart.ask("update ops.watch set notify_after = null, notify_failures = 0");
    kept = [];
    clock = clockAt(Date.parse("2026-08-09T06:00:00Z"));
    receiver = await openReceiver();
    return () => receiver[Symbol.asyncDispose]();
  });
  const answered: AlertStage["answered"] = async (...answers) => {
    for (const { dataset = "keyword_rank", scope = us, day, state = "loaded" } of answers)
      await mart.ask(`
        insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits,
                               run_id, created_at, ended_at)
        select '${dataset}', 'o', '${JSON.stringify(scope)}', '${day}', date '${day}' + 1, '${day}', '', 'daily', '${state}', 1, 3, run_id, '${day}Z',
               ${state === "pending" ? "null" : "clock_timestamp()"} from ops.run`);
  };
  return {
    mart,
    get receiver() {
      return receiver;
    },
    get clock() {
      return clock;
    },
    lines: () => kept.map((line) => JSON.parse(line) as Record<string, unknown>),
    answered,
    ranks: async (byDay) => {
      const rows = Object.entries(byDay).map(([day, rank]) => ({ ...ourKeyword, date_day: day, rank }));
      await mart.fill("core.fact_keyword_rank", rows, clock.time);
      await answered(...Object.keys(byDay).map((day) => ({ day })));
    },
    check: (alerts) => checkAlerts({ db: mart.db, settings: settingsWith(alerts), log, now: clock.time }),
    watch: async (alerts, notify) => {
      clock.time += 60_000;
      await mart.ask("truncate ops.watch_check");
      await watchOnce({
        db: mart.db,
        settings: settingsWith(alerts, notify),
        clock,
        accountId: "a1",
        scheduled: new Map(),
        log,
        checkEveryMs: 60_000,
        ping: null,
        send: createWebhook({ url: receiver.url, format: "json", timeoutMs: 2_000 }),
      });
    },
    fired: () =>
      mart.ask("select alert_name, date_day, compared_day, summary from ops.alert_log order by alert_fire_id"),
    sent: () =>
      receiver.received
        .map(({ alerts = [] }) => alerts.map(({ summary }) => String(summary)))
        .filter(({ length }) => length > 0),
  };
}

const us = { store: "ios", app: "1", country: "US" } as const;
const ourKeyword = { app_key: "ios:1", country_key: "US", keyword_key: "plan", device_key: "IPHONE" } as const;
