import type { FastifyInstance, FastifyRequest, preHandlerHookHandler } from "fastify";
import { fail } from "../core/errors.ts";

/** Lets a request pass whose form this console made for this visitor, and that no page of another site sends. Others end as `console_forged`. */
export function ownForm(server: FastifyInstance): preHandlerHookHandler {
  return (request, reply, done) => {
    if (isFromElsewhere(request)) done(fail("console_forged"));
    else server.csrfProtection(request, reply, done);
  };
}

/** True where a browser says that another site sends it: by the relation of the two sites, or where it does not say that by the site itself. */
function isFromElsewhere({ headers, host }: FastifyRequest): boolean {
  const relation = headers["sec-fetch-site"];
  if (relation !== undefined) return relation !== "same-origin" && relation !== "none";
  return headers.origin !== undefined && URL.parse(headers.origin)?.host !== host;
}
