import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { fail } from "../core/errors.ts";
import { longestName } from "./access.ts";
import { recordAtOnce, type Actor } from "./audit.ts";
import type { ConsoleParts } from "./console-parts.ts";
import { html, type Html } from "./html.ts";
import { ownForm } from "./own-form.ts";
import { OwnAddress, parsed } from "./parse-input.ts";
import { visitorOrNull } from "./problem-page.ts";
import { sendPage } from "./layout.ts";

/** Tries per minute and address: at this rate nobody guesses a password of twelve characters. */
const triesAMinute = 10;

const Typed = z.object({
  name: z.string().trim().max(longestName).default(""),
  password: z.string().max(1_000),
  to: OwnAddress,
});

/** Serves sign-in and sign-out. */
export function addSignIn(server: FastifyInstance, { access, app }: ConsoleParts): void {
  const recordVisit = (who: Actor, action: "sign-in" | "sign-out", outcome: "done" | "refused") =>
    recordAtOnce(app.warehouse.db, who, { action, outcome, note: "", at: app.clock.now() });
  server.get("/sign-in", (request, reply) => {
    const { to } = parsed(z.object({ to: OwnAddress }), request.query);
    if (!access.hasPassword || access.visitorOf(request) !== null) return reply.redirect(to, 303);
    return send(request, reply, { to, problem: null, owner: access.formsOf(request) });
  });
  server.post(
    "/sign-in",
    { preHandler: ownForm(server), config: { rateLimit: { max: triesAMinute, timeWindow: "1 minute" } } },
    async (request, reply) => {
      const typed = parsed(Typed, request.body);
      const visitor = access.known(request, typed);
      // not the typed name: it may be a password in the wrong field
      const named = visitor ?? ({ name: "unknown", role: null, from: request.ip, by: "password" } as const);
      await recordVisit(named, "sign-in", visitor === null ? "refused" : "done");
      // recorded first: nobody is signed in without a record
      if (visitor !== null) {
        access.signIn(request, reply, visitor);
        return reply.redirect(typed.to, 303);
      }
      return send(request, reply.code(401), {
        to: typed.to,
        problem: fail("console_sign_in").problem,
        owner: access.formsOf(request),
      });
    },
  );
  server.post("/sign-out", { preHandler: ownForm(server) }, async (request, reply) => {
    const visitor = visitorOrNull(access, request);
    // first the session ends: the visitor is signed out even if recording fails
    access.signOut(request, reply);
    if (visitor !== null) await recordVisit(visitor, "sign-out", "done");
    return reply.redirect("/sign-in", 303);
  });
}

type Form = { readonly to: string; readonly problem: string | null; readonly owner: string };

function send(request: FastifyRequest, reply: FastifyReply, form: Form): FastifyReply {
  const body = signInForm(form, reply.generateCsrf({ userInfo: form.owner }));
  return sendPage(reply, { title: "Sign in", body, visitor: null, navigation: [], address: request.url });
}

function signInForm({ to, problem }: Form, token: string): Html {
  return html`<form class="card narrow stack" method="post" action="/sign-in">
    <h1>Sign in</h1>
    ${problem === null ? null : html`<p class="notice bad" role="alert">The ${problem}.</p>`}
    <label
      >Your name <span class="muted">for the audit log</span
      ><input name="name" autocomplete="username" maxlength="${longestName}"
    /></label>
    <label>Password<input name="password" type="password" autocomplete="current-password" required autofocus /></label>
    <input type="hidden" name="to" value="${to}" /><input type="hidden" name="_csrf" value="${token}" />
    <button class="button primary">Sign in</button>
  </form>`;
}
