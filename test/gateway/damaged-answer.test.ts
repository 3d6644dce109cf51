import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { createLog } from "../../src/core/log.ts";
import { openDoor, openGatewayStage, rankingPath } from "../support/gateway-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openGatewayStage);

test("a call whose stored answer is damaged is paid again, and the log names the answer", async () => {
  const { nights, app, words } = stage;
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ level: "warn", secrets: [], to: { write: (line) => void lines.push(JSON.parse(line)) } });
  await using door = await openDoor(nights.stage, nights.run(), undefined, log);
  const key = await door.key("notebook");
  const path = rankingPath(app, { date: addDays(nights.today(), -30), keywords: words, country: "US" });
  expect((await door.call(path, key)).from).toBe("miss");
  expect((await door.call(path, key)).from).toBe("hit");
  expect(lines).toEqual([]);
  const [damaged] = await nights.stage.query(
    `update raw.answer set body = set_bit(body, 100, 1 - get_bit(body, 100))
     where  answer_id = (select max(answer_id) from raw.answer) returning answer_id`,
  );
  expect((await door.call(path, key)).from).toBe("miss");
  // a call looks for a stored answer several times before it is sent
  expect(lines).not.toEqual([]);
  const others = lines.filter(
    (line) => line["msg"] !== "answer.damaged" || line["answer_id"] !== damaged?.["answer_id"],
  );
  expect(others).toEqual([]);
});
