import { sql } from "../postgres/sql.ts";
import { didYouMean } from "../core/did-you-mean.ts";
import { earliest, latest, addDays, type Day } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import type { Window } from "../core/window.ts";
import { listed } from "../core/words.ts";
import type { Database } from "../postgres/database.ts";
import type { RankChart } from "./rank-chart.ts";

/** Whose ranks to draw. `app`: its track id. Without a device all of them; without bounds the year up to the newest day. */
export type RankQuestion = {
  readonly app: string;
  readonly country: string;
  readonly keyword: string;
  readonly device?: string | undefined;
  readonly within: Partial<Window>;
};

type Row = {
  readonly app: string;
  readonly store: string;
  readonly country_name: string;
  readonly device_code: string;
  readonly date_day: Day;
  readonly rank: number | null;
};

const mostDays = 366;

/** The ranks of an app for a keyword. Throws `nothing_to_draw`, which says which part of the question the warehouse does not know. */
export async function readRanks(db: Database, question: RankQuestion): Promise<RankChart> {
  const { rows: all } = await sql<Row>`
    select coalesce(a.app_name, a.track_id) as app, a.store, c.country_name, d.device_code, f.date_day, f.rank
    from   core.dim_app as a
    join   core.fact_keyword_rank as f on f.app_key = a.app_key
    join   core.dim_country as c on c.country_key = f.country_key
    join   core.dim_keyword as k on k.keyword_key = f.keyword_key
    join   core.dim_device  as d on d.device_key = f.device_key
    where  a.track_id = ${question.app} and c.country_code = ${question.country} and k.keyword = ${question.keyword}
    order  by f.date_day, d.device_key`.execute(db);
  const rows = all.filter(({ device_code: code }) => question.device === undefined || code === question.device);
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) throw await unknown(db, question, all);
  const { start = latest([first.date_day, addDays(last.date_day, 1 - mostDays)]), end = addDays(last.date_day, 1) } =
    question.within;
  const shown = rows.filter(({ date_day: day }) => day >= start && day < end);
  if (shown.length === 0)
    throw fail("nothing_to_draw", {
      problem: `no day from ${start} to ${addDays(end, -1)} was requested`,
      hint: `the loaded days are ${first.date_day} to ${last.date_day}: move --from and --to`,
    });
  // bounds far outside the data are cut to the data, with a few days of margin
  const window = {
    start: latest([start, addDays(first.date_day, -air)]),
    end: earliest([end, addDays(last.date_day, 1 + air)]),
  };
  const devices = Map.groupBy(shown, ({ device_code: code }) => code);
  return {
    title: { before: "Rank for “", name: question.keyword, after: "”" },
    subtitle: { before: "", name: first.app, after: ` · ${stores[first.store] ?? first.store}, ${first.country_name}` },
    axis: "rank in search results",
    window,
    series: [...devices].map(([device, of]) => ({
      name: deviceNames[device] ?? device,
      ranks: new Map(of.map(({ date_day: day, rank }) => [day, rank])),
    })),
  };
}

/** Names of devices in a picture; others are shown by their code. */
const deviceNames: Readonly<Record<string, string>> = { IPHONE: "iPhone", IPAD: "iPad", ALL: "all devices" };

const air = 31;
const stores: Readonly<Record<string, string>> = { ios: "App Store", android: "Google Play" };

/** Why there is no row: the first part of the question that the warehouse does not know. */
async function unknown(db: Database, { app, country, keyword, device }: RankQuestion, others: readonly Row[]) {
  if (others.length > 0) {
    const known = [...new Set(others.map(({ device_code: code }) => code))].join(", ");
    return fail("nothing_to_draw", {
      problem: `there is no rank for the device ${device}`,
      hint: `choose one of ${known}`,
    });
  }
  const apps = await sql`select from core.dim_app where track_id = ${app}`.execute(db);
  if (apps.rows.length === 0)
    return fail("nothing_to_draw", {
      problem: `there is no app ${app}`,
      hint: "core.dim_app lists the known apps",
    });
  const tracked = await trackedKeywords(db, { app, country });
  const problem = `no rank of ${app} for ${JSON.stringify(keyword)} in ${country} is loaded`;
  // a tracked keyword is no typing error: its ranks are missing
  if (tracked.includes(keyword))
    return fail("nothing_to_draw", {
      problem,
      hint: `\`storehouse gaps --dataset keyword_rank --app ${app} --country ${country}\` shows what is missing`,
    });
  const loaded = await loadedKeywords(db, { app, country });
  return fail("nothing_to_draw", {
    problem: `${problem}${didYouMean(keyword, tracked)}`,
    hint:
      loaded.length === 0
        ? "no ranks are loaded for this app and country: mart.keyword_rank_daily has those of others"
        : `its newest day has ${listed(loaded, 5)}: mart.keyword_rank_daily has all that are loaded`,
  });
}

type Place = Pick<RankQuestion, "app" | "country">;

async function trackedKeywords(db: Database, { app, country }: Place): Promise<readonly string[]> {
  const { rows } = await sql<{ keyword: string }>`
    select distinct k.keyword
    from   core.tracked_keyword as t
    join   core.dim_app as a using (app_key)
    join   core.dim_country as c using (country_key)
    join   core.dim_keyword as k using (keyword_key)
    where  a.track_id = ${app} and c.country_code = ${country}
    order  by k.keyword
    limit  5000`.execute(db);
  return rows.map((row) => row.keyword);
}

/** The keywords of the newest loaded day: those of all days would be read from every rank of the app. */
async function loadedKeywords(db: Database, { app, country }: Place): Promise<readonly string[]> {
  const { rows } = await sql<{ keyword: string }>`
    select distinct k.keyword
    from   core.dim_app as a
    join   core.dim_country as c on c.country_code = ${country}
    join   core.fact_keyword_rank as f on f.app_key = a.app_key and f.country_key = c.country_key and f.date_day = (
             select max(y.date_day) from core.fact_keyword_rank_summary as y where y.app_key = a.app_key and y.country_key = c.country_key)
    join   core.dim_keyword as k on k.keyword_key = f.keyword_key
    where  a.track_id = ${app}
    order  by k.keyword`.execute(db);
  return rows.map((row) => row.keyword);
}
