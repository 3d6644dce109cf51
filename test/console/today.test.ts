import { expect, test } from "vitest";
import { startConsole } from "../../src/console/server.ts";
import { clientOf } from "../support/console-stage.ts";
import { openStage } from "../support/ingest-stage.ts";

test("where nothing was requested yet the page of the morning names the first steps", async () => {
  await using stage = await openStage();
  await using app = await stage.open();
  await using served = await startConsole(app, { port: 0 });
  const { text } = await clientOf(served).get("/");
  expect(text).toContain("Nothing has been requested yet.");
  // neither well nor wrong
  expect(text).toContain('class="verdict calm"');
  expect(text).toContain("<code>storehouse sync</code> fetches it");
});
