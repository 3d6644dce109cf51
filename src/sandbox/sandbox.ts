import { systemClock } from "../core/clock.ts";
import { operations } from "../api/operations/all.ts";
import { answers } from "./answers/all.ts";
import { accountOfToken, reportedAllowance } from "./control.ts";
import { SandboxState } from "./state.ts";
import { createMarket, type Market } from "./market/market.ts";
import { SandboxSettings, type SandboxAccount, type SandboxOptions } from "./options.ts";
import type { SandboxRequest } from "./request-log.ts";
import { createSandboxServer } from "./server.ts";

export type { Fault } from "./faults.ts";
export type { SandboxAccount, SandboxOptions } from "./options.ts";
export type { SandboxRequest } from "./request-log.ts";

/** A running sandbox: the API on loopback, its log, and the true data of its answers. Disposing it closes every connection. */
export interface Sandbox extends AsyncDisposable {
  /** Origin, without a trailing slash. */
  url: string;
  /** The token of the first account. */
  token: string;
  /** Every request so far, oldest first. */
  log(): readonly SandboxRequest[];
  clearLog(): void;
  /** Changes the given settings and keeps the rest. */
  set(settings: SandboxSettings): void;
  /** The account of a token, or the first account if left out. */
  account(token?: string): { total: number; remaining: number; resetSeconds: number };
  /** Takes credits as another consumer of the same account would. */
  spend(credits: number, token?: string): void;
  market: Market;
}

const oneAccount: SandboxAccount = { token: "sandbox-token", total: 100_000, periodHours: 24 };
const neutralWords = { ios: "iosstore", android: "androidstore" } as const;

/** Starts the API of `operations` over a synthetic market; it listens when this resolves. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const state = new SandboxState({
    clock: options.clock ?? systemClock(),
    market: createMarket(options.seed ?? 1, options.market),
    accounts: options.accounts ?? [oneAccount],
    settings: settingsIn(options),
  });
  const server = createSandboxServer(state, { operations, answers, words: options.storeWords ?? neutralWords });
  const url = await server.listen({ host: options.host ?? "127.0.0.1", port: options.port ?? 0 });
  return {
    url,
    token: accountOfToken(state).token,
    market: state.market,
    log: () => state.log.entries(),
    clearLog: () => state.log.clear(),
    set: (settings) => state.set(settings),
    account: (token) => reportedAllowance(accountOfToken(state, token)),
    spend: (credits, token) => accountOfToken(state, token).take(credits),
    [Symbol.asyncDispose]: async () => {
      await server.close();
    },
  };
}

function settingsIn(options: SandboxOptions): SandboxSettings {
  const names = new Set(Object.keys(SandboxSettings.shape));
  return Object.fromEntries(Object.entries(options).filter(([name, value]) => names.has(name) && value !== undefined));
}
