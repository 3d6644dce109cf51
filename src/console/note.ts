import type { FastifyReply, FastifyRequest } from "fastify";
import { cookieNameOf, cookieOptions } from "./access.ts";

/** The message of an action, passed to the next page. */
const cookieName = "storehouse_note";
const longest = 300;

/** Has the next page show a sentence, once. */
export function leaveNote(request: FastifyRequest, reply: FastifyReply, text: string): void {
  const value = Buffer.from(text.slice(0, longest).toWellFormed()).toString("base64url");
  reply.setCookie(cookieNameOf(request, cookieName), value, { ...cookieOptions(request), maxAge: 60 });
}

/** The sentence that the last action left; null when there is none. */
export function takeNote(request: FastifyRequest, reply: FastifyReply): string | null {
  const name = cookieNameOf(request, cookieName);
  const cookie = request.cookies[name];
  if (cookie === undefined) return null;
  reply.clearCookie(name, { path: "/" });
  const { valid, value } = request.unsignCookie(cookie);
  return valid && value !== null ? Buffer.from(value, "base64url").toString("utf8") : null;
}
