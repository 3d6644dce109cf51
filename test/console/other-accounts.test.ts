import { beforeAll, describe, expect, test } from "vitest";
import { readChoice } from "../../src/console/explore/choice.ts";
import { clientOf, openConsoleStage, operatorPassword, withPasswords, type Client } from "../support/console-stage.ts";
import { tried } from "../support/granted-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openConsoleStage);
const loader = () => stage.granted.adminUrl;
const acme = { accounts: { acme: {} } } as const;
const asAcme = { STOREHOUSE_ACCOUNT: "acme", accountTokens: { acme: "of-acme" } };
const retry = 'action="/actions/retry"';
const slice = "9000001";
let run = "";

/** A copy of a slice that was loaded, with this number, in the run of acme. */
const copyOf = (number: string, change: object) =>
  `insert into ops.slice overriding system value
   select (jsonb_populate_record(s, '${JSON.stringify({ slice_id: number, run_id: run, ...change })}')).*
   from ops.slice as s where dataset = 'keyword_rank' and state = 'loaded' and slice_id < ${slice} order by slice_id limit 1`;

/** A visitor of a console that has read nothing so far. */
async function visitorOf(environment: object): Promise<Client> {
  const visitor = clientOf(
    await stage.start({ settings: acme, environment: { ...withPasswords.environment, ...environment } }),
  );
  await visitor.signIn(operatorPassword);
  return visitor;
}

beforeAll(async () => {
  [{ run = "" } = {}] = await stage.stage.query<{ run: string }>(
    "insert into ops.run (kind, account, as_of, datasets, started_at) values ('sync', 'acme', now(), '{}', now()) returning run_id::text as run",
  );
  const refused = await tried(
    loader(),
    copyOf(slice, { state: "failed", error_code: "timeout", error_message: "timeout: no answer" }),
    "insert into ops.credit_account (account_id, account, pace_per_second, next_start_at) values ('hash', 'acme', 1, now())",
    `insert into ops.incident (kind, subject, account_id, summary, detail, opened_at, last_seen_at)
     select 'slices_failed', dataset || ' ' || error_code, '', 'some slices failed', '{}'::jsonb, now(), now() from ops.slice where slice_id = ${slice}
     union all select 'token_refused', '', 'hash', 'the token is refused', '{}'::jsonb, now(), now()`,
    `insert into core.tracked_competitor (app_key, competitor_app_key, account, valid_from, is_current, slice_id, fetched_at)
     select a.app_key, o.app_key, 'acme', '2026-01-01', true, 1, now()
     from core.dim_app as a join core.dim_app as o on o.app_key <> a.app_key`,
  );
  if (typeof refused === "string") throw new Error(`the rows are refused: ${refused}`);
});

describe("what another account requested", () => {
  test("is named as its own, without a button that would find nothing", async () => {
    const visitor = await visitorOf({});
    expect((await visitor.get("/runs")).text).toMatch(new RegExp(`>${run}</a>\\s+sync for acme`));
    for (const address of [`/slices/${slice}`, `/runs/${run}?state=failed`]) {
      const { text } = await visitor.get(address);
      expect([address, text.includes(retry)]).toEqual([address, false]);
      expect(text).toMatch(/of account acme: retried\s+<code>with STOREHOUSE_ACCOUNT=acme<\/code>/);
      expect(text).not.toContain('id="whose"');
    }
    const { text } = await visitor.get("/");
    expect(text).toContain("Of account acme: the token is refused");
    expect(text).toContain("<p>some slices failed</p>");
    expect(text).not.toContain(retry);
  });

  test("is its own in a console of that account, which says whose it is on each page", async () => {
    const visitor = await visitorOf(asAcme);
    for (const address of ["/", `/slices/${slice}`, `/runs/${run}?state=failed`]) {
      const { text } = await visitor.get(address);
      expect([address, text.includes(retry)]).toEqual([address, true]);
      expect(text).toContain('<strong id="whose">account acme</strong>');
    }
    expect((await visitor.get("/")).text).toContain("<p>the token is refused</p>");
    expect((await visitor.get("/nowhere")).text).toContain('id="whose"');
    const { text } = await visitor.get("/credits");
    for (const by of ["day", "dataset", "app", "class"]) expect(text).toContain(`<h2>By ${by}, of all accounts</h2>`);
  });

  test("is held from an agreement of this one, and agreed to in a console of its own", async () => {
    const scopes = [`{"account":"acme"}`, `{"account":"acme","store":"ios","app":"12","country":"US"}`, "{}"];
    const held = scopes.map((scope, index) => `(${index + 1}, 'tracked_app', '${scope}', now(), now(), 4, '{a,b,c}')`);
    await tried(
      loader(),
      `insert into ops.held_answer (slice_id, dataset, scope, date_day, held_at, current_count, closing) values ${held.join()}`,
    );
    await tried(
      loader(),
      `insert into ops.incident (kind, subject, account_id, summary, detail, opened_at, last_seen_at)
       values ('answer_held', 'tracked_app', 'hash', 'an answer is held', '{}', now(), now())`,
    );
    for (const [environment, isOwn, about] of [
      [{}, false, ["the account"]],
      [asAcme, true, ["account acme", "ios 12 US of account acme"]],
    ] as const) {
      const visitor = await visitorOf(environment);
      expect((await visitor.get("/")).text.includes('action="/actions/held"')).toBe(isOwn);
      await visitor.get("/portfolio/1/US");
      const { text } = await visitor.post("/actions/held", {});
      expect([...text.matchAll(/tracked_app of (.+), \d/g)].map(([, one]) => one)).toEqual(about);
    }
    await tried(loader(), "delete from ops.held_answer", "delete from ops.incident where kind = 'answer_held'");
  });

  test("names its competitors to that account alone", async () => {
    await using opened = await stage.stage.open();
    const { db } = opened.warehouse;
    // neither of the two tracks an app
    const namedBy = async (account: string) =>
      (await readChoice(db, {}, account))?.options.apps.map(({ isCompetitor }) => isCompetitor);
    expect(await namedBy("acme")).toEqual([true, true]);
    expect(await namedBy("globex")).toEqual([false, false]);
  });

  test("has no retry where a newer slice made it good", async () => {
    expect(await tried(loader(), copyOf("9000002", {}))).not.toBeTypeOf("string");
    try {
      const visitor = await visitorOf(asAcme);
      for (const address of [`/slices/${slice}`, `/runs/${run}?state=failed`]) {
        const { status, text } = await visitor.get(address);
        expect([address, status, text.includes(retry)]).toEqual([address, 200, false]);
      }
    } finally {
      await tried(loader(), "delete from ops.slice where slice_id = 9000002");
    }
  });
});
