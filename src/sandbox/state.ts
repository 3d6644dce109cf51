import type { Clock } from "../core/clock.ts";
import { dayOf, type Day } from "../core/day.ts";
import { Account, type AccountAllowance } from "./accounts.ts";
import type { ParamLimits } from "./check-params.ts";
import { FaultPlan } from "./faults.ts";
import type { Operation } from "../api/define-operation.ts";
import type { Market } from "./market/market.ts";
import type { Receipt } from "../api/serve/error-body.ts";
import type { Envelopes, Outcome } from "./outcome.ts";
import type { SandboxAccount, SandboxSettings } from "./options.ts";
import { RateLimiter } from "./rate-limiter.ts";
import type { Query } from "../api/serve/query.ts";
import { RequestLog, type SandboxRequest } from "./request-log.ts";
import { localTime, type AnswerContext } from "./answer-context.ts";
import { TrackedKeywords } from "./tracked-keywords.ts";

/** A finished request, with everything that its log entry needs. */
export type FinishedRequest = {
  readonly receipt: Receipt;
  readonly method: string;
  readonly outcome: Outcome;
  /** Null if no route fits. */
  readonly operation: Operation | null;
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly account: Account | null;
  readonly token: SandboxRequest["token"];
};

/** The state of a running sandbox: market, accounts, settings, log. The settings change while it runs. */
export class SandboxState {
  readonly clock: Clock;
  readonly market: Market;
  readonly log: RequestLog;
  readonly #accounts: ReadonlyMap<string, Account>;
  readonly #first: Account;
  readonly #tracked: TrackedKeywords;
  #settings: SandboxSettings = {};
  #faults = new FaultPlan([]);
  #rateLimiter: RateLimiter;
  #requests = 0;

  constructor(options: {
    clock: Clock;
    market: Market;
    accounts: readonly SandboxAccount[];
    settings: SandboxSettings;
  }) {
    const accounts = options.accounts.map((account) => new Account(account, options.clock));
    const [first] = accounts;
    if (first === undefined) throw new Error("a sandbox needs at least one account");
    this.clock = options.clock;
    this.market = options.market;
    this.#tracked = new TrackedKeywords(options.market);
    this.log = new RequestLog(accounts.map((account) => account.token));
    this.#accounts = new Map(accounts.map((account) => [account.token, account]));
    this.#first = first;
    this.#rateLimiter = new RateLimiter(null, options.clock);
    this.set(options.settings);
  }

  /** Changes the given settings and keeps the rest; new faults replace the old ones, a new rate limit starts with full buckets. */
  set(settings: SandboxSettings): void {
    this.#settings = { ...this.#settings, ...settings };
    if (settings.faults !== undefined) this.#faults = new FaultPlan(settings.faults);
    if (settings.rateLimit !== undefined) this.#rateLimiter = new RateLimiter(settings.rateLimit, this.clock);
  }

  /** The account of a token, null for an unknown one; the first account if no token is given. */
  account(token?: string): Account | null {
    return token === undefined ? this.#first : (this.#accounts.get(token) ?? null);
  }

  /** The account of the token in a query. */
  callerOf(query: Query): Pick<FinishedRequest, "account" | "token"> {
    const token = query.values.get("token")?.[0] ?? "";
    const account = token === "" ? null : this.account(token);
    return { account, token: account !== null ? "known" : token === "" ? "missing" : "unknown" };
  }

  get today(): Day {
    return this.#settings.today ?? dayOf(this.clock.now());
  }

  get latencyMs(): number {
    return this.#settings.latencyMs ?? 0;
  }

  /** How answers are wrapped if the contract does not say, and whether bare lists have a name. */
  get envelopes(): Envelopes {
    return { open: this.#settings.openEnvelope ?? "data", namesLists: this.#settings.bareLists === "named" };
  }

  /** True if a list without items is refused. */
  get refusesEmpty(): boolean {
    return this.#settings.noData === "404";
  }

  /** True if an answer that may be plain text is plain text. */
  get bareText(): boolean {
    return this.#settings.textAnswer === "text";
  }

  /** The limits that calls are checked against. */
  get limits(): ParamLimits {
    return {
      today: this.today,
      countries: this.market.options.countries,
      openEndInclusive: this.#settings.openEnd !== "exclusive",
      cutsRanges: this.#settings.longRange === "cut",
      mostRangeDays: this.#settings.mostRangeDays ?? null,
    };
  }

  get faults(): FaultPlan {
    return this.#faults;
  }

  get rateLimiter(): RateLimiter {
    return this.#rateLimiter;
  }

  /** Notes that a request came in for a raw path. */
  receive(path: string): Receipt {
    return { at: this.clock.now(), path, requestId: (++this.#requests).toString(16).padStart(8, "0") };
  }

  /** Writes a finished request into the log. */
  record({ receipt, method, outcome, operation, path, params, account, token }: FinishedRequest): void {
    const { status, charged, reason, fault } = outcome;
    this.log.add({
      at: receipt.at,
      operation: operation?.id ?? null,
      method,
      path,
      params: { ...params },
      status,
      charged,
      remaining: account?.allowance().remaining ?? 0,
      token,
      ...(reason === undefined ? {} : { reason }),
      ...(fault === undefined ? {} : { fault }),
    });
  }

  context(allowance: AccountAllowance): AnswerContext {
    const local = this.#settings.dateForm === "local";
    return {
      market: this.market,
      today: this.today,
      now: this.clock.now(),
      allowance,
      connected: this.#settings.connected ?? true,
      dailyReports: this.#settings.dailyReports ?? "days",
      openEndInclusive: this.limits.openEndInclusive,
      tracked: this.#tracked,
      instant: (at) => (local ? localTime(at) : at),
    };
  }
}
