import { must } from "../support/must.ts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { addDays, day, dayOf } from "../../src/core/day.ts";
import { daysOf } from "../../src/core/window.ts";
import { createMarket, type RankCell } from "../../src/sandbox/market/market.ts";
import { awkwardKeywords } from "../../src/sandbox/market/words.ts";
import { lumi } from "./open.ts";

const market = createMarket(1);
const year = daysOf({ start: day("2025-08-01"), end: day("2026-08-01") });

/** Every tracked cell of every app, country and device on one day. */
function cells(on = day("2026-07-15"), of = market): RankCell[] {
  return of.apps.flatMap((app) =>
    app.countries.flatMap((country) =>
      of.trackedKeywords(app, country).flatMap((keyword) =>
        (app.store === "ios" ? (["IPHONE", "IPAD"] as const) : (["ALL"] as const)).map((device) => ({
          store: app.store,
          trackId: app.trackId,
          keyword,
          country,
          device,
          day: on,
        })),
      ),
    ),
  );
}

function share<T>(items: readonly T[], fits: (item: T) => boolean): number {
  return items.filter(fits).length / items.length;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("apps", () => {
  test("are eight of iOS and six of Android, some the same product in both stores", () => {
    expect(market.apps.filter((app) => app.store === "ios")).toHaveLength(8);
    expect(market.apps.filter((app) => app.store === "android")).toHaveLength(6);
    expect(new Set(market.apps.map((app) => app.name)).size).toBe(9);
  });

  test("have ids of 9 and 10 digits, some above 32 bits, or package names", () => {
    const ids = market.apps.filter((app) => app.store === "ios").map((app) => Number(app.trackId));
    expect(ids.every((id) => id >= 100_000_000 && id < 10_000_000_000)).toBe(true);
    expect(ids.filter((id) => id > 2 ** 32).length).toBeGreaterThan(2);
    expect(
      market.apps.filter((app) => app.store === "android").every((app) => /^[a-z]+(\.[a-z]+)+$/.test(app.trackId)),
    ).toBe(true);
  });

  test("are as many as requested, each with an id of its own", () => {
    const large = createMarket(1, { apps: 500 });
    expect(new Set(large.apps.map((app) => `${app.store} ${app.trackId}`)).size).toBe(500);
    expect(createMarket(1, { apps: 3 }).apps).toHaveLength(3);
  });

  test("sell in some countries or in all, and rank only where they sell", () => {
    const picky = must(market.apps.find((app) => app.countries.length < 6));
    expect(picky.countries).toEqual(["US", "JP"]);
    expect(market.trackedKeywords(picky, "BR")).toEqual([]);
    expect(
      cells().filter(
        (cell) => market.latestRank({ ...cell, trackId: picky.trackId, store: picky.store, country: "BR" }) !== null,
      ),
    ).toEqual([]);
  });

  test("have no rank before their release", () => {
    const young = market.apps.find((app) => app.released === "2026-03-09");
    const reported = (on: ReturnType<typeof day>) =>
      cells(on).filter((cell) => cell.trackId === young?.trackId && market.crawls(cell).length > 0).length;
    expect(reported(day("2026-03-08"))).toBe(0);
    expect(reported(day("2026-03-09"))).toBeGreaterThan(0);
  });
});

describe("keywords", () => {
  test("are 24 for an app and country, awkward ones among them, natural ones in the country's language", () => {
    const app = must(market.app("ios", lumi.ios));
    const words = market.trackedKeywords(app, "DE");
    expect(words).toHaveLength(24);
    expect(new Set(words).size).toBe(24);
    expect(words).toEqual(expect.arrayContaining([...awkwardKeywords, "gewohnheiten"]));
    expect(market.trackedKeywords(app, "US")).toContain("habit tracker");
  });

  test("are as many as requested, without repeats", () => {
    const large = createMarket(1, { keywordsPerApp: 5_000 });
    expect(new Set(large.trackedKeywords(must(large.apps[0]), "JP")).size).toBe(5_000);
  });
});

describe("ranks", () => {
  test("are the same for the same seed in every time zone, and others for another seed", () => {
    const reported = (seed: number) => cells().map((cell) => createMarket(seed).latestRank(cell));
    const here = reported(1);
    vi.stubEnv("TZ", "Pacific/Apia");
    expect(reported(1)).toEqual(here);
    expect(reported(2)).not.toEqual(here);
  });

  test("wander from day to day and do not jump", () => {
    const steps = cells().flatMap((cell) => {
      const before = market.latestRank({ ...cell, day: addDays(cell.day, -1) })?.rank;
      const now = market.latestRank(cell)?.rank;
      return typeof before === "number" && typeof now === "number"
        ? [Math.abs(now - before) / Math.max(5, before)]
        : [];
    });
    expect(steps.length).toBeGreaterThan(500);
    expect(Math.max(...steps)).toBeLessThan(0.6);
    expect(share(steps, (step) => step > 0)).toBeGreaterThan(0.3);
  });

  test("are better for popular apps", () => {
    const mean = (trackId: string) => {
      const found = cells().flatMap((cell) => (cell.trackId === trackId ? (market.latestRank(cell)?.rank ?? []) : []));
      return found.reduce((sum, rank) => sum + rank, 0) / found.length;
    };
    const byFame = market.apps.toSorted((a, b) => b.popularity - a.popularity);
    expect(mean(must(byFame[0]).trackId)).toBeLessThan(mean(must(byFame.at(-1)).trackId));
  });

  test("are never there for some keywords, and for others come and go", () => {
    const courses = cells()
      .filter((cell) => cell.trackId === lumi.ios)
      .map((cell) => share(year, (on) => typeof market.latestRank({ ...cell, day: on })?.rank === "number"));
    expect(share(courses, (ranked) => ranked === 0)).toBeGreaterThan(0.05);
    expect(share(courses, (ranked) => ranked > 0.3 && ranked < 1)).toBeGreaterThan(0.3);
  });

  test("that are none are reported as null or left out, about as often", () => {
    const unranked = cells()
      .map((cell) => market.latestRank(cell))
      .filter((latest) => typeof latest?.rank !== "number");
    expect(share(unranked, (latest) => latest === null)).toBeGreaterThan(0.35);
    expect(share(unranked, (latest) => latest === null)).toBeLessThan(0.65);
  });

  test("differ a little between the devices", () => {
    const pairs = cells()
      .filter((cell) => cell.device === "IPHONE")
      .flatMap((cell) => {
        const [phone, pad] = [market.latestRank(cell)?.rank, market.latestRank({ ...cell, device: "IPAD" })?.rank];
        return typeof phone === "number" && typeof pad === "number" ? [Math.abs(phone - pad) / Math.max(5, phone)] : [];
      });
    expect(share(pairs, (apart) => apart > 0)).toBeGreaterThan(0.5);
    expect(share(pairs, (apart) => apart < 0.6)).toBeGreaterThan(0.9);
  });

  test("of keywords that no account tracks are as lifelike", () => {
    const ranks = Array.from(
      { length: 200 },
      (_, index) => market.latestRank({ ...must(cells()[0]), keyword: `never heard ${index}` })?.rank,
    );
    expect(share(ranks, (rank) => typeof rank === "number")).toBeGreaterThan(0.3);
    expect(share(ranks, (rank) => typeof rank === "number")).toBeLessThan(0.9);
  });
});

describe("crawls", () => {
  const reported = cells()
    .map((cell) => ({ cell, crawls: market.crawls(cell) }))
    .filter(({ crawls }) => crawls.length > 0);

  test("happen on their own UTC day, at many times of it", () => {
    for (const { cell, crawls } of reported) for (const { at } of crawls) expect(dayOf(at)).toBe(cell.day);
    expect(new Set(reported.flatMap(({ crawls }) => crawls.map(({ at }) => at))).size).toBeGreaterThan(1_000);
  });

  test("are two on a third of the days, not always in the order of time", () => {
    expect(share(reported, ({ crawls }) => crawls.length === 2)).toBeCloseTo(1 / 3, 1);
    const pairs = reported.filter(({ crawls }) => crawls.length === 2);
    expect(share(pairs, ({ crawls: [first, second] }) => must(first).at > must(second).at)).toBeCloseTo(0.5, 1);
  });

  test("of one day may differ, and the latest one counts", () => {
    const pairs = reported.filter(({ crawls }) => crawls.length === 2);
    expect(share(pairs, ({ crawls: [first, second] }) => first?.rank !== second?.rank)).toBeGreaterThan(0.5);
    for (const { cell, crawls } of reported)
      expect(market.latestRank(cell)?.at).toBe(Math.max(...crawls.map(({ at }) => at)));
  });
});
