import { expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { openStage } from "../support/ingest-stage.ts";

test("storehouse credits requests the balance first, which is free", async () => {
  await using stage = await openStage();
  await stage.sync({ request: { datasets: ["tracked_app"] } });
  // another consumer spends from the same account without notifying the ledger
  stage.sandbox.spend(777);
  stage.sandbox.clearLog();
  const ended = await runCommand(stage, ["credits", "--forecast", "--json"]);
  expect(ended.code).toBe(0);
  const { account, forecast } = JSON.parse(ended.stdout) as {
    account: { remaining: number };
    forecast: object;
  };
  expect(forecast).toMatchObject({ outlook: { nights: expect.any(Number) }, error: { nights: 0 } });
  expect(account.remaining).toBe(stage.sandbox.account().remaining);
  expect(stage.sandbox.log()).toMatchObject([{ path: "/api-key", charged: 0 }]);
});

test("storehouse credits reports the last known balance, and says so, when the service does not answer", async () => {
  await using stage = await openStage();
  await stage.sync({ request: { datasets: ["tracked_app"] } });
  const { remaining } = stage.sandbox.account();
  const deaf = { databaseUrl: stage.databaseUrl, sandbox: { url: "http://127.0.0.1:1", token: stage.sandbox.token } };
  const ended = await runCommand(deaf, ["credits", "--json"]);
  expect(ended.code).toBe(0);
  const { stdout, stderr } = ended;
  expect(JSON.parse(stdout)).toMatchObject({ account: { remaining } });
  expect(stderr).toContain("This is the last reported balance");
  // not what becomes of slices that meet the same error
  expect(stderr).toContain("; `storehouse doctor` tests the address and the token, and says what to do\n");
});

test("storehouse credits without address and token says how to set them, and keeps to the last reported balance if there is one", async () => {
  await using stage = await openStage();
  const unset = { databaseUrl: stage.databaseUrl, sandbox: { url: "", token: "" } };
  const text = "api_unset: API_BASE_URL and API_TOKEN are not set; run `storehouse init`, or set both in .env";
  expect(await runCommand(unset, ["credits"])).toMatchObject({ code: 0, stdout: expect.stringContaining(text) });
  await stage.sync({ request: { datasets: ["tracked_app"] } });
  const known = await runCommand(unset, ["credits"]);
  expect(known).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^ *total +left/) });
  expect(known.stdout).not.toContain("api_unset");
});

test("storehouse credits with a token that was never accepted says that no balance is known, and of no last one", async () => {
  await using stage = await openStage();
  const refused = { databaseUrl: stage.databaseUrl, sandbox: { url: stage.sandbox.url, token: "another" } };
  const { code, stdout, stderr } = await runCommand(refused, ["credits"]);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^The balance is not known: the ledger has none, and it cannot be checked now: unauthorised: /,
  );
  expect(stdout).not.toContain("has not reported the balance");
});
