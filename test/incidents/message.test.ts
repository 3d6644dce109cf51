import { describe, expect, test } from "vitest";
import { bodyOf } from "../../src/incidents/message-formats.ts";
import { testMessage, type FiredAlert, type Incident, type Message } from "../../src/incidents/message.ts";

const incident = (change: Partial<Incident> = {}): Incident => ({
  incidentId: "7",
  kind: "slices_failed",
  subject: "keyword_rank server_error",
  account: null,
  summary: "1 slice failed",
  detail: { slices: 1 },
  openedAt: new Date("2026-08-20T06:00:00Z"),
  closedAt: null,
  ...change,
});
const message = (change: Partial<Message> = {}): Message => ({
  opened: [incident()],
  stillOpen: [],
  closed: [],
  alerts: [],
  counts: { opened: 1, stillOpen: 0, closed: 0, alerts: 0 },
  sentAt: Date.UTC(2026, 7, 20, 6, 1),
  isTest: false,
  ...change,
});

type Slack = { text: string; blocks: { type: string; text: { type: string; text: string } }[] };
const slack = (change: Partial<Message> = {}) => JSON.parse(bodyOf(message(change), "slack")) as Slack;

describe("a message for Slack", () => {
  test("is a text and sections of mrkdwn, as an incoming webhook takes them", () => {
    const body = slack();
    expect(Object.keys(body)).toEqual(["text", "blocks"]);
    expect(body.text).toBe("Storehouse incident opened: Slices failed (keyword_rank server_error)");
    expect(body.blocks.length).toBeGreaterThan(1);
    for (const block of body.blocks) {
      expect(block).toEqual({ type: "section", text: { type: "mrkdwn", text: expect.any(String) as string } });
      expect(block.text.text.length).toBeLessThanOrEqual(3_000);
    }
  });

  test("makes no link, no mention and no entity of text from outside", () => {
    const body = JSON.stringify(
      slack({ opened: [incident({ summary: "<!channel> & <http://evil|ok> &lt;", subject: "<@U1>" })] }),
    );
    expect(body).toContain("&lt;!channel&gt; &amp; &lt;http://evil|ok&gt; &amp;lt;");
    expect(body).not.toMatch(/[<>]/);
  });

  test("stays within what Slack takes, and counts what it leaves out", () => {
    const many = Array.from({ length: 100 }, (_, index) =>
      incident({ incidentId: String(index), summary: "é😀".repeat(5_000) }),
    );
    const body = slack({ opened: many, counts: { opened: 123, stillOpen: 0, closed: 0, alerts: 0 } });
    expect(body.blocks.length).toBeLessThanOrEqual(50);
    expect(body.blocks.at(-1)?.text.text).toContain("and 103 more");
    expect(JSON.stringify(body).isWellFormed()).toBe(true);
    expect(body.text).toBe("Storehouse incidents: 123 opened");
  });

  test("says from when to when a closed incident was open", () => {
    const body = slack({
      opened: [],
      closed: [incident({ closedAt: new Date("2026-08-20T06:40:00Z") })],
      counts: { opened: 0, stillOpen: 0, closed: 1, alerts: 0 },
    });
    expect(body.text).toBe("Storehouse incident closed: Slices failed (keyword_rank server_error)");
    expect(body.blocks.slice(1).map(({ text }) => text.text)).toEqual([
      ":large_green_circle: *Closed: Slices failed*\nkeyword_rank server_error, open from 2026-08-20 06:00 UTC to 2026-08-20 06:40 UTC",
    ]);
  });

  test("names the account that an incident is about, and the command of that account", () => {
    const summary = "credits are used up; `storehouse credits` shows what used them";
    const body = slack({ opened: [incident({ account: "acme", subject: "", summary })] });
    expect(body.text).toBe("Storehouse incident opened: Slices failed, account acme");
    expect(body.blocks[1]?.text.text).toMatch(
      /Slices failed, account acme\*\n.*`STOREHOUSE_ACCOUNT=acme storehouse credits`/,
    );
  });

  test("says since when an incident is still open", () => {
    const body = slack({
      opened: [],
      stillOpen: [incident()],
      counts: { opened: 0, stillOpen: 1, closed: 0, alerts: 0 },
    });
    expect(body.text).toBe("Storehouse incident still open: Slices failed (keyword_rank server_error)");
    expect(body.blocks[1]?.text.text).toContain("*Still open since 2026-08-20 06:00 UTC: Slices failed*");
  });

  test("counts incidents by state, also those beyond the list", () => {
    const body = slack({
      closed: [incident({ incidentId: "8", closedAt: new Date(0) })],
      counts: { opened: 2, stillOpen: 3, closed: 150, alerts: 0 },
    });
    expect(body.text).toBe("Storehouse incidents: 2 opened, 3 still open, 150 closed");
  });
});

