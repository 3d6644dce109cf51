import pg from "pg";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import type { Console } from "../../src/console/server.ts";
import {
  clientOf,
  openConsoleStage,
  operatorPassword,
  untilShown,
  withPasswords,
  type Client,
} from "../support/console-stage.ts";
import { tried } from "../support/granted-stage.ts";
import { today } from "../support/ingest-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openConsoleStage);
let served: Console;
let ann: Client;
let bob: Client;

beforeAll(async () => {
  served = await stage.start(withPasswords);
  [ann, bob] = [clientOf(served), clientOf(served)];
  await ann.signIn(operatorPassword, "Ann");
  await bob.signIn(operatorPassword, "Bob");
});
afterEach(() => stage.stage.sandbox.set({ faults: [] }));

/** Waits until the last action of a name has ended. */
async function ended(action: string): Promise<void> {
  await untilShown(async () => String((await stage.lastDeed(action))?.["has_ended"]), /true/);
}

const failing = (kind: "status" | "stall") =>
  stage.stage.sandbox.set({
    faults: [{ operation: "ios.keyword-ranking", contains: addDays(today, -2), times: 100, kind }],
  });

/** Retries the slice that failed, as a person agrees to it. */
async function retryFailed(): Promise<void> {
  const slices = await stage.failedSlice();
  await ann.get(`/slices/${slices}`);
  expect((await ann.post("/actions/retry", { slices, agreed: "3" })).status).toBe(303);
}

describe("an action that starts a run", () => {
  test("is on record as started while the run goes on, and as done with what came of it once a person has stopped it", async () => {
    failing("stall");
    await retryFailed();
    await untilShown(async () => (await ann.get("/runs")).text, /id="running"[^]*under way/);
    expect(await stage.lastDeed("retry")).toMatchObject({
      user_name: "Ann",
      outcome: "started",
      note: "Retry of 1 slice has started and costs at most 3 credits.",
      has_ended: false,
    });
    const { text } = await bob.get("/runs");
    expect(text).toContain('action="/actions/stop"');
    const started = /name="started" value="(\d+)"/.exec(text)?.[1] ?? "";
    // an earlier run is none that runs now
    expect((await bob.post("/actions/stop", { started: String(Number(started) - 1) })).status).toBe(400);
    expect((await bob.post("/actions/stop", { started })).status).toBe(303);
    await ended("retry");
    expect(await stage.lastDeed("retry")).toMatchObject({
      outcome: "done",
      note: expect.stringMatching(
        /^Run \d+ ended as interrupted: 0 of 1 slice loaded, 1 failed again, \d credits? spent\.$/,
      ),
      has_ended: true,
    });
    expect(await stage.lastDeed("stop")).toMatchObject({
      user_name: "Bob",
      outcome: "done",
      subject: '{"what":"Retry of 1 slice"}',
      has_ended: true,
    });
    // no worker goes on with what was stopped, and what it might have spent is on record
    expect(await stage.failedSlice()).not.toBe("");
    expect(await stage.stage.query("select max_credits from ops.run where kind = 'retry'")).toEqual([
      { max_credits: 3 },
    ]);
  });

  test("is on record as failed where the run failed", async () => {
    failing("status");
    await retryFailed();
    await ended("retry");
    expect(await stage.lastDeed("retry")).toMatchObject({
      outcome: "failed",
      note: expect.stringMatching(/^Run \d+ ended as failed: 0 of 1 slice loaded, 1 failed, 0 credits spent\./),
    });
    expect((await ann.get("/audit")).text).toMatch(/ended as failed: 0 of 1 slice/);
  });
});

test("the page of actions says where it ends, and has a link to older ones", async () => {
  const found = async (address: string) => {
    const { text } = await ann.get(address);
    return {
      rows: text.match(/<tr/g)?.length ?? 0,
      older: /href="(\/audit[^"]*before[^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&"),
    };
  };
  const [{ all }] = (await stage.stage.query("select count(*)::int as all from ops.audit")) as [{ all: number }];
  const first = await found(`/audit?limit=${all - 1}`);
  expect(first).toEqual({ rows: all, older: expect.any(String) });
  expect(await found(first.older ?? "")).toEqual({ rows: 2, older: undefined });
});

test("what a killed console left unfinished is settled by the next one: by how the run ended, or as failed where it was broken off", async () => {
  const { query } = stage.stage;
  const reopen = "update ops.audit set outcome = 'started', note = '', ended_at = null where action = 'retry'";
  await query(reopen);
  const [run] = await query<{ run_id: string }>(
    "select run_id::text from ops.audit where action = 'retry' order by audit_id desc limit 1",
  );
  await stage.start(withPasswords);
  expect(await stage.lastDeed("retry")).toMatchObject({
    outcome: "failed",
    note: `Run ${run?.run_id} ended as failed.`,
    has_ended: true,
  });
  await query(reopen);
  await query("update ops.run set ended_at = null, outcome = null where run_id = $1", [run?.run_id]);
  await stage.start(withPasswords);
  expect(await stage.lastDeed("retry")).toMatchObject({
    outcome: "failed",
    note: `Its process no longer runs: workers continue with the rest of run ${run?.run_id}.`,
  });
  await query("update ops.run set ended_at = now(), outcome = 'failed' where run_id = $1", [run?.run_id]);
});

test("an action that was carried out does not count as failed where its outcome cannot be recorded", async () => {
  await tried(stage.granted.adminUrl, "revoke update on ops.audit from storehouse_loader");
  try {
    failing("status");
    await retryFailed();
    await untilShown(async () => (await ann.get("/runs")).text, /id="running"[^]*See the run/);
    expect(await stage.lastDeed("retry")).toMatchObject({ outcome: "begun", has_ended: false });
  } finally {
    await tried(stage.granted.adminUrl, "grant update on ops.audit to storehouse_loader");
  }
});

test("a price is read for as long as a page is, and no longer", async () => {
  const hasty = clientOf(await stage.start({ ...withPasswords, settings: { console: { timeout_seconds: 2 } } }));
  await hasty.signIn(operatorPassword);
  const slices = await stage.failedSlice();
  await hasty.get(`/slices/${slices}`);
  const holding = new pg.Client({ connectionString: stage.granted.adminUrl });
  await holding.connect();
  try {
    await holding.query("begin; lock table ops.slice in access exclusive mode");
    expect((await hasty.post("/actions/retry", { slices })).status).toBe(503);
  } finally {
    await holding.end();
  }
});

test("nobody is let in of whom there is no record", async () => {
  await tried(stage.granted.adminUrl, "revoke insert on ops.audit from storehouse_loader");
  const stranger = clientOf(served);
  try {
    expect((await stranger.signIn(operatorPassword)).status).toBe(500);
    expect(stranger.cookie()).not.toContain("storehouse_session");
  } finally {
    await tried(stage.granted.adminUrl, "grant insert on ops.audit to storehouse_loader");
  }
  expect((await stranger.get("/")).status).toBe(303);
  expect((await stranger.signIn(operatorPassword)).status).toBe(303);
});

test("the title of a page about one of many names it", async () => {
  const titleOf = async (address: string) => /<title>(.*) · /.exec((await ann.get(address)).text)?.[1];
  expect(await titleOf("/runs/1")).toBe("Run 1");
  expect(await titleOf("/slices/1")).toBe("Slice 1");
  expect(await titleOf("/slices/1/answer")).toBe("Stored answer of slice 1");
  expect(await titleOf("/runs")).toBe("Runs");
});
