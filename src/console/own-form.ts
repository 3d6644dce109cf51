import type { FastifyInstance, preHandlerHookHandler } from "fastify";

/** Lets a request pass whose form this console made for this visitor. Others end as `console_forged`. */
export function ownForm(server: FastifyInstance): preHandlerHookHandler {
  return (request, reply, done) => server.csrfProtection(request, reply, done);
}
