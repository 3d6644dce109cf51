import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { accountOf } from "../config/config-of-account.ts";
import { fail } from "../core/errors.ts";
import { noBreak } from "../core/text-width.ts";
import type { ConsoleParts } from "./console-parts.ts";
import type { AnyPage, PageContext } from "./define-page.ts";
import type { RequestLimits } from "./limits.ts";
import { takeNote } from "./note.ts";
import { parsed } from "./parse-input.ts";
import { navigationEntries, pages } from "./pages/all.ts";
import { instantText } from "./parts/times.ts";
import type { Visitor } from "./visitor.ts";
import { sendPage } from "./layout.ts";

/** The time of outdated figures from a slow database, for a response that is not a page. */
const ageHeader = "x-figures-from";

/** Serves every page. */
export function addPages(server: FastifyInstance, parts: ConsoleParts, limits: RequestLimits): void {
  for (const page of pages)
    server.get(page.path, { onRequest: limitOf(page, limits) }, async (request, reply) => {
      const visitor = parts.access.visitorOf(request);
      if (visitor === null) return toSignIn(parts, request, reply);
      if (page.role === "operator" && visitor.role !== "operator") throw fail("console_not_allowed");
      return showPage(parts, { page, request, reply, visitor });
    });
}

function limitOf({ effort }: AnyPage, limits: RequestLimits): RequestLimits[keyof RequestLimits] {
  return effort === undefined ? limits.page : effort === "some" ? limits.someEffort : limits.muchEffort;
}

/** Without a way to sign in, an error says so, also for a live page that is read again. Otherwise sign-in leads back to this address. */
function toSignIn({ access }: ConsoleParts, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!access.hasPassword || request.headers["hx-request"] !== undefined) throw fail("console_signed_out");
  return reply.redirect(`/sign-in?to=${encodeURIComponent(request.url)}`, 303);
}

type Showing = {
  readonly page: AnyPage;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly visitor: Visitor;
};

async function showPage(parts: ConsoleParts, { page, request, reply, visitor }: Showing): Promise<FastifyReply> {
  const { app, reads } = parts;
  const input = parsed(page.input, { ...(request.query as object), ...(request.params as object) });
  const now = app.clock.now();
  // before anything is read: a change during the read is reported when the page listens
  const since = parts.streams.seen();
  let oldest: number | null = null;
  let token: string | null = null;
  const context: PageContext = {
    app,
    now,
    liveSince: since,
    visitor,
    address: request.url,
    formToken: () => (token ??= reply.generateCsrf({ userInfo: parts.access.formsOf(request) })),
    read: async (key, work) => {
      const { value, readAt, isOld } = await reads.read(key, work);
      if (isOld) oldest = Math.min(readAt, oldest ?? readAt);
      return value;
    },
    runs: parts.runs,
  };
  const answer = await page.show(context, input as never);
  if (!("markup" in answer)) {
    // responses without room for a notice carry it here: coverage.js shows it, and a saved file can be recognised as old
    if (oldest !== null) void reply.header(ageHeader, instantText(oldest, now).replaceAll(noBreak, " "));
    if (answer.name !== undefined) void reply.header("content-disposition", `attachment; filename="${answer.name}"`);
    return reply.header("cache-control", "no-store").type(answer.type).send(answer.body);
  }
  return sendPage(reply, {
    title: page.titleOf?.(input as never) ?? page.title,
    body: answer,
    visitor,
    account: accountOf(app.config.settings),
    navigation: navigationEntries(),
    address: request.url,
    // when htmx reads a page again, the note stays as it is
    note: request.headers["hx-request"] === undefined ? takeNote(request, reply) : null,
    oldSince: oldest === null ? null : instantText(oldest, now),
    liveSince: page.live === true ? since : undefined,
    ...(visitor.by === "password" ? { formToken: context.formToken() } : {}),
  });
}
