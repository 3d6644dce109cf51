import type { SharedAnswer } from "../api/credit-headers.ts";
import type { App } from "../app.ts";
import type { CallerSettings } from "../config/gateway-settings.ts";
import type { Operation } from "../api/define-operation.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";

/** What the gateway is made of; `ingest` is that of the present session. */
export type GatewayParts = { readonly app: App; readonly ingest: IngestParts };

/** Who calls. */
export type Caller = CallerSettings & { readonly name: string };

/** A checked call. */
export type Call = { readonly operation: Operation; readonly params: Readonly<Record<string, unknown>> };

/** An answer as a caller gets it: where it is from, when it came (epoch-ms), and what it took. */
export type Answered = {
  readonly body: Buffer;
  readonly fetchedAt: number;
  readonly cost: number;
  readonly from: SharedAnswer;
};
