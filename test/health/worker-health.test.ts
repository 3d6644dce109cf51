import { createServer, type AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { runCommand, runUntil } from "../support/command.ts";
import { startChild, type Child } from "../support/ingest-child.ts";
import { openStage, until, type Stage } from "../support/ingest-stage.ts";
import { readExposition, type Family } from "../support/exposition.ts";
import { openReceiver, webhookSecret } from "../support/webhook-receiver.ts";
import { long } from "../support/long.ts";

/** A stage on the day that the machine's clock shows, as a worker's planner goes by it. */
const openToday = () =>
  openStage({
    today: systemClock().today(),
    market: { apps: 1, countries: ["JP"], keywordsPerApp: 3, organicKeywords: 1 },
  });

/** Lines of a worker's log so far. */
function linesOf(output: Child["output"]): readonly Record<string, unknown>[] {
  return output()
    .stderr.split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A worker whose health server has a port of its own choice. */
function watched(
  settings: { check_seconds?: number; port?: number; datasets?: Record<string, { on: boolean }> } = {},
  variables: Record<string, string> = {},
) {
  const { check_seconds = 0.4, port = 0, datasets = {} } = settings;
  return {
    settings: { health: { port }, notify: { format: "json" as const, check_seconds }, datasets },
    variables: { LOG_LEVEL: "info", ...variables },
  };
}

const worker = ["worker", "--yes"];

async function portOf(output: Child["output"]): Promise<number> {
  const listening = () => linesOf(output).find(({ msg }) => msg === "health.listening");
  await until(() => listening() !== undefined);
  return Number(listening()?.["port"]);
}

async function get(port: number, path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, text: await answer.text() };
}

async function ready(port: number): Promise<{ ready: boolean; failing: string[] }> {
  const { text } = await get(port, "/readyz");
  const answer = JSON.parse(text) as { ready: boolean; checks: { check: string; ok: boolean; next: string | null }[] };
  for (const { ok, next } of answer.checks) expect(next === null).toBe(ok);
  return { ready: answer.ready, failing: answer.checks.filter(({ ok }) => !ok).map(({ check }) => check) };
}

async function checkOf(port: number, name: string): Promise<{ found: string } | undefined> {
  const answer = JSON.parse((await get(port, "/readyz")).text) as { checks: { check: string; found: string }[] };
  return answer.checks.find(({ check }) => check === name);
}

const scrape = async (port: number) => readExposition((await get(port, "/metrics")).text);

function valueOf(families: readonly Family[], name: string, labels: Record<string, string> = {}): number | undefined {
  const samples = families.find((family) => family.name === name)?.samples ?? [];
  return samples.find((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))?.value;
}

const ranksLoaded = (stage: Stage) => async () =>
  (await stage.query("select from ops.slice where dataset = 'keyword_rank' and state = 'loaded' limit 1")).length ===
    1 && (await stage.query("select from ops.slice where state in ('pending', 'running') limit 1")).length === 0;

describe("a worker with a health server", () => {
  test("lives on the next port where its own is taken; is not ready, and says why, while the token is refused, notifies once that it opened and that it closed; then is ready until a newer version has migrated its database, and shows all figures in the format of Prometheus", async () => {
    await using receiver = await openReceiver();
    await using stage = await openToday();
    stage.sandbox.set({ faults: [{ times: 1_000_000, kind: "empty-401" }] });
    await using stack = new AsyncDisposableStack();
    const other = stack.adopt(
      createServer(),
      (server) => new Promise<void>((resolve) => server.close(() => resolve())),
    );
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const taken = (other.address() as AddressInfo).port;
    const options = watched({ port: taken }, { NOTIFY_URL: receiver.url });
    const { code, stderr } = await runUntil(stage, worker, (output) => look(output), options);
    expect(code).toBe(0);
    expect(stderr).not.toContain(webhookSecret);

    async function look(output: Child["output"]): Promise<void> {
      const port = await portOf(output);
      expect(port).toBeGreaterThan(taken);
      expect(linesOf(output).map(({ msg }) => msg)).toContain("health.port_taken");
      expect(await get(port, "/healthz")).toEqual({ status: 200, text: '{"alive":true}' });
      await until(() => receiver.received.length > 0);
      expect(receiver.received[0]?.opened).toMatchObject([
        { kind: "requests_stopped", detail: { error_code: "unauthorised" } },
      ]);
      await until(async () => (await ready(port)).failing.includes("token"));
      expect((await get(port, "/readyz")).status).toBe(503);
      expect((await get(port, "/healthz")).status).toBe(200);
      stage.sandbox.set({ faults: [] });
      await stage.query("update ops.account_stop set lifted_at = now()");
      await until(() => receiver.received.some(({ closed = [] }) => closed.length > 0));
      expect(receiver.received.flatMap(({ opened = [] }) => opened)).toHaveLength(1);

      await until(async () => (await ready(port)).ready);
      await until(ranksLoaded(stage));
      const { text } = await get(port, "/metrics");
      const families = readExposition(text);
      const own = families.filter(({ name }) => name.startsWith("storehouse_"));
      // nobody has called a gateway
      expect(own.filter(({ samples }) => samples.length === 0).map(({ name }) => name)).toEqual([
        "storehouse_gateway_calls",
        "storehouse_gateway_credits",
      ]);
      expect(valueOf(families, "storehouse_database_up")).toBe(1);
      expect(valueOf(families, "storehouse_worker_state", { state: "running" })).toBe(1);
      expect(valueOf(families, "storehouse_workers", { kind: "worker" })).toBe(1);
      expect(
        valueOf(families, "storehouse_requests_total", { operation: "ios.keyword-ranking", outcome: "ok" }),
      ).toBeGreaterThan(0);
      const [left] = await stage.query<{ remaining: number }>("select remaining from ops.credit_account");
      expect(valueOf(families, "storehouse_credits_left")).toBe(left?.remaining);
      // nothing that grows without end, nothing that is secret
      const labels = new Set(own.flatMap(({ samples }) => samples.flatMap((sample) => Object.keys(sample.labels))));
      expect([...labels].sort()).toEqual(["class", "dataset", "kind", "le", "operation", "outcome", "state", "status"]);
      for (const secret of [stage.sandbox.token, stage.sandbox.url, stage.databaseUrl])
        expect(text).not.toContain(secret);
      expect((await get(port, "/")).status).toBe(404);
      await until(() => linesOf(output).some(({ msg }) => msg === "requests.sent"));
      // a night has thousands of slices: at the level info none has a line of its own
      expect(linesOf(output).filter((line) => "slice_id" in line)).toEqual([]);
      await stage.query("insert into ops.migration values ('9999-later', now())");
      expect((await ready(port)).failing).toEqual(["migrations"]);
    }
  });

  test("answers while the database does not respond, and says so", async () => {
    await using stage = await openToday();
    const options = watched({}, { DATABASE_URL: "postgres://nobody:pw@127.0.0.1:9/none" });
    const look = async (output: Child["output"]) => {
      const port = await portOf(output);
      expect((await get(port, "/healthz")).status).toBe(200);
      await until(async () => (await checkOf(port, "database"))?.found.startsWith("database_unreachable") === true);
      expect((await ready(port)).failing).toEqual(["database", "migrations", "rights", "clock", "heartbeat", "token"]);
      expect(await checkOf(port, "token")).toMatchObject({ found: "unknown: the database does not respond" });
      const families = await scrape(port);
      expect(valueOf(families, "storehouse_database_up")).toBe(0);
      expect(families.find(({ name }) => name === "storehouse_slices")?.samples).toEqual([]);
      expect(families.find(({ name }) => name === "storehouse_credits_left")?.samples).toEqual([]);
    };
    expect(await runUntil(stage, worker, look, options)).toMatchObject({ code: 0 });
  });
});

test.runIf(long)(
  "two workers of one machine answer on two ports, and notify an incident once between them, over a restart too",
  async () => {
    await using receiver = await openReceiver();
    await using stage = await openToday();
    stage.sandbox.set({
      faults: [
        {
          operation: "ios.keyword-ranking",
          contains: "JP",
          times: 1_000_000,
          kind: "status",
          status: 200,
          body: '{"other":1}',
        },
      ],
    });
    const variables = { NOTIFY_URL: receiver.url };
    await using first = startChild(stage, worker, watched({}, variables));
    const port = await portOf(first.output);
    await using second = startChild(stage, worker, watched({ port }, variables));
    const other = await portOf(second.output);
    expect(other).toBeGreaterThan(port);
    expect(linesOf(second.output).map(({ msg }) => msg)).toContain("health.port_taken");
    // late in the day (UTC) snapshots are at risk as well
    const openedSoFar = () => receiver.received.flatMap(({ opened: list = [] }) => list);
    await until(() => openedSoFar().some(({ kind }) => kind === "slices_failed"));
    // killed before it is recorded, the message would be repeated rather than lost
    await until(async () => (await stage.query("select from ops.incident where notified_at is null")).length === 0);
    first.process.kill("SIGKILL");
    await first.ended;
    await using third = startChild(stage, worker, watched({}, variables));
    await until(async () => (await ready(await portOf(third.output))).ready);
    const checkedAt = async () =>
      (await stage.query<{ at: string }>("select checked_at::text as at from ops.watch_check where account_id = ''"))[0]
        ?.at;
    for (let check = 0; check < 2; check += 1) {
      const before = await checkedAt();
      await until(async () => (await checkedAt()) !== before);
    }
    const failed = openedSoFar().filter(({ kind }) => kind === "slices_failed");
    expect(failed.map(({ subject }) => subject)).toEqual(["keyword_rank unknown_shape"]);
  },
);

test("a worker whose health server cannot have its address says so and ends", async () => {
  await using stage = await openToday();
  const ended = await runCommand(stage, worker, {
    settings: { health: { host: "203.0.113.1", port: 0 } },
  });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toContain("health_not_listening: the health server cannot listen on 203.0.113.1");
});
