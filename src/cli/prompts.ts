import { once } from "node:events";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { remark } from "./output.ts";

/** Thrown when a person ends the questions with Ctrl-C or Ctrl-D. */
export class QuestionsEnded extends Error {}

/** A question: a line above it, its text, what an empty answer means, and what is wrong with an answer (null: nothing). */
type Question = {
  readonly about?: string;
  readonly question: string;
  /** Taken for an empty answer; `shown` instead of it where it is a secret. */
  readonly preset?: string | undefined;
  readonly shown?: string;
  readonly check?: (answer: string) => string | null;
};

/** Puts questions to a person at a terminal, each until its answer fits. */
export interface Prompts extends Disposable {
  text(question: Question): Promise<string>;
  /** Shows nothing of what is typed. */
  secret(question: Question): Promise<string>;
  yes(question: string): Promise<boolean>;
}

/** Opens the terminal for questions, which go to stderr. */
export function openPrompts(): Prompts {
  // what comes while no question is open is not shown: of text that was pasted whole, the next line may be the token
  let isHidden = true;
  const output = new Writable({
    write: (part: Buffer, _, done) => {
      if (!isHidden) process.stderr.write(part);
      done();
    },
  });
  // without a history, or an arrow key would show the token in the next question
  const lines = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  const ended = new AbortController();
  for (const event of ["SIGINT", "close"] as const) lines.on(event, () => ended.abort());
  lines.on("line", () => (isHidden = true));

  async function read(question: string, hide: boolean): Promise<string> {
    if (ended.signal.aborted) throw new QuestionsEnded();
    if (hide) process.stderr.write(question);
    isHidden = hide;
    lines.setPrompt(hide ? "" : question);
    lines.prompt();
    try {
      const [line] = (await once(lines, "line", { signal: ended.signal })) as [string];
      return line.trim();
    } catch {
      throw new QuestionsEnded();
    } finally {
      if (hide) process.stderr.write("\n");
    }
  }

  async function ask(
    { about, question, preset, shown = preset, check = () => null }: Question,
    hide: boolean,
  ): Promise<string> {
    if (about !== undefined) remark(about);
    for (;;) {
      const answer = await read(`${question}${preset === undefined ? "" : ` [${shown}]`}: `, hide);
      const taken = answer === "" && preset !== undefined ? preset : answer;
      const problem = check(taken);
      if (problem === null) return taken;
      remark(`  ${problem}`);
    }
  }

  return {
    text: (question) => ask(question, false),
    secret: (question) => ask(question, true),
    yes: async (question) => /^y(es)?$/i.test(await read(`${question} (y/N) `, false)),
    [Symbol.dispose]: () => lines.close(),
  };
}
