import type { z } from "zod";
import type { App } from "../app.ts";
import type { BackgroundRuns, BackgroundWork } from "./background-runs.ts";
import { html, type Html } from "./html.ts";
import type { Visitor } from "./visitor.ts";
import { hiddenFields } from "./parts/form-fields.ts";
import { countOf } from "../core/words.ts";

/*
 * An action is a form that is posted to /actions/NAME. The server does not rely on what the page showed, but calculates the price again:
 *
 *   nothing agreed, or less than it costs now    the price is shown, at a separate address, with a button that agrees to it
 *   agreed, and its subject has changed since    the price and what it is about are shown again
 *   more than credits.ask_above                  the price must also be typed
 *   it cannot be done here                       what it would do and why not are shown, without a button
 *   agreed                                       a row in ops.audit, then `run`, which may spend at most the price; what it returns as
 *                                                `started` continues after the response is sent, and the row gets its outcome
 *
 * `price` and `run` call the functions that the commands call. Only an operator gets this far.
 *
 * To add one: a file in src/console/actions/ exports a value made by `defineAction`, actions/all.ts lists it, and a page has its
 * `actionForm`.
 */

/** What an action works with. */
export type ActionContext = {
  readonly app: App;
  readonly now: number;
  readonly visitor: Visitor;
  /** Aborted when the console closes: nothing more is sent. */
  readonly stop: AbortSignal;
  /** Runs that continue after the response is sent. */
  readonly runs: Pick<BackgroundRuns, "checkRunning" | "stop">;
};

/** What an action would do and cost. */
export type Price = {
  /** The most credits that it spends; 0 if it is free. */
  readonly credits: number;
  /** What will happen, as a sentence. */
  readonly says: string;
  /** More about it, for the page that requires an agreement. */
  readonly detail?: Html;
  /** What is recorded instead of the fields of the form, if those do not say what would change. */
  readonly about?: Readonly<Record<string, unknown>>;
  /** What exactly it is for, if the same fields may mean something else later: an agreement applies only to this. */
  readonly binds?: unknown;
  /** True if it requires an agreement even at a low price: it changes something elsewhere. */
  readonly alwaysAsk?: true;
  /** When the credits are spent, if the action itself spends none: they are then the expected price. */
  readonly later?: string;
  /** Why it cannot be done here, as a sentence: it is shown without a button. */
  readonly cannot?: string;
};

/** The most credits that were agreed to, and what exactly the agreement is for. */
type AgreedPrice = Pick<Price, "credits" | "binds">;

/** The outcome: a sentence, the page to go to, and the work that continues after the response is sent. */
type Done = { readonly says: string; readonly to: string; readonly started?: BackgroundWork };

/** The outcome of an action that has started a run with the agreed price as its limit. */
export function runStarted(started: BackgroundWork, { credits }: AgreedPrice, to: string): Done {
  return { started, says: `${started.what} has started and costs at most ${countOf(credits, "credit")}.`, to };
}

/** An action of the console. */
export type Action<I extends z.ZodObject = z.ZodObject> = {
  readonly name: string;
  /** What its button says. */
  readonly label: string;
  readonly input: I;
  /** True if its price requires tables that the reader may not read. */
  readonly readsAsLoader?: true;
  /** Done as the loader before `price`, which reads only: what is over already is noted as over. It spends nothing. */
  readonly prepare?: (context: ActionContext) => Promise<unknown>;
  readonly price: (context: ActionContext, input: z.output<I>) => Promise<Price>;
  /** `agreed`: what was agreed to. What `price` bound is compared with it if it may have changed in the meantime. */
  readonly run: (context: ActionContext, input: z.output<I>, agreed: AgreedPrice) => Promise<Done>;
};

/** An action, with any input. */
export type AnyAction = Omit<Action, "price" | "run"> & {
  readonly price: (context: ActionContext, input: never) => Promise<Price>;
  readonly run: (context: ActionContext, input: never, agreed: AgreedPrice) => Promise<Done>;
};

/** Makes an action. */
export function defineAction<I extends z.ZodObject>(action: Action<I>): AnyAction {
  return action;
}

/** The fields of a form that posts to an action. */
export type ActionFields = Readonly<Record<string, string | number>>;

/**
 * The form with a button that posts to an action; empty for a viewer. `agreed`: the credits that the page showed for it, so that one click
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
