import { dayOf, startOfDay } from "../core/day.ts";
import { messageOf } from "../core/errors.ts";
import { planningSourcesOf } from "../datasets/shared/define-dataset.ts";
import type { CallDay, TableFeeder } from "./feed-tables.ts";
import type { Call, GatewayParts } from "./gateway-parts.ts";

/** What a session does after its callers have their answers, in order. Disposing waits for it, but not for replays. */
export interface FeedQueue extends AsyncDisposable {
  /** Loads the answer to a call, which was received at an instant (epoch-ms), into a table. */
  readonly feed: (call: Call, fetchedAt: number) => void;
  readonly add: (work: () => Promise<unknown>) => void;
}

/** Lists are planned from each other in fewer stages. */
const mostPasses = 4;
/** Answers from which plans are made, apart from lists, may be many: what they show is looked up once for all of this time. */
const retryAfterMs = 5_000;

/**
 * Creates the queue; it loads first what a killed gateway left. One answer is loaded at a time. Answers of a dataset that a replay rebuilds
 * wait apart, so that those of other datasets do not wait for them.
 */
export function createFeedQueue({ ingest }: GatewayParts, feeder: TableFeeder): FeedQueue {
  const { clock, log } = ingest;
  const stopping = new AbortController();
  /** The last answer of each dataset that waits for a replay. */
  const behindReplay = new Map<string, Promise<void>>();
  let working: Promise<unknown> = Promise.resolve();
  /** True after a list was loaded that plans are made from: answers that no plan would have requested before may belong to one now. */
  let isRetryDue = true;
  /** Answers that wait to be loaded. */
  let waiting = 0;
  /** A retry that is due soon. */
  let retrySoon: Promise<void> | null = null;

  function noteFailure(error: unknown): void {
    // the answer is stored: the next start tries again
    log.warn({ problem: ingest.scrub(messageOf(error)) }, "gateway.not_loaded");
  }

  function add(work: () => Promise<unknown>): void {
    working = working.then(work).catch(noteFailure);
  }

  const dayOfAnswer = (fetchedAt: number): CallDay => ({ today: clock.today(), start: startOfDay(dayOf(fetchedAt)) });

  /** `noteSource`: called if plans of the market are made from the answer. */
  async function feed(call: Call, day: CallDay, noteSource: () => void): Promise<void> {
    const found = await feeder.find(call, day);
    if (found === null) return;
    const { name, stage } = found.dataset;
    if (stage !== "market") isRetryDue = true;
    else if (planningSourcesOf(found.dataset).length > 0) noteSource();
    const ahead = behindReplay.get(name);
    if (ahead === undefined && (await feeder.loadUnlessReplayed(found, day))) return;
    const own = (ahead ?? Promise.resolve())
      .then(() => feeder.load(found, day, stopping.signal))
      .catch(noteFailure)
      .finally(() => {
        if (behindReplay.get(name) === own) behindReplay.delete(name);
      });
    behindReplay.set(name, own);
    // from a list it is known what the next calls are about, and its replay is short
    if (stage !== "market") await own;
  }

  function retryLater(): void {
    retrySoon ??= retryAfterPause();
  }

  async function retryAfterPause(): Promise<void> {
    await clock.sleep(retryAfterMs, stopping.signal).catch(() => undefined);
    retrySoon = null;
    if (stopping.signal.aborted) return;
    isRetryDue = true;
    add(retryLeftOver);
  }

  /** Loads the answers of the day that belong to no slice yet; again after lists among them, which show what the others are about. */
  async function retryLeftOver(): Promise<void> {
    for (let pass = 0; isRetryDue && pass < mostPasses && !stopping.signal.aborted; pass += 1) {
      isRetryDue = false;
      feeder.forget();
      const day = dayOfAnswer(clock.now());
      for (const call of await feeder.leftOver(day))
        await feed(call, day, () => {
          isRetryDue = true;
        });
    }
    // a list that stays left over is another process's
    isRetryDue = false;
  }

  add(retryLeftOver);
  return {
    add,
    feed: (call, fetchedAt) => {
      const day = dayOfAnswer(fetchedAt);
      waiting += 1;
      add(async () => {
        await feed(call, day, retryLater).catch(noteFailure);
        waiting -= 1;
        // once for many answers
        if (waiting === 0) await retryLeftOver();
      });
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await retrySoon;
      await working;
      await Promise.all(behindReplay.values());
    },
  };
}
