import type { z } from "zod";
import type { App } from "../app.ts";
import type { BackgroundRuns, BackgroundWork } from "./background-runs.ts";
import { html, type Html } from "./html.ts";
import type { Visitor } from "./visitor.ts";
import { hiddenFields } from "./parts/form-fields.ts";

/*
 * An action is a form that is posted to /actions/NAME. The server does not rely on what the page showed, but works the price out again:
 *
 *   nothing agreed, or less than it costs now    the price is shown, at an address of its own, and a button that agrees to it
 *   agreed, and it is about something else now   the price and what it is about are shown again
 *   more than credits.ask_above                  the price has to be typed as well
 *   it cannot be done here                       what it would do and why not are shown, without a button
 *   agreed                                       a row in ops.audit, then `run`, which may spend the price and no more; what it returns as
 *                                                `started` goes on when the answer has been sent, and the row says what became of it
 *
 * `price` and `run` call the functions that the commands call. Only an operator gets this far.
 *
 * To add one: a file in src/console/actions/ exports a value made by `defineAction`, actions/all.ts lists it, and a page has its `actionForm`.
 */

/** What an action works with. */
export type ActionContext = {
  readonly app: App;
  readonly now: number;
  readonly visitor: Visitor;
  /** Runs that go on when the answer has been sent. */
  readonly runs: Pick<BackgroundRuns, "checkFree" | "checkRunning" | "stop">;
};

/** What an action would do and cost. */
export type Price = {
  /** Most credits that it spends; 0 for what is free. */
  readonly credits: number;
  /** What will happen, as a sentence. */
  readonly says: string;
  /** More of it, for the page that wants an agreement. */
  readonly detail?: Html;
  /** What is put on record instead of the fields of the form, where those do not say what would change. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** What exactly it is about, where the fields of the form do not say so for good: an agreement holds for just that. */
  readonly binds?: unknown;
  /** True where it wants an agreement even at a low price: it changes something elsewhere. */
  readonly alwaysAsk?: true;
  /** When the credits are spent where the action itself spends none: they are what is expected then. */
  readonly later?: string;
  /** Why it cannot be done here, as a sentence: it is shown and has no button. */
  readonly cannot?: string;
};

/** The most credits that were agreed to, and what exactly the agreement is about. */
type Agreed = Pick<Price, "credits" | "binds">;

/** What became of it: a sentence, the page to go on with, and what goes on when the answer has been sent. */
type Done = { readonly says: string; readonly to: string; readonly started?: BackgroundWork };

/** An action of the console. */
export type Action<I extends z.ZodObject = z.ZodObject> = {
  readonly name: string;
  /** What its button says. */
  readonly label: string;
  readonly input: I;
  /** True where its price is of tables that the reader has no right to. */
  readonly readsAsLoader?: true;
  readonly price: (context: ActionContext, input: z.output<I>) => Promise<Price>;
  /** `agreed`: what was agreed to. What `price` bound is compared with it where it may be other by now: a moment has passed. */
  readonly run: (context: ActionContext, input: z.output<I>, agreed: Agreed) => Promise<Done>;
};

/** An action, with any input. */
export type AnyAction = Omit<Action, "price" | "run"> & {
  readonly price: (context: ActionContext, input: never) => Promise<Price>;
  readonly run: (context: ActionContext, input: never, agreed: Agreed) => Promise<Done>;
};

/** Makes an action. */
export function defineAction<I extends z.ZodObject>(action: Action<I>): AnyAction {
  return action;
}

/** The fields of a form that posts to an action. */
export type ActionFields = Readonly<Record<string, string | number>>;

/**
 * The form with a button that posts to an action: nothing for a viewer. `agreed`: credits that the page has shown for it, so that one click
 * is enough below credits.ask_above.
 */
export function actionForm(
  {
    visitor,
    formToken,
    address,
  }: { readonly visitor: Visitor; readonly formToken: () => string; readonly address: string },
  {
    action,
    label,
    fields,
    agreed,
  }: {
    readonly action: AnyAction;
    readonly label?: string;
    readonly fields: ActionFields;
    readonly agreed?: number;
  },
): Html {
  if (visitor.role !== "operator") return html``;
  const all = { ...fields, ...(agreed === undefined ? {} : { agreed }), back: address, _csrf: formToken() };
  return html`<form method="post" action="/actions/${action.name}" class="action">
    ${hiddenFields(all)}<button class="button">${label ?? action.label}</button>
  </form>`;
}
