import { createHash } from "node:crypto";
import { scopeKey, type Scope, type SliceDraft } from "../core/slice.ts";
import { sumBy } from "../core/sum.ts";
import type { PlanLine } from "../ledger/plans.ts";
import type { PlanChunk } from "./plan-stream.ts";

/** The totals of a plan: its lines, sums, and the digest (SHA-256, hex) of all its slices in order, '' if none was needed. */
export type PlanSum = {
  readonly lines: readonly PlanLine[];
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
  readonly naiveCredits: number;
  readonly digest: string;
};

/** Adds up a plan while it is streamed. */
export interface PlanTally {
  add(chunk: PlanChunk): void;
  sum(): PlanSum;
}

/**
 * Opens an empty tally. It keeps one line per app, country and operation, and no slices. A plan that is not stored needs no digest, which
 * takes most of the time.
 */
export function createTally({ digest = true } = {}): PlanTally {
  const hash = createHash("sha256");
  const lines: Lines = { byKey: new Map(), byScope: new WeakMap() };
  // batches and scopes are shared by many slices: a list of a hundred keywords is converted to text only once
  const texts: Texts = { items: new WeakMap(), scopes: new WeakMap() };
  let naiveCredits = 0;
  return {
    add: (chunk) => {
      naiveCredits += chunk.naiveCredits;
      for (const slice of chunk.slices) {
        if (digest) hash.update(canonical(slice, texts));
        addTo(lines, slice);
      }
    },
    sum: () => ({
      lines: [...lines.byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line),
      ...planTotals([...lines.byKey.values()]),
      naiveCredits,
      digest: digest ? hash.copy().digest("hex") : "",
    }),
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Lines by their whole key, and within one scope by the rest of the key: slices share the objects of their scopes. */
type Lines = {
  readonly byKey: Map<string, Mutable<PlanLine>>;
  readonly byScope: WeakMap<Scope, Mutable<PlanLine>[]>;
};

function addTo(lines: Lines, slice: SliceDraft): void {
  let own = lines.byScope.get(slice.scope);
  if (own === undefined) lines.byScope.set(slice.scope, (own = []));
  let line = own.find(
    (one) => one.operation === slice.operation && one.class === slice.class && one.dataset === slice.dataset,
  );
  if (line === undefined) own.push((line = lineOf(lines, slice)));
  line.slices += 1;
  line.requests += slice.requests;
  line.credits += slice.credits;
}

function lineOf({ byKey }: Lines, { dataset, class: name, operation, scope }: SliceDraft): Mutable<PlanLine> {
  const [store, app, country] = [scope["store"] ?? "", scope["app"] ?? "", scope["country"] ?? ""];
  const key = [dataset, name, operation, store, app, country].join("\n");
  const sums = { slices: 0, requests: 0, credits: 0 };
  const line = byKey.get(key) ?? { dataset, class: name, operation, store, app, country, ...sums };
  byKey.set(key, line);
  return line;
}

type Texts = {
  readonly items: WeakMap<readonly string[], string>;
  readonly scopes: WeakMap<Scope, string>;
};

/** A slice as one line of text: equal for equal slices, no matter when and by which process they were planned. */
function canonical(slice: SliceDraft, texts: Texts): string {
  const { dataset, operation, scope, items, window, requests, credits, fingerprint } = slice;
  const list = items === null ? "null" : (texts.items.get(items) ?? JSON.stringify(items));
  if (items !== null) texts.items.set(items, list);
  const about = texts.scopes.get(scope) ?? scopeKey(scope);
  texts.scopes.set(scope, about);
  const rest = [dataset, operation, about, window.start, window.end, slice.class, requests, credits];
  return `${JSON.stringify([...rest, slice.asOf, fingerprint])}${list}\n`;
}

/** Sums of anything that has slices, requests and credits. */
export function planTotals(
  work: readonly { readonly slices: number; readonly requests: number; readonly credits: number }[],
) {
  return {
    slices: sumBy(work, (one) => one.slices),
    requests: sumBy(work, (one) => one.requests),
    credits: sumBy(work, (one) => one.credits),
  };
}
