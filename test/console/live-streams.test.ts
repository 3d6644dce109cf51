import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { BackgroundRuns } from "../../src/console/background-runs.ts";
import { createLiveStreams } from "../../src/console/live-streams.ts";
import type { Clock } from "../../src/core/clock.ts";
import type { Database } from "../../src/postgres/database.ts";

/** Streams over a clock that goes on when a test says so, and a ledger in a state that a test sets; undefined where the database does not answer. */
function stage(state?: string) {
  const ledger = { state };
  const db: Pick<Database, "run"> = {
    run: () => (ledger.state === undefined ? Promise.reject(new Error("away")) : Promise.resolve({ rows: [ledger] })),
  };
  let turn = Promise.withResolvers<void>();
  const clock = {
    time: 1_000_000,
    now: () => clock.time,
    sleep: (_ms: number, signal: AbortSignal) =>
      Promise.race([turn.promise, new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()))]),
  };
  const due = { again: false };
  const streams = createLiveStreams({
    db: db as Database,
    clock: clock as unknown as Clock,
    runs: { latest: () => null } as unknown as BackgroundRuns,
    changed: () => undefined,
    isDueAgain: () => due.again,
    patienceMs: 60_000,
  });
  return {
    streams,
    due,
    ledger,
    later: async (ms: number) => {
      clock.time += ms;
      const { resolve } = turn;
      turn = Promise.withResolvers();
      resolve();
      await settled();
    },
  };
}

/** Until a poll has ended. */
const settled = () => new Promise(setImmediate);

/** What a stream was written since it was read last. */
const said = (stream: PassThrough) => String(stream.read() ?? "");
const changed = "event: ledger\ndata: 1\n\n";

const listener = { since: 0, countedFor: "ann", isAllowed: () => true };

test("one visitor has ten streams at most, and others are not concerned", async () => {
  const { streams } = stage();
  await using _ = streams;
  const first = new PassThrough();
  expect(streams.add(first, listener)).toBe(true);
  for (let more = 0; more < 9; more += 1) expect(streams.add(new PassThrough(), listener)).toBe(true);
  expect([streams.isFull("ann"), streams.add(new PassThrough(), listener)]).toEqual([true, false]);
  expect([streams.isFull("bob"), streams.add(new PassThrough(), { ...listener, countedFor: "bob" })]).toEqual([
    false,
    true,
  ]);
  first.destroy();
  await new Promise(setImmediate);
  expect(streams.isFull("ann")).toBe(false);
});

test("a stream ends when its session is over, and is kept open by a comment until then", async () => {
  const { streams, later } = stage();
  await using _ = streams;
  const stream = new PassThrough();
  let isAllowed = true;
  streams.add(stream, { ...listener, isAllowed: () => isAllowed });
  await settled();
  expect(said(stream)).toBe(changed);
  await later(16_000);
  expect(said(stream)).toBe(": here\n\n");
  await later(2_000);
  expect([stream.read(), stream.writableEnded]).toEqual([null, false]);
  isAllowed = false;
  await later(2_000);
  expect(stream.writableEnded).toBe(true);
});

test("pages that were shown what is past are reported to again when they may have it anew", async () => {
  const { streams, due, later } = stage();
  await using _ = streams;
  const stream = new PassThrough();
  streams.add(stream, listener);
  await settled();
  expect(said(stream)).toBe(changed);
  await later(2_000);
  expect(said(stream)).toBe("");
  due.again = true;
  await later(2_000);
  expect(String(stream.read())).toContain("event: ledger");
});

test("pages are read again after a while in which nothing happened: time alone makes data late", async () => {
  const { streams, later } = stage("1");
  await using _ = streams;
  const stream = new PassThrough();
  streams.add(stream, listener);
  await settled();
  expect(said(stream)).toBe(changed);
  const received = [];
  // a clock that is set back shows nothing of how long that was
  for (const minutes of [9, 1, 9, -60, 1]) {
    await later(minutes * 60_000);
    received.push(said(stream).includes(changed));
  }
  expect(received).toEqual([false, true, false, true, false]);
});

test("pages are reported to once where the database does not answer, so that they say how old they are, and when it answers again", async () => {
  const { streams, ledger, later } = stage("1");
  await using _ = streams;
  const stream = new PassThrough();
  streams.add(stream, listener);
  await settled();
  expect(said(stream)).toBe(changed);
  const received = [];
  for (const state of [undefined, undefined, "1", "1"]) {
    ledger.state = state;
    await later(2_000);
    received.push(said(stream));
  }
  expect(received).toEqual([changed, "", changed, ""]);
});

test("who listens first after a while hears of a change alone", async () => {
  const { streams, ledger, later } = stage("1");
  await using _ = streams;
  for (const [state, says] of [
    ["1", changed],
    ["1", ""],
    ["2", changed],
  ] as const) {
    ledger.state = state;
    const stream = new PassThrough();
    streams.add(stream, { ...listener, since: streams.seen() });
    await settled();
    expect(said(stream)).toBe(says);
    stream.destroy();
    await settled();
    await later(2_000);
  }
});
