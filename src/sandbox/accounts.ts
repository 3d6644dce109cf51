import type { Clock } from "../core/clock.ts";
import { hourMs } from "../core/day.ts";
import type { Operation } from "../api/define-operation.ts";
import type { SandboxAccount } from "./options.ts";

/** What an account may still spend. */
export type AccountAllowance = {
  readonly total: number;
  readonly remaining: number;
  /** Whole seconds until `remaining` is `total` again. */
  readonly resetSeconds: number;
  readonly periodHours: number;
};

/** The credits of one API key: they come back at the start of every period, by the clock. */
export class Account {
  readonly token: string;
  readonly #options: SandboxAccount;
  readonly #clock: Clock;
  #period: number;
  #remaining: number;

  constructor(options: SandboxAccount, clock: Clock) {
    this.token = options.token;
    this.#options = options;
    this.#clock = clock;
    this.#period = this.#periodAt(clock.now());
    this.#remaining = options.remaining ?? options.total;
  }

  /** Credits that this account is charged for an operation. */
  costOf(operation: Operation): number {
    return this.#options.costs?.[operation.id] ?? operation.cost;
  }

  allowance(): AccountAllowance {
    const now = this.#clock.now();
    const period = this.#periodAt(now);
    if (period !== this.#period) {
      this.#period = period;
      this.#remaining = this.#options.total;
    }
    const { total, periodHours } = this.#options;
    const whole = this.#options.resetRounding === "down" ? Math.floor : Math.ceil;
    const resetSeconds = whole(((period + 1) * periodHours * hourMs - now) / 1000);
    return { total, remaining: this.#remaining, resetSeconds, periodHours };
  }

  /** Takes credits, never below 0. */
  take(credits: number): void {
    this.#remaining = Math.max(0, this.allowance().remaining - credits);
  }

  #periodAt(now: number): number {
    return Math.floor(now / (this.#options.periodHours * hourMs));
  }
}
