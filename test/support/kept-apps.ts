import { createApp, createAppLog, type App } from "../../src/app.ts";
import type { Config } from "../../src/config/config.ts";
import { secretsOf } from "../../src/config/secrets.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { Day } from "../../src/core/day.ts";
import { hiderOf } from "../../src/core/secret.ts";

/** Opens apps one after the other on the connections of the one before: a new connection plans every statement anew. */
export type KeptApps = AsyncDisposable & { readonly open: (config: Config, asOf: Day) => Promise<App> };

/**
 * Keeps the warehouse of an app that is disposed for the next one whose connections would be the same. Apps that are open at the same time
 * share nothing, as processes do.
 */
export function keptApps(): KeptApps {
  let free: { readonly key: string; readonly app: App } | undefined;
  const take = async (key: string) => {
    const last = free;
    free = undefined;
    if (last?.key === key) return last.app;
    await last?.app[Symbol.asyncDispose]();
    return undefined;
  };
  const keep = async (key: string, app: App) => {
    // one whose pool a test has ended is of no use
    if (free !== undefined || app.warehouse.pool.ending) return app[Symbol.asyncDispose]();
    free = { key, app };
  };
  return {
    open: async (config, asOf) => {
      const { environment, settings } = config;
      const key = JSON.stringify([environment.DATABASE_URL, settings.api.concurrency, settings.database]);
      const app = (await take(key)) ?? (await createApp(config, asOf));
      let isOpen = true;
      return {
        ...app,
        config,
        clock: systemClock(asOf),
        log: await createAppLog(config),
        hide: hiderOf(secretsOf(environment)),
        [Symbol.asyncDispose]: async () => {
          if (isOpen) await keep(key, app);
          isOpen = false;
        },
      };
    },
    [Symbol.asyncDispose]: async () => free?.app[Symbol.asyncDispose](),
  };
}
