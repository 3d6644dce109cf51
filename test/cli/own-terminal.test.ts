import { expect, test } from "vitest";
import { forTests } from "../support/for-tests.ts";
import { openStage, until } from "../support/ingest-stage.ts";
import { openOwnTerminal } from "../support/own-terminal.ts";
import type { Terminal } from "../support/terminal.ts";

const stage = forTests(() => openStage({ market: { apps: 1 } }));
const left: Terminal[] = [];

test("a test that ends without an answer leaves a command at its question", async () => {
  const terminal = openOwnTerminal(stage, ["sync"]);
  left.push(terminal);
  await until(() => terminal.output().includes("?"));
  expect(process.stdout.isTTY).toBe(true);
});

test("which has ended before the next test, with the streams as they were", async () => {
  expect(await left[0]?.ended).toBe(130);
  expect(process.stdout.isTTY).not.toBe(true);
});
