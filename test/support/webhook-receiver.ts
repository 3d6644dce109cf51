import fastify from "fastify";

/** A message as a webhook received it. */
type Received = {
  readonly text: string;
  readonly blocks?: readonly {
    readonly type: string;
    readonly text: { readonly type: string; readonly text: string };
  }[];
  readonly is_test?: boolean;
  readonly opened?: readonly Record<string, unknown>[];
  readonly still_open?: readonly Record<string, unknown>[];
  readonly closed?: readonly Record<string, unknown>[];
  readonly alerts?: readonly Record<string, unknown>[];
  readonly counts?: { readonly opened: number; readonly still_open: number; readonly closed: number };
  readonly more?: number;
};

/** A webhook on loopback that keeps the messages that it accepts. */
export type Receiver = AsyncDisposable & {
  readonly url: string;
  readonly received: Received[];
  /** The number of requests, accepted or not. */
  readonly requests: () => number;
  /** What it answers from now on: a status, a redirect to a path of its own, or nothing at all. */
  answer: number | "redirect" | "silence";
};

/** A part of the receiver's address that must be found nowhere else. */
export const webhookSecret = "T0/B0/Wq8hookcanaryK3";

/** Starts a webhook. */
export async function openReceiver(): Promise<Receiver> {
  const server = fastify({ forceCloseConnections: true });
  const received: Received[] = [];
  let requests = 0;
  const receiver = { answer: 200 as Receiver["answer"] };
  server.post("/*", async (request, reply) => {
    requests += 1;
    if (receiver.answer === "silence") return new Promise<never>(() => undefined);
    if (receiver.answer === "redirect" && request.url.includes(webhookSecret))
      return reply.code(307).header("location", "/elsewhere").send();
    if (receiver.answer === 200 || request.url === "/elsewhere") received.push(request.body as Received);
    return reply.code(receiver.answer === "redirect" ? 200 : receiver.answer).send("ok");
  });
  const address = await server.listen({ host: "127.0.0.1", port: 0 });
  return Object.assign(receiver, {
    url: `${address}/services/${webhookSecret}`,
    received,
    requests: () => requests,
    [Symbol.asyncDispose]: () => server.close(),
  });
}
