import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "pg";
import { expect, test } from "vitest";
import { table, type Cell } from "../../src/cli/table.ts";
import { long } from "../support/long.ts";
import { blocksOf, pageAt } from "../support/pages.ts";
import { temporaryFolder } from "../support/folder.ts";

/** The tables of the demo through their natural keys: surrogate keys, slices and times of receipt differ from run to run. */
const dump = `
select md5(string_agg(line, E'\\n' order by line collate "C")) as digest, count(*)::int as rows
from  (select concat_ws('|', store, track_id, country_code, keyword, device_code, date_day, keyword_rank, is_ranked, observed_at) as line
       from mart.keyword_rank_daily
       union all
       select concat_ws('|', a.store, a.track_id, c.country_code, k.keyword, t.valid_from, t.search_volume, t.chance, t.app_count)
       from core.tracked_keyword as t join core.dim_app as a using (app_key) join core.dim_country as c using (country_key)
       join core.dim_keyword as k using (keyword_key)) as lines`;

/** What the tables of the demo are on every machine; a change of the made-up market changes it. */
const everywhere = { digest: "b28d234e3c60332c059136ee45cb6fe6", rows: 61_152 };

/** Those of the part of the market of which README and the picture of ranks show something, which a day loads. */
const partEverywhere = { digest: "21814034eff124c325fb3f034dfd499a", rows: 5_808 };
const part = ["--import", "./test/support/demo-part.ts"];

const usual = { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };

function start(home: string, zone: string, ...args: string[]): ChildProcess {
  const env = { ...usual, STOREHOUSE_HOME: home, TZ: zone };
  return spawn(process.execPath, [...(long ? [] : part), "src/demo/demo.ts", ...args], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** What README shows of the demo: lines that it prints, and a question in SQL with its answer. */
const readme = pageAt("README.md");
const [printed = "", answer = ""] = blocksOf(readme, "text");
const [question = ""] = blocksOf(readme, "sql");

/** Runs the demo until the database stays up for others, reads its tables, runs README's query, and ends it with Ctrl-C. */
async function tables(home: string, zone: string, ...args: string[]) {
  const demo = start(home, zone, "--stay", ...args);
  const exit = once(demo, "exit");
  let said = "";
  for await (const chunk of demo.stdout ?? []) {
    said += String(chunk);
    if (said.includes("Start with the schema mart")) break;
  }
  const client = new Client({ connectionString: /psql '([^']+)'/.exec(said)?.[1] });
  await client.connect();
  const { rows } = await client.query(dump);
  const answered = await client.query({ text: question, rowMode: "array" });
  await client.end();
  const console = await fetch(/console +(http:\S+)/.exec(said)?.[1] ?? "");
  expect(await console.text()).toContain("Can the figures be trusted?");
  demo.kill("SIGINT");
  await exit;
  const headings = answered.fields.map(({ name }) => name);
  return { said, digest: rows[0], answer: table(headings, answered.rows as Cell[][]) };
}

test(
  "loads the same tables on every machine, with what README and its pictures show",
  { timeout: 300_000 },
  async () => {
    using made = temporaryFolder();
    const { path: home } = made;
    const drawn = path.join(home, "pictures");
    const west = await tables(path.join(home, "west"), "America/Los_Angeles", `--pictures=${drawn}`);
    expect(west.digest).toEqual(long ? everywhere : partEverywhere);
    const lines = printed.trimEnd().split("\n");
    // of the part there are other counts, and other rows that gained most
    const shown = long ? lines : lines.filter((line) => !/^7,013 credits|60,480$|^(app|-+|Lumi:.*) {2}/.test(line));
    expect(shown.filter((line) => line !== "..." && !west.said.includes(line))).toEqual([]);
    expect(`${west.answer}\n`).toBe(answer);
    // `npm run demo -- --pictures` draws those of docs again
    for (const name of ["keyword-rank.svg", ...(long ? ["coverage.svg"] : [])])
      expect(await readFile(path.join(drawn, name), "utf8")).toBe(await readFile(`docs/pictures/${name}`, "utf8"));
    // a run over what is loaded costs as much as half of the first
    if (!long) return;
    const { stdout } = start(path.join(home, "west"), "Asia/Kathmandu");
    const said = stdout === null ? "" : await text(stdout);
    expect(said).toContain("Everything is already loaded: no credits spent.");
    expect(said).toContain("7,013 in");
    expect((await tables(path.join(home, "east"), "Pacific/Apia")).digest).toEqual(everywhere);
  },
);

test("refuses arguments that it does not know and pictures of everything, and names those that there are", async () => {
  const wrong = [["--everthing"], ...(long ? [["--everything", "--pictures"]] : [])];
  const refusals = wrong.map(async (args) => {
    const demo = spawn(process.execPath, ["src/demo/demo.ts", ...args], {
      env: usual,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [said, [code]] = await Promise.all([text(demo.stderr), once(demo, "exit")]);
    return [said, code];
  });
  const [unknown, drawn] = await Promise.all(refusals);
  expect(unknown).toEqual([expect.stringContaining("--stay, --everything, --week, --pictures"), 2]);
  if (long) expect(drawn).toEqual([expect.stringContaining("--everything draws no pictures"), 2]);
});
