import { expect, test } from "vitest";
import { givenAway, tablesWithCanary, token } from "../support/canary.ts";
import { runCommand, runUntil } from "../support/command.ts";
import { syncCommand } from "../support/ingest-child.ts";
import { openProxy, type Passing } from "../support/ingest-proxy.ts";
import { openStage, until } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";
import { openReceiver } from "../support/webhook-receiver.ts";

/** Returns the caller's token to it wherever an answer has room. */
function echo(passing: Passing, seen: Set<string>): void {
  const path = passing.target.split("?")[0] ?? "";
  passing.headers["x-echo"] = encodeURIComponent(token);
  passing.headers["x-request-url"] = passing.target;
  const again = seen.has(path);
  seen.add(path);
  if (!again && path.endsWith("/count-by-country")) {
    passing.status = 302;
    passing.headers["location"] = passing.target;
    passing.body = `<a href="${passing.target}">moved</a>`;
  } else if (passing.status !== 200) {
    passing.body = JSON.stringify({ path: passing.target, message: `the token ${token} is not welcome` });
  } else if (!again && path.includes("/JP/")) {
    passing.body = JSON.stringify({ success: false, message: `${token} or ${encodeURIComponent(token)}`, data: [] });
  } else if (passing.body.startsWith("[")) {
    const entries = JSON.parse(passing.body) as Record<string, unknown>[];
    const form = new URLSearchParams({ token }).toString();
    for (const entry of entries) Object.assign(entry, { [`by ${token}`]: passing.target, form });
    passing.body = JSON.stringify([...entries, { keyword: token, date: 0, rank: token, trackId: 1 }]);
  }
}

/** An iOS and an Android app in two countries: the answers for the second one refuse once. */
const market = { apps: 2, keywordsPerApp: 6, organicKeywords: 4 };

test("the token turns up nowhere: not in a table, an answer that was kept or an output", async () => {
  await using stage = await openStage({ market, accounts: [{ token, total: 100_000, periodHours: 24 }] });
  const seen = new Set<string>();
  await using proxy = await openProxy(stage.sandbox, (passing) => echo(passing, seen));
  stage.sandbox.set({
    faults: [
      { operation: "dashboard.apps", times: 1, kind: "status" },
      { operation: "dashboard.daily-keyword-rankings", times: 1, kind: "cut" },
      { operation: "ios.keyword-ranking", times: 2, kind: "not-json", body: `<p>no page for ${token}` },
      { operation: "ios.keyword-ranking", times: 1, kind: "status", status: 418 },
      { operation: "android.keyword-ranking", times: 1, kind: "half" },
    ],
  });
  const behind = { databaseUrl: stage.databaseUrl, sandbox: proxy };
  const variables = { LOG_LEVEL: "trace" };

  const synced = await runCommand(behind, syncCommand, { variables });
  expect(synced.code).toBe(1);
  const reported = await stage.query(
    "select distinct error_code as code from ops.request where error_code is not null",
  );
  expect(reported.map(({ code }) => String(code)).sort()).toEqual(
    expect.arrayContaining(["cut_connection", "unexpected_status", "server_error"]),
  );

  stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 100, kind: "empty-401" }] });
  const refused = await runCommand(behind, ["retry"], { variables });
  expect(refused.code).toBe(2);
  const status = await runCommand(behind, ["status", "--json"], { variables });
  expect(status.code).toBe(0);

  for (const { stdout, stderr } of [synced, refused, status]) {
    expect(stdout + stderr).not.toBe("");
    expect(givenAway(stdout + stderr)).toBe(false);
  }
  // all formats are made of the same records
  for (const format of long ? (["slack", "json"] as const) : (["json"] as const)) {
    await using receiver = await openReceiver();
    await stage.query("truncate ops.incident");
    const isNotified = () => until(() => receiver.received.length > 0);
    const { stdout, stderr } = await runUntil(behind, ["worker", "--yes"], isNotified, {
      variables: { ...variables, NOTIFY_URL: receiver.url },
      settings: { health: { port: 0 }, notify: { format, check_seconds: 0.1 } },
    });
    const bodies = JSON.stringify(receiver.received);
    expect(bodies).toContain("[hidden]");
    expect(givenAway(bodies)).toBe(false);
    expect(givenAway(stdout + stderr)).toBe(false);
  }
  const { found, searched } = await tablesWithCanary(stage);
  expect(found).toEqual([]);
  expect(searched).toBeGreaterThan(500);
  expect(await stage.query("select from ops.drift")).not.toEqual([]);
  expect(await stage.query("select from ops.reject")).not.toEqual([]);
});

test("the search finds a token in every form in which it is stored", async () => {
  await using stage = await openStage();
  const forms = [token, encodeURIComponent(token), JSON.stringify({ token }), Buffer.from(token).toString("base64")];
  for (const form of forms)
    await stage.query("insert into ops.drift values ($1, 'path', 'kind', now(), now(), 1) on conflict do nothing", [
      form,
    ]);
  expect((await tablesWithCanary(stage)).found).toEqual(forms.map(() => "ops.drift"));
});
