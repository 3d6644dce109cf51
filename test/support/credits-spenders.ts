import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { CreditClass } from "../../src/core/slice.ts";
import type { CreditBudget } from "../../src/core/credit-budget.ts";

/** What a spending process receives. */
export type Spender = {
  readonly databaseUrl: string;
  readonly apiUrl: string;
  readonly token: string;
  readonly accountId: string;
  readonly concurrency: number;
  readonly floors: Readonly<Record<CreditClass, number>>;
  readonly budgets?: readonly CreditBudget[];
  /** What it requests, with the cost that it expects. */
  readonly calls: readonly { readonly path: string; readonly cost: number }[];
};

/** Processes that spend from one account. */
export type Spenders = AsyncDisposable & {
  readonly children: readonly ChildProcess[];
  /** Lets all begin at once. */
  readonly start: () => void;
  /** What each booked, once all have ended. */
  readonly booked: () => Promise<readonly number[]>;
};

/** Starts so many processes and resolves when all are ready to spend. Disposing kills those that still run. */
export async function openSpenders(count: number, spender: Spender): Promise<Spenders> {
  const program = join(import.meta.dirname, "credits-spender.ts");
  const children = Array.from({ length: count }, () => fork(program, [JSON.stringify(spender)]));
  const settlements = children.map((child) => once(child, "exit"));
  const answer = async (child: ChildProcess, place: number): Promise<unknown> => {
    const [message] = (await Promise.race([once(child, "message"), settlements[place]])) as unknown[];
    if (typeof message === "number" || message === null) throw new Error("a spender ended before it answered");
    return message;
  };
  await Promise.all(children.map(answer));
  let answers: Promise<unknown>[] = [];
  return {
    children,
    start: () => {
      answers = children.map(answer);
      // who kills them does not ask what they booked
      for (const one of answers) one.catch(() => undefined);
      for (const child of children) child.send("go");
    },
    booked: async () => {
      const reported = (await Promise.all(answers)) as { booked: number }[];
      await Promise.all(settlements);
      return reported.map((one) => one.booked);
    },
    [Symbol.asyncDispose]: async () => {
      for (const child of children) child.kill("SIGKILL");
      await Promise.all(settlements);
    },
  };
}
