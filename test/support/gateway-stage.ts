import type { Log } from "../../src/core/log.ts";
import { makeKey } from "../../src/gateway/keys.ts";
import { startGateway, type Gateway } from "../../src/gateway/gateway.ts";
import type { Intervals } from "../../src/runs/heartbeat.ts";
import type { RunOptions, Stage } from "./ingest-stage.ts";
import { openSyncedNights, type Nights } from "./nights.ts";

/** A gateway in this process, and what its callers see of it. */
export type Door = AsyncDisposable & {
  readonly gateway: Gateway;
  /** The key of a caller, made anew. */
  readonly key: (caller: string) => Promise<string>;
  /** Calls a path of the contract; `key` null leaves it out. */
  readonly call: (path: string, key: string | null, init?: RequestInit) => Promise<Called>;
  /** What a second warehouse needs to have the gateway as its API. */
  readonly asApi: (caller: string) => Promise<Pick<RunOptions, "environment">>;
};

/** What a caller got. */
type Called = {
  readonly status: number;
  readonly cost: string | null;
  readonly from: string | null;
  readonly headers: Headers;
  readonly body: unknown;
};

/** Callers of most tests: without limits, with ten credits a day, with changes allowed, and one that leaves all of the allowance. */
export const callers = {
  notebook: {},
  script: { credits_a_day: 10 },
  editor: { may_change: true },
  guest: { floor: 1 },
} as const;

/** Opens a gateway over the warehouse of a stage; it makes the key of `notebook` first. `intervals`: those of its heartbeats; `log`: where it logs. */
export async function openDoor(stage: Stage, run: RunOptions = {}, intervals?: Intervals, log?: Log): Promise<Door> {
  await using opened = new AsyncDisposableStack();
  const usual = opened.use(await stage.open({ ...run, settings: { gateway: { callers }, ...run.settings } }));
  const app = { ...usual, ...(intervals === undefined ? {} : { intervals }), ...(log === undefined ? {} : { log }) };
  const key = (caller: string) => makeKey(app.warehouse.db, caller, app.clock.now());
  await key("notebook");
  const gateway = opened.use(await startGateway(app, { port: 0, stop: new AbortController().signal }));
  const stack = opened.move();
  return {
    gateway,
    key,
    call: (path, token, init) => callOf(gateway.url, path, token, init),
    asApi: async (caller) => ({
      environment: { API_BASE_URL: gateway.url.replace(/\/$/, ""), API_TOKEN: await key(caller) },
    }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A gateway over a warehouse that a sync has filled. */
export type GatewayStage = AsyncDisposable & {
  readonly nights: Nights;
  readonly door: Door;
  /** The key of the caller `notebook`. */
  readonly key: string;
  /** An app that the account tracks, and its first two keywords. */
  readonly app: string;
  readonly words: readonly string[];
};

/** Opens one; disposing closes the gateway and the warehouse. */
export async function openGatewayStage(): Promise<GatewayStage> {
  await using opened = new AsyncDisposableStack();
  const market = { apps: 2, countries: ["US"], keywordsPerApp: 6, organicKeywords: 4 };
  const nights = opened.use(await openSyncedNights({ market }));
  const door = opened.use(await openDoor(nights.stage, nights.run()));
  const key = await door.key("notebook");
  const rows = await nights.stage.query<{ track_id: string; keyword: string }>(`
    select a.track_id, k.keyword from core.tracked_keyword join core.dim_app as a using (app_key) join core.dim_keyword as k using (keyword_key)
    where  a.store = 'ios' and k.keyword !~ '[,.%/?#]' order by 1, 2 limit 2`);
  const stack = opened.move();
  return {
    nights,
    door,
    key,
    app: rows[0]?.track_id ?? "",
    words: rows.map(({ keyword }) => keyword),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The path of the ranks of keywords of an app in a country on a day. */
export function rankingPath(
  app: string,
  {
    date,
    keywords,
    country,
  }: { readonly date: string; readonly keywords: readonly string[]; readonly country: string },
): string {
  return `/iosstore-keyword-ranking/${app}/${country}/keywordrankings?keywords=${encodeURIComponent(keywords.join(","))}&date=${date}`;
}

/** Calls a path of the contract at any address, with the key where the contract has the token. */
export async function callOf(url: string, path: string, key: string | null, init: RequestInit = {}): Promise<Called> {
  const token = key === null ? "" : `${path.includes("?") ? "&" : "?"}token=${key}`;
  const response = await fetch(new URL(`${path}${token}`, url), init);
  const text = await response.text();
  return {
    status: response.status,
    cost: response.headers.get("x-credit-cost"),
    from: response.headers.get("x-storehouse-cache"),
    headers: response.headers,
    body: text === "" ? null : JSON.parse(text),
  };
}
