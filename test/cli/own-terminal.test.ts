import { expect, onTestFinished, test } from "vitest";
import { forTests } from "../support/for-tests.ts";
import { openStage, until } from "../support/ingest-stage.ts";
import { openOwnTerminal } from "../support/own-terminal.ts";

const stage = forTests(() => openStage({ market: { apps: 1 } }));
test("a command that a test leaves at its question ends with the test, and the streams are as they were", async () => {
  // called after the end of the command, because it was added before it
  onTestFinished(async () => {
    expect(await terminal.ended).toBe(130);
    expect(process.stdout.isTTY).not.toBe(true);
  });
  const terminal = openOwnTerminal(stage, ["sync"]);
  await until(() => terminal.output().includes("?"));
  expect(process.stdout.isTTY).toBe(true);
});
