import pg from "pg";
import { expect, test } from "vitest";
import { runCommand, runUntil } from "../support/command.ts";
import { callOf, callers } from "../support/gateway-stage.ts";
import { startChild, type Child } from "../support/ingest-child.ts";
import { gateAfter, openStage, until, type RunOptions } from "../support/ingest-stage.ts";

const words = ["one", "two", "three", "four", "five"];
const path = (word: string) => `/iosstore-keyword-ranking/US/keyword-metadata?keyword=${word}`;
const settings: RunOptions["settings"] = {
  gateway: { callers },
  portfolio: { source: "config", apps: [{ id: "1000000001", countries: ["US"], keywords: words }] },
  datasets: { keyword_metadata: { on: true } },
};

async function urlOf(output: Child["output"]): Promise<string> {
  const shown = () => /The gateway is on (\S+)/.exec(output().stdout)?.[1];
  await until(() => shown() !== undefined);
  return shown() ?? "";
}

test("a gateway that is killed has kept what it handed on, pays for nothing twice but what was in flight, and loads the rest later", async () => {
  // the balance check and three answers pass, all else is held
  const gate = gateAfter(4);
  await using stage = await openStage({ clock: gate.clock, latencyMs: gate.latencyMs });
  const made = await runCommand(stage, ["gateway", "--new-key", "notebook"], { settings });
  expect(made.code).toBe(0);
  const key = made.stdout.trim();
  // nothing is loaded while another process imports
  await using importing = new AsyncDisposableStack();
  const other = importing.adopt(new pg.Client({ connectionString: stage.databaseUrl }), (client) => client.end());
  await other.connect();
  await other.query("begin; select pg_advisory_xact_lock(hashtext('storehouse raw import'))");

  const variables = { LOG_LEVEL: "trace" };
  await using first = startChild(stage, ["gateway", "--port", "0"], { settings, variables });
  const url = await urlOf(first.output);
  for (const word of words.slice(0, 3)) expect((await callOf(url, path(word), key)).from).toBe("miss");
  const cut = words.slice(3).map((word) => callOf(url, path(word), key).catch(() => "cut"));
  await until(() => gate.held() === 2);
  first.process.kill("SIGKILL");
  expect(await first.ended).toBe("SIGKILL");
  expect(await Promise.all(cut)).toEqual(["cut", "cut"]);
  gate.open();
  await other.query("commit");
  expect(await stage.query("select count(*)::int as slices from ops.slice")).toEqual([{ slices: 0 }]);

  const callAgain = async (output: Child["output"]) => {
    const again = await urlOf(output);
    const from = await Promise.all(words.map(async (word) => (await callOf(again, path(word), key)).from));
    expect(from).toEqual(["hit", "hit", "hit", "miss", "miss"]);
  };
  const second = await runUntil(stage, ["gateway", "--port", "0"], callAgain, { settings, variables });
  expect(second.code).toBe(0);

  const times = words.map((word) => stage.requested().filter(({ params }) => params["keyword"] === word).length);
  expect(times).toEqual([1, 1, 1, 2, 2]);
  expect(
    await stage.query(`
      select s.state, count(distinct s.slice_id)::int as slices, count(a.*)::int as answers, sum(q.cost)::int as cost
      from   ops.slice as s join raw.answer as a using (slice_id) join ops.request as q using (request_id)
      where  s.dataset = 'keyword_metadata' and q.caller = 'notebook' group by s.state`),
  ).toEqual([{ state: "loaded", slices: 5, answers: 5, cost: 25 }]);
  for (const said of [first.output(), second]) expect(JSON.stringify(said)).not.toContain(key);
});
