import { expect, test } from "vitest";
import { clientOf, openConsoleStage } from "../support/console-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openConsoleStage);

test("a portfolio of thousands of apps is shown a part at a time, each with some of the apps that count as its competitors", async () => {
  const apps = Array.from({ length: 3000 }, (_, index) => ({ id: String(5000 + index), countries: ["US"] }));
  const client = clientOf(await stage.start({ settings: { portfolio: { source: "config", apps } } }));
  const shown = async (address: string) => {
    const { status, text } = await client.get(address);
    const ids = [...text.matchAll(/iOS · (\d+) ·/g)].map(([, id]) => Number(id));
    return { status, ids, text, isShort: text.length < 2 ** 20 };
  };
  const first = await shown("/portfolio");
  expect(first).toMatchObject({ status: 200, isShort: true });
  expect(first.ids).toEqual(Array.from({ length: 100 }, (_, index) => 5000 + index));
  expect(first.text).toContain("2,999 other apps of this store count as competitors");
  expect(first.text).toContain("and 2,949 more");
  expect(first.text).toContain("apps 1 to 100 of 3,000");
  const after = /href="([^"]+)">Apps after/.exec(first.text)?.[1] ?? "";
  expect((await shown(after)).ids[0]).toBe(5100);
  const last = await shown("/portfolio?offset=2950");
  expect([last.ids.length, last.ids.at(-1), last.text.includes("Apps after")]).toEqual([50, 7999, false]);
});

test("apps of the account come before those of the configuration, also where a part begins between them", async () => {
  const apps = Array.from({ length: 120 }, (_, index) => ({ id: String(5000 + index), countries: ["US"] }));
  const client = clientOf(await stage.start({ settings: { portfolio: { source: "both", apps } } }));
  const [tracked] = await stage.stage.query<{ n: number }>(
    "select count(*)::int as n from core.tracked_app where valid_to is null and account = ''",
  );
  const n = tracked?.n ?? 0;
  const { text } = await client.get("/portfolio");
  expect(text).toContain(`apps 1 to 100 of ${120 + n}`);
  expect(text).toContain(`${5000 + 99 - n} ·`);
  const { text: rest } = await client.get("/portfolio?offset=100");
  expect(rest).toContain(`${5000 + 100 - n} ·`);
  expect(rest).toContain("5119 ·");
  expect(rest.match(/<section class="card">/g)).toHaveLength(20 + n);
});
