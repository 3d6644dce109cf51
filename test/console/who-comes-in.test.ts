import { beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { pages } from "../../src/console/pages/all.ts";
import type { Console } from "../../src/console/server.ts";
import { clientOf, openConsoleStage, operatorPassword, withPasswords } from "../support/console-stage.ts";
import { today } from "../support/ingest-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openConsoleStage);
let served: Console;

beforeAll(async () => {
  served = await stage.start(withPasswords);
});

describe("who comes in", () => {
  test("nobody without a password: each page leads to sign-in, each action and the stream are refused", async () => {
    const stranger = clientOf(served);
    for (const { examples } of pages)
      for (const address of examples) {
        const { status, headers } = await stranger.get(address);
        expect([address, status, headers.get("location")]).toEqual([
          address,
          303,
          `/sign-in?to=${encodeURIComponent(address)}`,
        ]);
      }
    expect((await stranger.get("/live")).status).toBe(401);
    expect((await stranger.post("/actions/retry", {})).status).toBe(401);
  });

  test("a form of a session that ended with an earlier console says that nobody is signed in, with a link back to its page", async () => {
    // this console does not know its cookie, as if there was none
    const { status, text } = await clientOf(served).post("/actions/retry", { slices: "1", back: "/runs?show=failed" });
    expect(status).toBe(401);
    expect(text).toContain('href="/sign-in?to=%2Fruns%3Fshow%3Dfailed"');
    expect(text).toContain("Nobody is signed in");
  });

  test("nobody with a wrong one, nor as often as they like", async () => {
    const stranger = clientOf(await stage.start(withPasswords));
    const { status, text } = await stranger.signIn("wrong password");
    expect([status, text]).toEqual([401, expect.stringContaining("the name or the password is wrong")]);
    expect((await stranger.get("/")).status).toBe(303);
    // a person may have typed the password as the name
    await stranger.signIn("Ann", operatorPassword);
    const [refused] = await stage.stage.query(
      "select user_name, user_role, signed_in_by, outcome from ops.audit order by audit_id desc limit 1",
    );
    expect(refused).toEqual({ user_name: "unknown", user_role: null, signed_in_by: "password", outcome: "refused" });
    const statuses = [];
    for (let tries = 0; tries < 12; tries += 1) statuses.push((await stranger.signIn("wrong password")).status);
    expect(statuses.at(-1)).toBe(429);
  });

  test("a session that was signed out is over, in every copy of its cookie", async () => {
    const signedIn = clientOf(served);
    await signedIn.signIn(operatorPassword, "Olga");
    const copy = { headers: { cookie: signedIn.cookie() }, redirect: "manual" } as const;
    expect((await fetch(served.url, copy)).status).toBe(200);
    await signedIn.get("/");
    expect((await signedIn.post("/sign-out", {})).status).toBe(303);
    expect((await fetch(served.url, copy)).status).toBe(303);
    const visits = await stage.stage.query(
      "select user_name, user_role, action, outcome, ended_at is not null as has_ended from ops.audit order by audit_id desc limit 2",
    );
    const visit = { user_name: "Olga", user_role: "operator", outcome: "done", has_ended: true };
    expect(visits).toEqual([
      { ...visit, action: "sign-out" },
      { ...visit, action: "sign-in" },
    ]);
  });

  test("a session ends after twelve hours, and its cookie goes to this console alone", async () => {
    const clock = { ...systemClock(today), now: () => time };
    let time = Date.now();
    const short = await stage.start({ ...withPasswords, clock });
    const signedIn = clientOf(short);
    const [session = ""] = (await signedIn.signIn(operatorPassword)).headers.getSetCookie();
    expect(session).toMatch(/^storehouse_session_\d+=/);
    expect(session.split("; ").slice(1).sort()).toEqual(["HttpOnly", "Path=/", "SameSite=Strict"]);
    // cookies are sent to all ports of a machine
    expect(session).toContain(`_${short.port}=`);
    time += 12 * 3_600_000 - 1;
    expect((await signedIn.get("/runs")).status).toBe(200);
    time += 1;
    expect((await signedIn.get("/runs")).status).toBe(303);
  });

  test("nobody is signed out by a form that was forged, or made before they signed in, or sent by a page of another site", async () => {
    const signedIn = clientOf(served);
    const before = /name="_csrf" value="([^"]+)"/.exec((await signedIn.get("/sign-in")).text)?.[1] ?? "";
    await signedIn.post("/sign-in", { name: "Ann", password: operatorPassword });
    const own = /name="_csrf" value="([^"]+)"/.exec((await signedIn.get("/")).text)?.[1] ?? "";
    for (const _csrf of ["forged", before]) expect((await signedIn.post("/sign-out", { _csrf })).status).toBe(403);
    const body = new URLSearchParams({ _csrf: own }).toString();
    const type = "application/x-www-form-urlencoded";
    const { origin } = new URL(served.url);
    for (const [headers, status] of [
      [{ origin: "http://evil.example" }, 403],
      [{ origin: "null" }, 403],
      [{ origin, "sec-fetch-site": "same-site" }, 403],
      [{ origin }, 303],
    ] as const) {
      const sent = { "content-type": type, cookie: signedIn.cookie(), ...headers };
      const answer = await fetch(new URL("/sign-out", served.url), {
        method: "POST",
        headers: sent,
        body,
        redirect: "manual",
      });
      expect([headers, answer.status]).toEqual([headers, status]);
    }
  });

  test.each(["//evil.example", "/\\evil.example", "/\t/evil.example", "https://evil.example/"])(
    "sign-in leads to no other site: %j",
    async (to) => {
      const answer = await clientOf(served).get(`/sign-in?${new URLSearchParams({ to }).toString()}`);
      expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    },
  );

  test("a session that a visitor made up is none", async () => {
    const session = Buffer.from(JSON.stringify({ name: "x", role: "operator", until: 9e15 })).toString("base64url");
    const answer = await fetch(served.url, {
      headers: { cookie: `storehouse_session_${served.port}=${session}.${"A".repeat(43)}` },
      redirect: "manual",
    });
    expect(answer.status).toBe(303);
  });

  test("other machines only where a password is set", async () => {
    await expect(stage.start({ host: "0.0.0.0" })).rejects.toMatchObject({ code: "console_needs_password" });
    const open = await stage.start({ host: "0.0.0.0", ...withPasswords });
    expect((await clientOf(open).get("/")).status).toBe(303);
  });

  test("without a password this machine alone, by its own name: a page of another site does not get in by a name of its own", async () => {
    const open = await stage.start();
    expect((await clientOf(open).get("/")).status).toBe(200);
    const rebound = await new Promise<number>((resolve) => {
      void import("node:http").then(({ get }) =>
        get(open.url, { headers: { host: "evil.example" } }, ({ statusCode }) => resolve(statusCode ?? 0)),
      );
    });
    expect(rebound).toBe(403);
  });

  test.each(["Forwarded", "X-Forwarded-For", "X-Real-IP", "Via"])(
    "nor whom a reverse proxy on this machine lets in without a password: %s",
    async (name) => {
      const open = clientOf(await stage.start());
      const forwarded = await open.get("/", { [name]: "for=10.1.2.3" });
      expect([forwarded.status, forwarded.text]).toEqual([403, expect.stringContaining("console_host")]);
      expect((await open.get("/")).status).toBe(200);
    },
  );

  test("whom the reverse proxy names, from its address and only where it is set", async () => {
    const header = { "x-forwarded-user": "ann@example.com" };
    const proxy = { user_header: "X-Forwarded-User", operators: ["ann@example.com"] };
    const behind = clientOf(await stage.start({ settings: { console: { proxy } } }));
    expect((await behind.get("/", header)).text).toContain('ann@example.com</span> <span class="muted">operator');
    expect((await behind.get("/", { "x-forwarded-user": "bob" })).text).toContain(
      'bob</span> <span class="muted">viewer',
    );
    expect((await behind.get("/")).status).toBe(401);
    const elsewhere = { ...proxy, addresses: ["10.0.0.1"] };
    const spoofed = clientOf(await stage.start({ settings: { console: { proxy: elsewhere } } }));
    expect((await spoofed.get("/", header)).status).toBe(401);
    expect((await clientOf(served).get("/", header)).status).toBe(303);
  });

  test("a reverse proxy that only speaks TLS names nobody: a password signs in, and its cookie is for https", async () => {
    const proxied = clientOf(await stage.start({ ...withPasswords, settings: { console: { proxy: {} } } }));
    expect((await proxied.get("/", { "x-forwarded-user": "ann@example.com" })).status).toBe(303);
    const { headers } = await proxied.get("/sign-in", { "x-forwarded-proto": "https", "x-forwarded-for": "10.9.8.7" });
    expect(headers.getSetCookie().join()).toContain("Secure");
    expect((await proxied.signIn(operatorPassword)).status).toBe(303);
    const nobody = stage.start({ settings: { console: { proxy: {} } } });
    await expect(nobody).rejects.toMatchObject({ code: "console_nobody_in" });
  });
});
