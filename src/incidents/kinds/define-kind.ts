import { capital, listed } from "../../core/words.ts";

/** Figures of an incident: stored in `ops.incident.detail` and sent as `detail`. Instants as ISO text. */
export type Facts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** The parts of a message, from which `sentence` makes two sentences. No part ends with a full stop. */
export type Wording = {
  /** What happened, and since when. */
  readonly happened: string;
  /** What it means for the data. */
  readonly means: string;
  /** One command to type, and what it does. */
  readonly command: string;
  readonly does: string;
};

/**
 * A kind of incident. To add one: an entry in a file of this folder, and a check that finds it in `checks.ts`, or a row that another room
 * writes with `raiseFinding`. Docs show its message for the facts of `example`.
 */
export type Kind<F extends Facts = Facts> = {
  readonly title: string;
  /** When it opens and closes, for the docs. */
  readonly says: string;
  /** `trouble`: data is missing, or will be; the ping stops. `note`: good to know; no row is missing. */
  readonly weight: "trouble" | "note";
  /** Kinds that can cause it: while one of those is open, it opens no incident. */
  readonly under?: readonly string[];
  /**
   * How to fix it in the console: run its failed slices again, open the page that shows what is missing, or agree to held answers. Left out
   * if the fix is elsewhere.
   */
  readonly mend?: "retry" | "coverage" | "credits" | "held";
  /** True if no check finds it: the room that detects it writes a finding with `raiseFinding`. */
  readonly isRaised?: true;
  /** `since`: when it began, as text. */
  readonly wording: (facts: F, since: string) => Wording;
  readonly example: F;
};

/** A kind with facts of any form, as in the table. */
export type AnyKind = Omit<Kind, "wording" | "example"> & {
  readonly wording: (facts: never, since: string) => Wording;
  readonly example: Facts;
};

/** Makes a kind with facts of one form. */
export function defineKind<F extends Facts>(kind: Kind<F>): Kind<F> {
  return kind;
}

/** The message: what happened since when; what it means and what to type. `effects`: other problems that it causes. */
export function sentence({ happened, means, command, does }: Wording, effects: readonly string[] = []): string {
  const affected = effects.length === 0 ? "" : ` (affected: ${listed(effects)})`;
  return `${capital(happened)}. ${capital(means)}${affected}; \`${command}\` ${does}.`;
}
