import { openStage, type RunOptions, type Stage } from "./ingest-stage.ts";

/*
 * A warehouse for two accounts of the API: that of API_TOKEN, and acme with a sandbox of its own, so that each call shows whose token it
 * was sent with. Both track the apps of one made-up market, the first account two and acme one of them unless said otherwise.
 */

/** The options of a run of acme. */
export function asAcme({ sandbox }: Stage, settings: NonNullable<RunOptions["settings"]> = {}): RunOptions {
  return {
    environment: {
      STOREHOUSE_ACCOUNT: "acme",
      API_BASE_URL: sandbox.url,
      API_TOKEN: "token-of-the-first",
      accountTokens: { acme: sandbox.token },
    },
    settings: { accounts: { acme: {} }, ...settings },
  };
}

const small = { countries: ["US"], keywordsPerApp: 3, organicKeywords: 3 } as const;

/** `total`: credits of the first account; `apps`: those of acme; `all`: those of the first account, which tracks the same and more. */
export async function openStages({ total = 100_000, apps = 1, all = Math.max(apps, 2) } = {}): Promise<
  AsyncDisposable & { readonly first: Stage; readonly acme: Stage }
> {
  await using opened = new AsyncDisposableStack();
  const first = opened.use(
    await openStage({
      market: { ...small, apps: all },
      accounts: [{ token: "token-of-the-first", total, periodHours: 24 }],
    }),
  );
  const accounts = [{ token: "token-of-acme", total: 50_000, periodHours: 24 }];
  const acme = opened.use(await openStage({ database: first.databaseUrl, market: { ...small, apps }, accounts }));
  const stack = opened.move();
  return { first, acme, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Apps that the configuration lists: every request costs the same, and no list is read. */
export function following(stage: Stage, from: number, to: number): NonNullable<RunOptions["settings"]>["portfolio"] {
  const { market } = stage.sandbox;
  const apps = market.apps.slice(from, to).map((app) => ({
    id: app.trackId,
    countries: ["US"],
    keywords: market.trackedKeywords(app, "US").filter((keyword) => !keyword.includes(",")),
  }));
  return { source: "config", apps };
}
