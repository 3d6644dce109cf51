import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ErrorCode } from "../core/error-codes.ts";
import { accountOf } from "../config/config-of-account.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { actions } from "./actions/all.ts";
import { Agreement, agreesTo } from "./agreement.ts";
import { agreementPage } from "./agreement-page.ts";
import { recordAtOnce, recordAudit, recordOutcome, recordRun, tryRecord, type AuditOutcome } from "./audit.ts";
import { endOf } from "./background-runs.ts";
import type { ConsoleParts } from "./console-parts.ts";
import type { ActionContext, AnyAction } from "./define-action.ts";
import { createKeptForms, type KeptForm, type KeptForms } from "./kept-forms.ts";
import type { RequestLimits } from "./limits.ts";
import { leaveNote } from "./note.ts";
import { ownForm } from "./own-form.ts";
import { parsed } from "./parse-input.ts";
import { navigationEntries } from "./pages/all.ts";
import { problemOf, visitorOrNull } from "./problem-page.ts";
import type { Visitor } from "./visitor.ts";
import { sendPage } from "./layout.ts";

/** Serves the actions. */
export function addActions(server: FastifyInstance, parts: ConsoleParts, limits: RequestLimits): void {
  const forms = createKeptForms();
  for (const action of actions) {
    server.get<{ Params: { once: string } }>(
      `/actions/${action.name}/:once`,
      { onRequest: limits.page },
      (request, reply) => {
        const visitor = operatorOf(parts, request);
        const form = forms.find(request.params.once, { action, owner: parts.access.formsOf(request) });
        return confirm(parts, { form, once: request.params.once, reply, visitor });
      },
    );
    server.post(
      `/actions/${action.name}`,
      {
        preHandler: ownForm(server, parts.access),
        onRequest: limits.action,
        onError: (request, _, error) => recordRefused(parts, { request, error, action: action.name }),
      },
      (request, reply) =>
        parts.openActions.add(act(parts, { action, request, reply, visitor: operatorOf(parts, request), forms })),
    );
  }
}

function operatorOf({ access }: ConsoleParts, request: FastifyRequest): Visitor {
  const visitor = access.visitorOf(request);
  if (visitor === null) throw fail("console_signed_out");
  if (visitor.role !== "operator") throw fail("console_not_allowed");
  return visitor;
}

const refusals: ReadonlySet<ErrorCode> = new Set(["console_not_allowed", "console_forged"]);

/** Records that a known visitor was refused: a viewer, or a form that this console did not make. Its unchecked fields are not recorded. */
async function recordRefused(
  { app, access }: ConsoleParts,
  { request, error, action }: { readonly request: FastifyRequest; readonly error: unknown; readonly action: string },
): Promise<void> {
  const problem = problemOf(app, error);
  const visitor = visitorOrNull(access, request);
  if (problem === null || visitor === null || !refusals.has(problem.code)) return;
  const end = { action, outcome: "refused", note: problem.message, at: app.clock.now() } as const;
  await recordAtOnce(app.warehouse.db, visitor, end);
}

type Acting = {
  readonly action: AnyAction;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly visitor: Visitor;
  readonly forms: KeptForms;
};

async function act(
  { app, runs, reader, access, openActions: { stop } }: ConsoleParts,
  acting: Acting,
): Promise<FastifyReply> {
  const { action, request, reply, visitor, forms } = acting;
  const { db } = app.warehouse;
  const now = app.clock.now();
  const agreement = parsed(Agreement, request.body);
  const input = parsed(action.input, request.body) as never;
  const context: ActionContext = { app, now, visitor, runs, stop };
  // with the limits of a page: at most console.timeout_seconds, however large the selection is
  const reading = { ...context, app: { ...app, warehouse: { ...app.warehouse, db: reader } } };
  await action.prepare?.(context);
  const price = await action.price(action.readsAsLoader === true ? context : reading, input);
  if (!agreesTo(price, agreement, app.config.settings.credits.ask_above)) {
    const given = request.body as Readonly<Record<string, string>>;
    const once = forms.keep({ action, owner: access.formsOf(request), given, agreement, price }, agreement.once);
    return reply.redirect(`/actions/${action.name}/${once}`, 303);
  }
  forms.send(agreement.once);
  const entry = { action: action.name, subject: JSON.stringify(price.about ?? input), credits: price.credits, at: now };
  const auditId = await recordAudit(db, visitor, entry);
  const write = (outcome: AuditOutcome, note: string) =>
    recordOutcome(db, auditId, { outcome, note, at: app.clock.now() });
  const record = (outcome: AuditOutcome, note: string) => tryRecord(app, write(outcome, note));
  try {
    const { says, to, started } = await action.run(context, input, price);
    await record(started === undefined ? "done" : "started", says);
    if (started !== undefined)
      runs.start(started, {
        onRun: (runId) => recordRun(db, auditId, runId),
        onEnd: (end) => {
          const { isDone, text } = endOf(end);
          return write(isDone ? "done" : "failed", text);
        },
      });
    leaveNote(request, reply, says);
    return await reply.redirect(to, 303);
  } catch (error) {
    await record("failed", error instanceof StorehouseError ? app.hide(error.message) : "unexpected error");
    throw error;
  }
}

type Confirmation = {
  readonly form: KeptForm;
  readonly once: string;
  readonly reply: FastifyReply;
  readonly visitor: Visitor;
};

/** The page that shows the price and requires an agreement. */
function confirm({ app }: ConsoleParts, { form, once, reply, visitor }: Confirmation): FastifyReply {
  const { settings } = app.config;
  const { action, agreement, owner } = form;
  // a price above the agreed one is a conflict, and so is a wrong number
  const status = agreement.agreed === undefined ? 200 : 409;
  const token = reply.generateCsrf({ userInfo: owner });
  return sendPage(reply.code(status), {
    title: action.label,
    body: agreementPage({ form, once, limit: settings.credits.ask_above, token }),
    visitor,
    account: accountOf(settings),
    navigation: navigationEntries(),
    address: agreement.back,
  });
}
