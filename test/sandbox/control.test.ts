import { expect, test } from "vitest";
import { lumi, open, yesterday } from "./open.ts";

const ranking = `/iosstore-keyword-ranking/${lumi.ios}/US/keywordrankings?keywords=notes`;
const put = (settings: unknown) => ({ method: "PUT", body: JSON.stringify(settings), token: null }) as const;

test("the log is read and cleared over HTTP", async () => {
  await using api = await open();
  await api.ask(ranking);
  expect((await api.ask("/_sandbox/log", { token: null })).json).toEqual(api.sandbox.log());
  expect((await api.ask("/_sandbox/log", { method: "DELETE", token: null })).status).toBe(204);
  expect(api.sandbox.log()).toEqual([]);
});

test("settings change while it runs, and what is not named stays", async () => {
  await using api = await open({ dateForm: "local" });
  expect((await api.ask("/_sandbox/settings", put({ today: "2026-08-30" }))).status).toBe(204);
  expect((await api.ask(`${ranking}&date=2026-08-29`)).status).toBe(200);
  expect(
    (await api.ask(`/iosstore-keyword-ranking/${lumi.ios}/US/IPAD/organic-keywords?date=${yesterday}`)).json,
  ).toMatchObject({ date: "2026-08-19T00:00:00" });
});

test("faults and the rate limit are set over HTTP, and taken back", async () => {
  await using api = await open();
  await api.ask(
    "/_sandbox/settings",
    put({ faults: [{ kind: "status", status: 503, times: 9 }], rateLimit: { perSecond: 1, burst: 1 } }),
  );
  expect([(await api.ask(ranking)).status, (await api.ask(ranking)).status]).toEqual([503, 429]);
  await api.ask("/_sandbox/settings", put({ faults: [], rateLimit: null }));
  expect([(await api.ask(ranking)).status, (await api.ask(ranking)).status]).toEqual([200, 200]);
});

test.each([
  ["an unknown key", { tomorrow: 1 }, "tomorrow"],
  ["an unknown key of a fault", { faults: [{ kind: "cut", times: 1, often: true }] }, "often"],
  ["a day that is none", { today: "2026-13-01" }, "YYYY-MM-DD"],
  ["an unknown kind of fault", { faults: [{ kind: "fire", times: 1 }] }, "faults[0].kind"],
])("settings with %s are refused with a message that says so", async (_, settings, says) => {
  await using api = await open();
  const reply = await api.ask("/_sandbox/settings", put(settings));
  expect(reply.status).toBe(400);
  expect(reply.json).toMatchObject({ message: expect.stringContaining(says) });
});

test("the account is reported and spent over HTTP", async () => {
  await using api = await open();
  const spent = await api.ask("/_sandbox/spend", { method: "POST", body: '{"credits":40}', token: null });
  expect(spent.json).toEqual({ total: 100_000, remaining: 99_960, resetSeconds: 18 * 3600 });
  expect((await api.ask("/_sandbox/account", { token: null })).json).toEqual(api.sandbox.account());
  expect((await api.ask("/_sandbox/spend", { method: "POST", body: '{"credits":"all"}', token: null })).status).toBe(
    400,
  );
});

test("control paths cost nothing and are not logged", async () => {
  await using api = await open({ rateLimit: { perSecond: 1, burst: 1 } });
  for (const path of ["/_sandbox/log", "/_sandbox/account", "/_sandbox/log"])
    expect((await api.ask(path, { token: null })).status).toBe(200);
  expect({ log: api.sandbox.log(), left: api.sandbox.account().remaining }).toEqual({ log: [], left: 100_000 });
});
