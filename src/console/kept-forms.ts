import { randomBytes } from "node:crypto";
import { fail } from "../core/errors.ts";
import type { Agreed } from "./agreement.ts";
import type { AnyAction, Price } from "./define-action.ts";

/** A form that requires an agreement: its owner, what was posted, and the price that it shows. */
export type KeptForm = {
  readonly action: AnyAction;
  readonly owner: string;
  readonly given: Readonly<Record<string, string>>;
  readonly agreement: Agreed;
  readonly price: Price;
};

/** The forms that wait for an agreement, by name, each at a separate address: a browser cannot go back to the response to a POST. */
export type KeptForms = {
  /**
   * Keeps a form and returns its name. If it replaces a form of this visitor, it takes over the name, and the old form can no longer be
   * agreed to. Throws `console_sent_already` if that one was agreed to.
   */
  readonly keep: (form: KeptForm, insteadOf?: string) => string;
  /**
   * Throws `console_unknown` for a form that does not exist or belongs to another visitor, `console_sent_already` for one that was agreed
   * to.
   */
  readonly find: (once: string, of: Pick<KeptForm, "action" | "owner">) => KeptForm;
  /** Records that a form is agreed to. Throws `console_sent_already` if it already was. */
  readonly send: (once: string | undefined) => void;
};

/** Forms may hold thousands of keywords each; a person has a few open. */
const mostKept = 100;
/** The most recently agreed forms that are remembered, to recognise a second click, which comes at once. */
const mostSent = 1_000;

/** Creates the store of forms, which lasts as long as the process. */
export function createKeptForms(): KeptForms {
  const kept = new Map<string, KeptForm>();
  const sent = new Set<string>();
  return {
    keep: (form, insteadOf = "") => {
      if (sent.has(insteadOf)) throw fail("console_sent_already");
      const older = kept.get(insteadOf);
      const isOwn = older?.action === form.action && older.owner === form.owner;
      const once = isOwn ? insteadOf : randomBytes(16).toString("base64url");
      kept.delete(once);
      kept.set(once, form);
      dropOldest(kept, mostKept);
      return once;
    },
    find: (once, { action, owner }) => {
      if (sent.has(once)) throw fail("console_sent_already");
      const form = kept.get(once);
      if (form === undefined || form.action !== action || form.owner !== owner)
        throw fail("console_unknown", { what: "form at this address any longer" });
      return form;
    },
    send: (once) => {
      if (once === undefined) return;
      if (sent.has(once)) throw fail("console_sent_already");
      sent.add(once);
      kept.delete(once);
      dropOldest(sent, mostSent);
    },
  };
}

function dropOldest(all: Map<string, KeptForm> | Set<string>, most: number): void {
  for (const oldest of all.keys()) if (all.size > most) all.delete(oldest);
}
