import { createHash } from "node:crypto";
import { scopeKey, type SliceDraft } from "../core/slice.ts";
import type { PlanLine } from "../ledger/plans.ts";
import type { PlanChunk } from "./planning.ts";

/** What a plan comes to: its lines, sums, and the digest (SHA-256, hex) of all its slices in order. */
export type PlanSum = {
  readonly lines: readonly PlanLine[];
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
  readonly naiveCredits: number;
  readonly digest: string;
};

/** Adds up a plan while it streams by. */
export interface PlanTally {
  add(chunk: PlanChunk): void;
  sum(): PlanSum;
}

/** Opens an empty tally. It keeps a line an app, country and operation, and no slice. */
export function createTally(): PlanTally {
  const hash = createHash("sha256");
  const lines = new Map<string, Mutable<PlanLine>>();
  // batches are shared by many slices: a list of a hundred keywords is put into text once
  const itemTexts = new WeakMap<readonly string[], string>();
  let naiveCredits = 0;
  return {
    add: (chunk) => {
      naiveCredits += chunk.naiveCredits;
      for (const slice of chunk.slices) {
        hash.update(canonical(slice, itemTexts));
        addTo(lines, slice);
      }
    },
    sum: () => ({
      lines: [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line),
      ...sumOf([...lines.values()]),
      naiveCredits,
      digest: hash.copy().digest("hex"),
    }),
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function addTo(lines: Map<string, Mutable<PlanLine>>, slice: SliceDraft): void {
  const { dataset, class: name, operation, scope } = slice;
  const [store, app, country] = [scope["store"] ?? "", scope["app"] ?? "", scope["country"] ?? ""];
  const key = [dataset, name, operation, store, app, country].join("\n");
  const line = lines.get(key) ?? {
    dataset,
    class: name,
    operation,
    store,
    app,
    country,
    slices: 0,
    requests: 0,
    credits: 0,
  };
  line.slices += 1;
  line.requests += slice.requests;
  line.credits += slice.credits;
  lines.set(key, line);
}

/** A slice as one line of text: equal for equal slices, whoever planned them and when. */
function canonical(slice: SliceDraft, itemTexts: WeakMap<readonly string[], string>): string {
  const { dataset, operation, scope, items, window, requests, credits, fingerprint } = slice;
  const known = items === null ? "null" : (itemTexts.get(items) ?? JSON.stringify(items));
  if (items !== null) itemTexts.set(items, known);
  const rest = [dataset, operation, scopeKey(scope), window.start, window.end, slice.class, requests, credits];
  return `${JSON.stringify([...rest, slice.asOf, fingerprint])}${known}\n`;
}

/** Sums of anything that has slices, requests and credits. */
export function sumOf(
  work: readonly { readonly slices: number; readonly requests: number; readonly credits: number }[],
) {
  return {
    slices: work.reduce((sum, one) => sum + one.slices, 0),
    requests: work.reduce((sum, one) => sum + one.requests, 0),
    credits: work.reduce((sum, one) => sum + one.credits, 0),
  };
}
