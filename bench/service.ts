import type { Manner, Witness } from "./answer-server.ts";
import { startChild } from "./child.ts";

/** The answer server in its own process. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  /** Sets how it behaves from now on, with a full allowance and an empty record. */
  behave(manner?: Partial<Manner>): Promise<void>;
  witness(): Promise<Witness>;
  /** Processor time that it has used so far, in ms. */
  cpu(): Promise<number>;
}

/** More than any run of the bench spends. */
const plenty = 100_000_000;

/** Starts the service; it listens when this resolves. */
export async function startService(stop: AbortSignal): Promise<Service> {
  await using opened = new AsyncDisposableStack();
  const child = opened.use(startChild("answer-server.ts", stop));
  const url = await child.ask<string>({ kind: "listen" });
  const behave: Service["behave"] = (manner = {}) =>
    child.ask({ kind: "behave", manner: { latencyMs: 0, changed: false, total: plenty, gate: 0, ...manner } });
  await behave();
  const stack = opened.move();
  return {
    url,
    behave,
    witness: () => child.ask<Witness>({ kind: "witness" }),
    cpu: () => child.ask<number>({ kind: "cpu" }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
