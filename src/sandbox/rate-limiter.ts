import type { Clock } from "../core/clock.ts";
import type { RateLimit } from "./options.ts";

/** A token bucket per API key: `burst` requests at once, then `perSecond`. */
export class RateLimiter {
  readonly #limit: RateLimit | null;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(limit: RateLimit | null, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Lets one request pass, or not; the headers report what is left. */
  pass(token: string): { allowed: boolean; headers: Record<string, string> } {
    if (this.#limit === null) return { allowed: true, headers: {} };
    const { perSecond, burst } = this.#limit;
    const now = this.#clock.now();
    const bucket = this.#buckets.get(token) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    this.#buckets.set(token, { tokens: left, at: now });
    const headers = {
      "X-Ratelimit-Remaining": String(Math.floor(left)),
      "X-Ratelimit-Replenish-Rate": String(perSecond),
      "X-Ratelimit-Requested-Tokens": "1",
    };
    return { allowed, headers };
  }
}
