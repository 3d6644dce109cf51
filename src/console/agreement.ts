import { createHash } from "node:crypto";
import { z } from "zod";
import type { Price } from "./define-action.ts";
import { OwnAddress } from "./parse-input.ts";

const Credits = z.coerce.number().int().min(0);
/**
 * What each form has in addition to the action's own fields. `agreed`: the price that was shown; `bound`: the digest of what it was for;
 * `typed`: what a person typed instead of a click; `once`: the name of the form to agree to, which can be used once.
 */
export const Agreement = z.object({
  agreed: Credits.optional(),
  bound: z.string().optional(),
  typed: z.string().optional(),
  once: z.string().max(40).optional(),
  back: OwnAddress,
});

/** The agreement in a form. */
export type Agreed = z.output<typeof Agreement>;

/** An agreement covers at most the price that was shown, for exactly what was shown; above the limit the price has to be typed. */
export function agreesTo(price: Price, agreement: Agreed, limit: number): boolean {
  const { agreed, typed } = agreement;
  if (price.cannot !== undefined) return false;
  if (agreed === undefined) return price.credits === 0 && price.alwaysAsk !== true;
  if (price.credits > agreed || isAboutOther(price, agreement)) return false;
  return price.credits <= limit || Number(typed?.replaceAll(/[\s,._]/g, "")) === price.credits;
}

/** True if the page that was agreed to showed something else; a page that shows only a price names in its fields what it is for. */
export function isAboutOther(price: Price, { bound }: Agreed): boolean {
  return bound !== undefined && bound !== boundBy(price);
}

/** The digest of what a price is for, to be named in a form. */
export function boundBy({ binds }: Price): string {
  return createHash("sha256")
    .update(JSON.stringify(binds ?? null))
    .digest("base64url");
}
