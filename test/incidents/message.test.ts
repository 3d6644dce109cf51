import { describe, expect, test } from "vitest";
import { bodyOf, type Notice, type Told } from "../../src/incidents/message.ts";

const told = (change: Partial<Told> = {}): Told => ({
  incidentId: "7",
  kind: "slices_failed",
  subject: "keyword_rank server_error",
  summary: "1 slice failed",
  detail: { slices: 1 },
  openedAt: new Date("2026-08-20T06:00:00Z"),
  closedAt: null,
  ...change,
});
const notice = (change: Partial<Notice> = {}): Notice => ({
  opened: [told()],
  recovered: [],
  counts: { wrong: 1, over: 0, passed: 0 },
  sentAt: Date.UTC(2026, 7, 20, 6, 1),
  isTest: false,
  ...change,
});

const none = { wrong: 0, over: 0, passed: 0 };

type Slack = { text: string; blocks: { type: string; text: { type: string; text: string } }[] };
const slack = (change: Partial<Notice> = {}) => JSON.parse(bodyOf(notice(change), "slack")) as Slack;

describe("a message for Slack", () => {
  test("is a text and sections of mrkdwn, as an incoming webhook takes them", () => {
    const body = slack();
    expect(Object.keys(body)).toEqual(["text", "blocks"]);
    expect(body.text).toBe("Storehouse: 1 thing is wrong: Slices failed for good (keyword_rank server_error)");
    for (const block of body.blocks) {
      expect(block).toEqual({ type: "section", text: { type: "mrkdwn", text: expect.any(String) as string } });
      expect(block.text.text.length).toBeLessThanOrEqual(3_000);
    }
  });

  test("makes no link, no mention and no entity of what comes from outside", () => {
    const body = JSON.stringify(
      slack({ opened: [told({ summary: "<!channel> & <http://evil|ok> &lt;", subject: "<@U1>" })] }),
    );
    expect(body).toContain("&lt;!channel&gt; &amp; &lt;http://evil|ok&gt; &amp;lt;");
    expect(body).not.toMatch(/[<>]/);
  });

  test("stays within what Slack takes, and says how much it leaves out", () => {
    const many = Array.from({ length: 100 }, (_, index) =>
      told({ incidentId: String(index), summary: "é😀".repeat(5_000) }),
    );
    const body = slack({ opened: many, counts: { wrong: 123, over: 0, passed: 0 } });
    expect(body.blocks.length).toBeLessThanOrEqual(50);
    expect(body.blocks.at(-1)?.text.text).toContain("and 103 more");
    expect(JSON.stringify(body).isWellFormed()).toBe(true);
    expect(body.text).toBe("Storehouse: 123 things are wrong");
  });

  test("says what is over", () => {
    const body = slack({
      opened: [],
      recovered: [told({ closedAt: new Date(0) })],
      counts: { wrong: 0, over: 1, passed: 0 },
    });
    expect(body.text).toBe("Storehouse: 1 is over: Slices failed for good (keyword_rank server_error)");
    expect(body.blocks[1]?.text.text).toContain("Over: Slices failed for good");
  });

  test("says once, and as neither wrong nor over, what came and went before it could be told", () => {
    const gone = told({ closedAt: new Date("2026-08-20T06:04:00Z") });
    const body = slack({ opened: [gone], recovered: [gone], counts: { wrong: 0, over: 0, passed: 1 } });
    expect(body.text).toBe("Storehouse: 1 came and went: Slices failed for good (keyword_rank server_error)");
    expect(body.blocks.slice(1).map(({ text }) => text.text)).toEqual([
      ":white_circle: *Came and went: Slices failed for good* keyword_rank server_error (2026-08-20 06:00 to 2026-08-20 06:04 UTC)",
    ]);
  });

  test("counts each by what it is, also those beyond the list", () => {
    const body = slack({ recovered: [told({ incidentId: "8" })], counts: { wrong: 2, over: 150, passed: 3 } });
    expect(body.text).toBe("Storehouse: 2 things are wrong, 150 are over, 3 came and went");
  });
});

test("plain JSON has fields that stay", () => {
  expect(JSON.parse(bodyOf(notice(), "json"))).toEqual({
    version: 1,
    source: "storehouse",
    sent_at: "2026-08-20T06:01:00.000Z",
    is_test: false,
    text: "Storehouse: 1 thing is wrong: Slices failed for good (keyword_rank server_error)",
    counts: { wrong: 1, over: 0, passed: 0 },
    opened: [
      {
        incident_id: "7",
        kind: "slices_failed",
        title: "Slices failed for good",
        subject: "keyword_rank server_error",
        summary: "1 slice failed",
        detail: { slices: 1 },
        opened_at: "2026-08-20T06:00:00.000Z",
        closed_at: null,
      },
    ],
    recovered: [],
    more: 0,
  });
});

test("a test says that it is one", () => {
  expect(slack({ opened: [], counts: none, isTest: true }).text).toBe("Storehouse: a test, nothing is wrong");
  expect(JSON.parse(bodyOf(notice({ opened: [], counts: none, isTest: true }), "json"))).toMatchObject({
    is_test: true,
  });
});
