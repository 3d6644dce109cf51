import { Pool } from "undici";
import type { Clock } from "../../src/core/clock.ts";
import { day, dayOf, type Day } from "../../src/core/day.ts";
import type { Operation } from "../../src/api/define-operation.ts";
import { startSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/sandbox.ts";

/** What came back: `json` is undefined where the body is none. */
export type Reply = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: unknown;
};

/** A sandbox with a raw HTTP client on it: paths travel byte by byte as they are given. */
export type Opened = AsyncDisposable & {
  sandbox: Sandbox;
  clock: ManualClock;
  /** Sends a request with the token added to its query. */
  ask(
    path: string,
    options?: { method?: "GET" | "POST" | "PUT" | "DELETE"; body?: string | Buffer; token?: string | null },
  ): Promise<Reply>;
};

/** A clock that stands still until it is moved; sleeping moves it. */
export type ManualClock = Clock & { move(ms: number): void };

export const today = day("2026-08-20");
export const yesterday = day("2026-08-19");
/** 06:00 UTC of `today`. */
const morning = Date.UTC(2026, 7, 20, 6);

export const lumi = { ios: "6446318020", android: "app.lumi.habit" } as const;

export function manualClock(start = morning): ManualClock {
  let now = start;
  const move = (ms: number) => {
    now += ms;
  };
  return { now: () => now, today: () => dayOf(now), sleep: async (ms) => move(ms), move };
}

export async function open(options: SandboxOptions = {}): Promise<Opened> {
  const clock = manualClock();
  const sandbox = await startSandbox({ clock, ...options });
  const client = clientOf(sandbox.url);
  return {
    sandbox,
    clock,
    ask: (path, { token = sandbox.token, ...rest } = {}) =>
      client.ask(token === null ? path : `${path}${path.includes("?") ? "&" : "?"}token=${token}`, rest),
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

/** A client that sends paths as they are. */
export function clientOf(origin: string) {
  const pool = new Pool(origin);
  return {
    ask: async (
      path: string,
      { method = "GET", body }: { method?: "GET" | "POST" | "PUT" | "DELETE"; body?: string | Buffer } = {},
    ): Promise<Reply> => {
      const answer = await pool.request({ path, method, ...(body === undefined ? {} : { body }) });
      const text = await answer.body.text();
      return { status: answer.statusCode, headers: answer.headers, text, json: parsed(text) };
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

/** Encodes a value so that no server or proxy reads anything into it. */
export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(".", "%2E");
}

const words = ["EN", "OVERALL", "FREE", "v1", "DOWNLOAD", "REPORT", "TOP_APPS", "KEYWORD", "WITH", "USD", "ios"];
const listedKeyword = { keyword: "meditation", keywordId: 1, appId: 1, orgId: 1, country: "US" };
const account = {
  orgIds: [4_100_001],
  campaignIds: [50_000_000],
  adGroupIds: [500_000_000],
  appId: Number(lumi.ios),
  goalId: 318_020,
};
const reviews = {
  startDate: day("2026-06-01"),
  rating: [1, 2, 3, 4, 5],
  textQuery: "a",
  page: 0,
  repliedReview: false,
};
const everyAdvertisement = { network: "AdMob", mediaType: 1, page: 1, countryCode: "JP", startDate: day("2026-07-25") };
/** Where what is merely likely would be refused, or be answered with nothing. */
const special: Readonly<Record<string, Record<string, unknown>>> = {
  "search-ads.goal": { id: 318_020 },
  "search-ads.reports": { reportLevel: "KEYWORD", page: 0, ...account },
  "search-ads.bid-history-logs": { orgId: account.orgIds[0], startDate: day("2026-08-13") },
  "ios.version-list": { startDate: day("2026-06-01") },
  "android.version-list": { startDate: day("2026-06-01") },
  "ios.version-list-detailed": { startDate: day("2026-07-20") },
  "android.version-list-detailed": { startDate: day("2026-07-20") },
  "ios.category-ranking": { startDate: day("2026-08-12") },
  "android.category-ranking": { startDate: day("2026-08-12") },
  "ios.developer-apps": { developerId: "469026074" },
  "android.developer-apps": { developerName: "Paperlantern Labs" },
  "ios.reviews": reviews,
  "ios.reviews-v2": reviews,
  "ios.review-analysis": { ...reviews, startDate: day("2026-07-25") },
  "android.reviews": { ...reviews, languages: ["en"] },
  "android.reviews-v2": { ...reviews, countries: ["en"] },
  "android.review-analysis": { ...reviews, languages: ["EN"], startDate: day("2026-07-25") },
  "ios.featuring": { categoryId: 6007, startDate: day("2026-07-01") },
  "market.visibility-score": { trackIds: [lumi.ios] },
  "ad-intelligence.creatives": everyAdvertisement,
  "ad-intelligence.creative-dimension-distribution": everyAdvertisement,
  "ad-intelligence.creative-type-distribution": everyAdvertisement,
  "ad-intelligence.top-advertisers": { category: "PRODUCTIVITY", platformId: 1, network: "AdMob" },
  "dashboard.app-search": { query: "lumi" },
  "dashboard.company-url-search": { query: "https://paperlanternlabs.example/about" },
  "dashboard.delete-keywords": { body: ["habit tracker"] },
};

/** Values that an operation accepts, found by trying likely ones against its own schemas. */
export function sampleParams(operation: Operation, on: Day): Record<string, unknown> {
  const trackIds = operation.store === "android" ? [lumi.android, lumi.ios] : [lumi.ios, lumi.android];
  const likely = ["US", on, "IPHONE", "iphone", ...trackIds, "meditation", 1, true, ...words, listedKeyword];
  const fitting = Object.entries(operation.params).map(([name, { schema }]) => {
    const value = [...likely, ...likely.map((one) => [one])].find((one) => schema.safeParse(one).success);
    if (value === undefined)
      throw new Error(`no likely value fits ${name} of ${operation.id}: add one to test/sandbox/open.ts`);
    return [name, value] as const;
  });
  const own = Object.entries(special[operation.id] ?? {}).filter(([name]) => Object.hasOwn(operation.params, name));
  return { ...Object.fromEntries(fitting), ...Object.fromEntries(own) };
}

/** The raw path of a call, and its body. */
export function addressOf(
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
): { path: string; body?: string } {
  const named = (place: string) => Object.entries(params).filter(([name]) => operation.params[name]?.in === place);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encode(operation.params[name]?.storeWord === true ? `${String(params[name])}store` : String(params[name])),
  );
  const query = named("query").map(([name, value]) => `${name}=${encode(String(value))}`);
  const fields = named("body");
  const body = fields.length === 1 && fields[0]?.[0] === "body" ? fields[0][1] : Object.fromEntries(fields);
  return {
    path: query.length > 0 ? `${path}?${query.join("&")}` : path,
    ...(fields.length > 0 ? { body: JSON.stringify(body) } : {}),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
