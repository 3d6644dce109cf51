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
  /** The value of an empty answer; a secret is displayed as `shown`. */
  readonly preset?: string | undefined;
  readonly shown?: string;
  readonly check?: (answer: string) => string | null;
};

/** Prompts a person at a terminal, with each question until its answer is valid. */
export interface Prompts extends Disposable {
  text(question: Question): Promise<string>;
  /** Does not show what is typed. */
  secret(question: Question): Promise<string>;
  yes(question: string): Promise<boolean>;
}

/** Opens the terminal for questions, which go to stderr. */
export function openPrompts(): Prompts {
  // input between questions is not shown: if several lines were pasted, the next one may be the token
  let isHidden = true;
  const output = new Writable({
    write: (part: Buffer, _, done) => {
      if (!isHidden) process.stderr.write(part);
      done();
    },
  });
  // without a history: with one, an arrow key would show the token in the next question
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
