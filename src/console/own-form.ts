import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from "fastify";
import { fail } from "../core/errors.ts";
import type { Access } from "./access.ts";

/**
 * Accepts a request only if this console made its form for this visitor, and no page of another site sends it. Others end as
 * `console_forged`; with `access`, those of visitors who have to sign in end as `console_signed_out`: after a restart of the console it is
 * not the form that is wrong.
 */
export function ownForm(
  server: FastifyInstance,
  access?: Pick<Access, "hasPassword" | "visitorOf">,
): preHandlerHookHandler {
  return (request, reply, done) => {
    if (isFromElsewhere(request)) done(fail("console_forged"));
    else if (access?.hasPassword === true && access.visitorOf(request) === null) done(fail("console_signed_out"));
    else server.csrfProtection(request, reply, done);
  };
}

/** True if the browser reports that another site sends it: by the relation of the two sites, or without that, by the origin. */
function isFromElsewhere({ headers, host }: FastifyRequest): boolean {
  const relation = headers["sec-fetch-site"];
  if (relation !== undefined) return relation !== "same-origin" && relation !== "none";
  return headers.origin !== undefined && URL.parse(headers.origin)?.host !== host;
}
