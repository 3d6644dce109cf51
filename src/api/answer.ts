import type { CreditHeaders } from "./credit-headers.ts";

/** An answer as it came: nothing has looked into the body yet. The token is struck out should the service echo it. */
export type Answer = {
  readonly status: number;
  readonly body: Buffer;
  readonly credits: CreditHeaders;
  /** Epoch-ms at which the last byte was in. */
  readonly receivedAt: number;
  readonly durationMs: number;
  /** What the service's clock said (epoch-ms, whole seconds); null when it did not say. */
  readonly serverTime: number | null;
};
