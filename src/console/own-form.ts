import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from "fastify";
import { fail } from "../core/errors.ts";

/**
 * Accepts a request only if this console made its form for this visitor, and no page of another site sends it. Others end as
 * `console_forged`.
 */
export function ownForm(server: FastifyInstance): preHandlerHookHandler {
  return (request, reply, done) => {
    if (isFromElsewhere(request)) done(fail("console_forged"));
    else server.csrfProtection(request, reply, done);
  };
}

/** True if the browser reports that another site sends it: by the relation of the two sites, or without that, by the origin. */
function isFromElsewhere({ headers, host }: FastifyRequest): boolean {
  const relation = headers["sec-fetch-site"];
  if (relation !== undefined) return relation !== "same-origin" && relation !== "none";
  return headers.origin !== undefined && URL.parse(headers.origin)?.host !== host;
}
