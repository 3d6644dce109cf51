import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { reportGoneWorker } from "../../src/cli/gone-worker.ts";
import { systemClock } from "../../src/core/clock.ts";
import { minuteOf } from "../../src/core/words.ts";
import { enterWorker } from "../../src/ledger/workers.ts";
import { besideWorker } from "../support/beside-worker.ts";
import { runCommand, runUntil } from "../support/command.ts";
import { startChild } from "../support/ingest-child.ts";
import { gateAfter, openStage, until } from "../support/ingest-stage.ts";
import { openReceiver, webhookSecret } from "../support/webhook-receiver.ts";

/** Ten requests and more, as lists, countries and devices come to. */
const market = { apps: 2, countries: ["US"], keywordsPerApp: 4 } as const;
const openToday = (options = {}) =>
  openStage({ today: systemClock().today(), market: { apps: 1, countries: ["US"], keywordsPerApp: 2 }, ...options });

/** A dead man's switch on loopback that counts pings. */
async function openSwitch() {
  let pings = 0;
  const server = createServer((request, answer) => {
    if (request.method === "GET" && request.url?.includes(webhookSecret)) pings += 1;
    answer.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${webhookSecret}`,
    pings: () => pings,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("a worker that lives and sends no heartbeats is reported as such", async () => {
  await using stage = await openToday();
  await using app = await stage.open();
  await using _ = await enterWorker(app.warehouse.pool, { kind: "worker", account: "", clock: app.clock });
  await stage.query("update ops.worker set heartbeat_at = heartbeat_at - interval '2 minutes'");
  expect((await runCommand(stage, ["runs"])).stderr).toContain("(the last one has no recent heartbeat)");
});

test("the time since which no worker has run is the one that its last heartbeat has in the ledger, also if the clock of the machine differs", async () => {
  await using stage = await openToday();
  await using app = await stage.open();
  await using _ = await enterWorker(app.warehouse.pool, { kind: "worker", account: "", clock: app.clock });
  await stage.query("update ops.worker set heartbeat_at = heartbeat_at - interval '2 minutes'");
  const [worker] = await stage.query<{ at: Date }>("select heartbeat_at as at from ops.worker");
  const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const ahead = { ...app, clock: { ...app.clock, now: () => app.clock.now() + 20 * 60_000 } };
  await reportGoneWorker(ahead);
  expect(written.mock.calls.join("")).toContain(minuteOf(worker!.at));
});

test("a worker that is killed and leaves none is reported by the next command, in one line, until one runs or is stopped", async () => {
  await using stage = await openToday();
  const reported = async (command = "runs") => {
    const ended = await runCommand(stage, [command]);
    expect(ended.code).toBe(0);
    return ended.stderr;
  };
  const isRunning = async () => (await stage.query("select from ops.worker where stopped_at is null")).length > 0;
  await using worker = startChild(stage, ["worker", "--yes"]);
  await until(isRunning);
  expect(await reported()).toBe("");
  worker.process.kill("SIGKILL");
  await worker.ended;
  expect(await reported()).toMatch(
    /^No worker has run since \d{4}-\d\d-\d\d \d\d:\d\d UTC \(the last one ended as died\).*`storehouse worker` starts one\.\n$/,
  );
  expect(await reported("gaps")).toContain("No worker has run since");
  await besideWorker(stage, { request: { today: systemClock().today() } }, async () => {
    await until(async () => (await stage.query("select from ops.worker where ended_as = 'died'")).length > 0);
    await until(isRunning);
    expect(await reported()).toBe("");
  });
  expect(await reported()).toBe("");
});

test("a worker pings the dead man's switch while all is well, and an API that does not respond is one incident by name", async () => {
  // slices are left when the API stops responding, however fast the worker is
  const gate = gateAfter(8);
  await using stage = await openToday({ clock: gate.clock, latencyMs: gate.latencyMs, market });
  await using receiver = await openReceiver();
  await using dead = await openSwitch();
  // late in the day what is not loaded yet is at risk for a moment as well
  const outages = () =>
    receiver.received.flatMap(({ opened = [] }) => opened).filter(({ kind }) => kind === "api_unavailable");
  const work = async () => {
    await until(() => dead.pings() > 0);
    await until(async () => (await stage.query("select from ops.slice where state = 'loaded'")).length > 4);
    stage.sandbox.set({ faults: [{ kind: "status", status: 503, times: 1_000_000 }] });
    gate.open();
    await until(() => outages().length > 0);
    expect(outages()).toMatchObject([{ kind: "api_unavailable", detail: { error_code: "server_error", at_risk: [] } }]);
    expect(await stage.query("select from ops.api_outage where ended_at is null")).toHaveLength(1);
    stage.sandbox.set({ faults: [] });
    await until(async () => (await stage.query("select from ops.api_outage where ended_at is not null")).length > 0);
  };
  const { stdout, stderr } = await runUntil(stage, ["worker", "--yes"], work, {
    settings: { notify: { check_seconds: 0.5, outage_minutes: 0, format: "json" } },
    variables: { NOTIFY_URL: receiver.url, NOTIFY_PING_URL: dead.url, LOG_LEVEL: "trace" },
  });
  expect(stdout + stderr).not.toContain(webhookSecret);
});
