import { createHash, randomBytes } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { ErrorCode } from "../core/error-codes.ts";
import { accountOf } from "../config/config-of-account.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { count, countOf } from "../core/words.ts";
import { actions } from "./actions/all.ts";
import { recordDeed, recordOutcome, recordRun, type DeedOutcome } from "./audit.ts";
import { endOf } from "./background-runs.ts";
import type { ConsoleParts } from "./console-parts.ts";
import type { ActionContext, AnyAction, Price } from "./define-action.ts";
import { html, type Html } from "./html.ts";
import type { RequestLimits } from "./limits.ts";
import { leaveNote } from "./note.ts";
import { ownForm } from "./own-form.ts";
import { OwnAddress, parsed } from "./parse-input.ts";
import { navigationEntries } from "./pages/all.ts";
import { problemOf, visitorOrNull } from "./problem-page.ts";
import type { Visitor } from "./visitor.ts";
import { hiddenFields } from "./parts/form-fields.ts";
import { sendPage } from "./layout.ts";

const Credits = z.coerce.number().int().min(0);
/**
 * What each form has beside the action's own fields. `agreed`: the price that was shown; `bound`: the digest of what it was about then;
 * `typed`: what a person typed instead of a click; `once`: the name of the form that wants an agreement, which holds once.
 */
const Agreement = z.object({
  agreed: Credits.optional(),
  bound: z.string().optional(),
  typed: z.string().optional(),
  once: z.string().max(40).optional(),
  back: OwnAddress,
});

/** Forms that were agreed to are remembered until so many others were: a second click comes at once. */
const mostSent = 1_000;

/** Serves the actions. */
export function addActions(server: FastifyInstance, parts: ConsoleParts, limits: RequestLimits): void {
  const sent = new Set<string>();
  const checkOnce = (once: string | undefined) => {
    if (once === undefined) return;
    if (sent.has(once)) throw fail("console_sent_already");
    sent.add(once);
    for (const oldest of sent) if (sent.size > mostSent) sent.delete(oldest);
  };
  for (const action of actions)
    server.post(
      `/actions/${action.name}`,
      {
        preHandler: ownForm(server),
        onRequest: limits.action,
        onError: (request, _, error) => recordRefused(parts, { request, error, action: action.name }),
      },
      (request, reply) => {
        const visitor = parts.access.visitorOf(request);
        if (visitor === null) throw fail("console_signed_out");
        if (visitor.role !== "operator") throw fail("console_not_allowed");
        return act(parts, { action, request, reply, visitor, checkOnce });
      },
    );
}

const refusals: ReadonlySet<ErrorCode> = new Set(["console_not_allowed", "console_forged"]);

/**
 * Puts on record that a known visitor was refused: a viewer, or a form that is none of this console. Its fields are not, since nobody has
 * checked them.
 */
async function recordRefused(
  { app, access }: ConsoleParts,
  { request, error, action }: { readonly request: FastifyRequest; readonly error: unknown; readonly action: string },
): Promise<void> {
  const problem = problemOf(app, error);
  const visitor = visitorOrNull(access, request);
  if (problem === null || visitor === null || !refusals.has(problem.code)) return;
  const at = app.clock.now();
  const { db } = app.warehouse;
  const auditId = await recordDeed(db, visitor, { action, subject: "", credits: 0, at });
  await recordOutcome(db, auditId, { outcome: "refused", note: problem.message, at });
}

type Acting = {
  readonly action: AnyAction;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly visitor: Visitor;
  /** Throws `console_sent_already` for a form that was agreed to before. */
  readonly checkOnce: (once: string | undefined) => void;
};

async function act({ app, runs, reader, access }: ConsoleParts, acting: Acting): Promise<FastifyReply> {
  const { action, request, reply, visitor, checkOnce } = acting;
  const { db } = app.warehouse;
  const now = app.clock.now();
  const agreement = parsed(Agreement, request.body);
  const input = parsed(action.input, request.body) as never;
  const context: ActionContext = { app, now, visitor, runs };
  // as a page reads: for console.timeout_seconds at most, however large the selection is
  const reading = { ...context, app: { ...app, warehouse: { ...app.warehouse, db: reader } } };
  const price = await action.price(action.readsAsLoader === true ? context : reading, input);
  const limit = app.config.settings.credits.ask_above;
  if (!isAgreed(price, agreement, limit))
    return confirm(acting, {
      price,
      agreement,
      limit,
      owner: access.formsOf(request),
      account: accountOf(app.config.settings),
    });
  checkOnce(agreement.once);
  const deed = { action: action.name, subject: JSON.stringify(price.about ?? input), credits: price.credits, at: now };
  const auditId = await recordDeed(db, visitor, deed);
  const record = (outcome: DeedOutcome, note: string) =>
    recordOutcome(db, auditId, { outcome, note, at: app.clock.now() });
  try {
    const { says, to, started } = await action.run(context, input, price);
    await record(started === undefined ? "done" : "started", says);
    if (started !== undefined)
      runs.start(started, {
        onRun: (runId) => recordRun(db, auditId, runId),
        onEnd: (end) => {
          const { isDone, text } = endOf(end);
          return record(isDone ? "done" : "failed", text);
        },
      });
    leaveNote(request, reply, says);
    return await reply.redirect(to, 303);
  } catch (error) {
    await record("failed", error instanceof StorehouseError ? app.hide(error.message) : "unforeseen error");
    throw error;
  }
}