describe("a message for Teams", () => {
  type Card = { body: { type: string; inlines: { type: string; text: string; color?: string }[] }[] };
  const teams = (change: Partial<Message> = {}) => bodyOf(message(change), "teams");
  const cardIn = (body: string) => {
    const { type, attachments } = JSON.parse(body) as {
      type: string;
      attachments: { contentType: string; content: Card }[];
    };
    expect([type, attachments.map(({ contentType }) => contentType)]).toEqual([
      "message",
      ["application/vnd.microsoft.card.adaptive"],
    ]);
    return attachments[0]?.content ?? { body: [] };
  };

  test("is an Adaptive Card of runs of text, as a webhook of Workflows takes it", () => {
    const card = cardIn(teams({ opened: [incident({ summary: "[link](http://evil) <at>x</at>" })] }));
    expect(card).toMatchObject({ type: "AdaptiveCard", version: "1.4" });
    expect(
      card.body.map(({ type, inlines }) => [type, ...inlines.map((run) => [run.type, run.text, run.color])]),
    ).toEqual([
      [
        "RichTextBlock",
        ["TextRun", "Storehouse incident opened: Slices failed (keyword_rank server_error)", undefined],
      ],
      ["RichTextBlock", ["TextRun", "Slices failed", "attention"]],
      ["RichTextBlock", ["TextRun", "[link](http://evil) <at>x</at>", undefined]],
    ]);
  });

  test("stays within the 28 KB that Teams takes, and counts what it leaves out", () => {
    const many = Array.from({ length: 100 }, (_, index) =>
      incident({ incidentId: String(index), summary: "é😀漢".repeat(5_000) }),
    );
    const body = teams({ opened: many, counts: { opened: 123, stillOpen: 0, closed: 0, alerts: 0 } });
    expect(Buffer.byteLength(body)).toBeLessThan(28_000);
    expect(cardIn(body).body.at(-1)?.inlines[0]?.text).toMatch(/^and 115 more;/);
  });
});

test("plain JSON has fields that stay", () => {
  expect(JSON.parse(bodyOf(message(), "json"))).toEqual({
    version: 1,
    source: "storehouse",
    sent_at: "2026-08-20T06:01:00.000Z",
    is_test: false,
    text: "Storehouse incident opened: Slices failed (keyword_rank server_error)",
    counts: { opened: 1, still_open: 0, closed: 0, alerts: 0 },
    opened: [
      {
        incident_id: "7",
        kind: "slices_failed",
        title: "Slices failed",
        subject: "keyword_rank server_error",
        account: null,
        summary: "1 slice failed",
        detail: { slices: 1 },
        opened_at: "2026-08-20T06:00:00.000Z",
        closed_at: null,
      },
    ],
    still_open: [],
    closed: [],
    alerts: [],
    more: 0,
  });
});

describe("what alerts fired", () => {
  const fired = (id: number, change: Partial<FiredAlert> = {}): FiredAlert => ({
    alertFireId: String(id),
    alertName: "fell",
    mart: "keyword_rank_daily",
    summary: `Ours, <plan ${id}>: keyword rank 4 -> 12`,
    detail: { subject: { keyword: "plan" }, values: { keyword_rank: 12 } },
    day: "2026-08-19",
    comparedDay: "2026-08-18",
    firedAt: new Date("2026-08-20T06:00:00Z"),
    ...change,
  });
  const none = { opened: [], counts: { opened: 0, stillOpen: 0, closed: 0, alerts: 1 } } as const;

  test("is an entry an alert, with as many lines as fit; the rest is counted", () => {
    const alerts = [...Array.from({ length: 90 }, (_, id) => fired(id)), fired(90, { alertName: "left" })];
    const body = slack({ alerts, counts: { opened: 1, stillOpen: 0, closed: 0, alerts: 120 } });
    expect(body.text).toBe("Storehouse incident opened: Slices failed (keyword_rank server_error); 120 alerts");
    const [, incidentText, fell, left, more] = body.blocks.map(({ text }) => text.text);
    expect(incidentText).toContain(":red_circle: *Slices failed*");
    expect(fell).toMatch(/^:bell: \*Alert fell\*\nOurs, &lt;plan 0&gt;: keyword rank 4 -&gt; 12\nOurs, &lt;plan 1/);
    expect(left).toBe(":bell: *Alert left*\nOurs, &lt;plan 90&gt;: keyword rank 4 -&gt; 12");
    const lines = (fell ?? "").split("\n").length - 1;
    expect(more).toContain(`and ${120 - 1 - lines} more`);
  });

  test("alone is named in the headline, also on a card", () => {
    const text = "Storehouse alert fell: Ours, <plan 7>: keyword rank 4 -> 12";
    expect(JSON.parse(bodyOf(message({ ...none, alerts: [fired(7)] }), "json"))).toMatchObject({
      text,
      counts: { opened: 0, alerts: 1 },
      alerts: [
        {
          alert_fire_id: "7",
          alert: "fell",
          mart: "keyword_rank_daily",
          subject: { keyword: "plan" },
          values: { keyword_rank: 12 },
          date_day: "2026-08-19",
          compared_day: "2026-08-18",
          fired_at: "2026-08-20T06:00:00.000Z",
        },
      ],
      more: 0,
    });
    expect(bodyOf(message({ ...none, alerts: [fired(7)] }), "teams")).toContain(JSON.stringify(text).slice(1, -1));
    expect(slack({ ...none, alerts: [fired(1), fired(2)], counts: { ...none.counts, alerts: 2 } }).text).toBe(
      "Storehouse: 2 alerts",
    );
  });
});

test("a test message says that it is one", () => {
  const body = (format: "slack" | "json") => JSON.parse(bodyOf(testMessage(0), format)) as object;
  expect(body("slack")).toMatchObject({ text: "Storehouse: test message, no incident" });
  expect(body("json")).toMatchObject({ is_test: true });
});
