import type { SharedAnswer } from "../api/credit-headers.ts";
import type { App } from "../app.ts";
import type { CallerSettings } from "../config/gateway-settings.ts";
import type { Operation } from "../api/define-operation.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";

/** The parts of the gateway; `ingest` belongs to the present session. */
export type GatewayParts = { readonly app: App; readonly ingest: IngestParts };

/** A caller with its settings. */
export type Caller = CallerSettings & { readonly name: string };

/** A checked call. */
export type Call = { readonly operation: Operation; readonly params: Readonly<Record<string, unknown>> };

/** An answer as a caller gets it: its source, when it was received (epoch-ms), and its cost. */
export type Answered = {
  readonly body: Buffer;
  readonly fetchedAt: number;
  readonly cost: number;
  readonly from: SharedAnswer;
};