type Agreed = z.output<typeof Agreement>;

/** Agreed is the price that was shown, or more, for just what was shown; above the limit it has to be typed. */
function isAgreed(price: Price, agreement: Agreed, limit: number): boolean {
  const { agreed, typed } = agreement;
  if (price.cannot !== undefined) return false;
  if (agreed === undefined) return price.credits === 0 && price.alwaysAsk !== true;
  if (price.credits > agreed || isAboutOther(price, agreement)) return false;
  return price.credits <= limit || Number(typed?.replaceAll(/[\s,._]/g, "")) === price.credits;
}

/** True where the page that was agreed to showed something else; a page that shows a price alone names what it is about in its fields. */
function isAboutOther(price: Price, { bound }: Agreed): boolean {
  return bound !== undefined && bound !== digestOf(price);
}

function digestOf({ binds }: Price): string {
  return createHash("sha256")
    .update(JSON.stringify(binds ?? null))
    .digest("base64url");
}

type Confirmation = {
  readonly price: Price;
  readonly agreement: Agreed;
  readonly limit: number;
  readonly owner: string;
  readonly account: string;
};

/** The page that shows the price and wants an agreement. */
function confirm({ action, request, reply, visitor }: Acting, confirmation: Confirmation): FastifyReply {
  const { agreement } = confirmation;
  // what was agreed to and is dearer now is a conflict, as is a number that is another one
  const status = agreement.agreed === undefined ? 200 : 409;
  const body = agreementForm(
    action,
    confirmation,
    request.body as Readonly<Record<string, string>>,
    reply.generateCsrf({ userInfo: confirmation.owner }),
  );
  return sendPage(reply.code(status), {
    title: action.label,
    body,
    visitor,
    account: confirmation.account,
    navigation: navigationEntries(),
    address: agreement.back,
  });
}

/** Fields that this form has anew. */
const ownFields = new Set(["_csrf", "agreed", "bound", "typed", "once", "back"]);

function agreementForm(
  action: AnyAction,
  { price, agreement, limit }: Confirmation,
  given: Readonly<Record<string, string>>,
  token: string,
): Html {
  const fields = {
    ...Object.fromEntries(Object.entries(given).filter(([name]) => !ownFields.has(name))),
    agreed: price.credits,
    bound: digestOf(price),
    once: randomBytes(16).toString("base64url"),
    back: agreement.back,
    _csrf: token,
  };
  const isTyped = price.credits > limit && price.cannot === undefined;
  return html`<form class="card narrow stack" method="post" action="/actions/${action.name}">
    <p class="eyebrow">Nothing has been spent yet</p>
    <h1>${action.label}</h1>
    ${warningOf(price, agreement)}
    <p>${price.says}</p>
    ${price.detail}
    <p class="price">
      ${price.later === undefined ? null : "about "}<strong class="number">${count(price.credits)}</strong>
      ${price.credits === 1 ? "credit" : "credits"} ${price.later ?? "at most"}
    </p>
    ${hiddenFields(fields)}
    ${price.cannot === undefined ? null : html`<p class="notice warn" role="status">${price.cannot}</p>`}
    ${
      isTyped
        ? html`<label
            >That is more than credits.ask_above (${count(limit)}). Type <strong>${price.credits}</strong> to
            agree<input name="typed" inputmode="numeric" autocomplete="off" required autofocus
          /></label>`
        : null
    }
    <p class="buttons">
      ${
        price.cannot === undefined
          ? html`<button class="button primary">
                ${action.label}${price.credits > 0 && price.later === undefined ? ` for ${countOf(price.credits, "credit")}` : ""}
              </button>
              <a class="button" href="${agreement.back}">Cancel</a>`
          : html`<a class="button" href="${agreement.back}">Back</a>`
      }
    </p>
  </form>`;
}

function warningOf(price: Price, agreement: Agreed): Html | null {
  const { agreed, typed } = agreement;
  if (agreed === undefined) return null;
  if (isAboutOther(price, agreement))
    return html`<p class="notice warn" role="alert">What it is about has changed since it was shown: see it again.</p>`;
  if (price.credits > agreed)
    return html`<p class="notice warn" role="alert">
      It costs ${countOf(price.credits, "credit")} now, more than the ${count(agreed)} that were shown.
    </p>`;
  return typed === undefined ? null : html`<p class="notice bad" role="alert">The number does not match.</p>`;
}
