import { beforeAll, describe, expect, test } from "vitest";
import {
  clientOf,
  openConsoleStage,
  operatorPassword,
  untilShown,
  viewerPassword,
  withPasswords,
  type Client,
} from "../support/console-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openConsoleStage);
let operator: Client;
let viewer: Client;

beforeAll(async () => {
  const served = await stage.start(withPasswords);
  [operator, viewer] = [clientOf(served), clientOf(served)];
  await operator.signIn(operatorPassword, "Ann");
  await viewer.signIn(viewerPassword, "Vic");
});

const deeds = () =>
  stage.stage.query(
    "select user_name, user_role, action, credits, outcome from ops.audit where action not like 'sign-%' order by audit_id",
  );
/** Without those that were refused. */
const doneDeeds = async () => (await deeds()).filter(({ outcome }) => outcome !== "refused");

describe("what an action takes", () => {
  test("a form of this console: a forged one is refused and changes nothing", async () => {
    const slices = await stage.failedSlice();
    const forged = await operator.post("/actions/retry", { slices, agreed: "100", _csrf: "forged" });
    expect([forged.status, forged.text]).toEqual([403, expect.stringContaining("console_forged")]);
    expect(await deeds()).toEqual([
      { user_name: "Ann", user_role: "operator", action: "retry", credits: 0, outcome: "refused" },
    ]);
  });

  test("an operator: a viewer sees no button, and is refused", async () => {
    const slices = await stage.failedSlice();
    const shown = await viewer.get(`/slices/${slices}`);
    expect(shown.text).not.toContain("/actions/retry");
    const token = /name="_csrf" value="([^"]+)"/.exec(shown.text)?.[1] ?? "";
    const refused = await viewer.post("/actions/retry", { slices, agreed: "100", _csrf: token });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("A viewer may not do this")]);
    expect((await deeds()).at(-1)).toEqual({
      user_name: "Vic",
      user_role: "viewer",
      action: "retry",
      credits: 0,
      outcome: "refused",
    });
    expect(await stage.stage.query("select distinct subject from ops.audit where outcome = 'refused'")).toEqual([
      { subject: "" },
    ]);
  });

  test("what failed of an app, as an incident names it, is retried without a number of a slice", async () => {
    const [failed] = await stage.stage.query<{ app: string }>(
      "select scope ->> 'store' || ' ' || (scope ->> 'app') as app from ops.failed_slice",
    );
    await operator.get(`/slices/${await stage.failedSlice()}`);
    const requested = await operator.post("/actions/retry", { app: failed?.app ?? "" });
    expect([requested.status, requested.text]).toEqual([
      200,
      expect.stringContaining("1 failed slice of keyword_rank"),
    ]);
    const other = await operator.post("/actions/retry", { app: "ios 1" });
    expect([other.status, other.text]).toEqual([409, expect.stringContaining("nothing_to_retry")]);
  });

  test("an agreement at an address of its own, for the visitor who is to agree alone, and once", async () => {
    const slices = await stage.failedSlice();
    await operator.get(`/slices/${slices}`);
    const { text, url } = await operator.post("/actions/retry", { slices });
    expect(text).toContain("Nothing has been spent yet");
    expect(new URL(url).pathname).toMatch(/^\/actions\/retry\/[\w-]{22}$/);
    expect(await operator.get(url)).toMatchObject({
      status: 200,
      text: expect.stringContaining("3</strong>") as string,
    });
    const other = clientOf({ url });
    await other.signIn(operatorPassword, "Ben");
    expect((await other.get(url)).status).toBe(404);
    expect((await viewer.get(url)).status).toBe(403);
    expect((await operator.get(url.replace("retry", "fill"))).status).toBe(404);
  });

  test("a price that was shown and agreed to, typed above credits.ask_above; then it is on record with who did it", async () => {
    const careful = clientOf(await stage.start({ ...withPasswords, settings: { credits: { ask_above: 2 } } }));
    await careful.signIn(operatorPassword, "Ann");
    const slices = await stage.failedSlice();
    await careful.get(`/slices/${slices}`);
    const requested = await careful.post("/actions/retry", { slices });
    expect([requested.status, requested.text]).toEqual([200, expect.stringContaining("Nothing has been spent yet")]);
    const untyped = await careful.post("/actions/retry", { slices, agreed: "3" });
    expect([untyped.status, untyped.text]).toEqual([409, expect.stringContaining("more than credits.ask_above")]);
    expect((await careful.post("/actions/retry", { slices, agreed: "3", typed: "4" })).status).toBe(409);
    expect((await careful.post("/actions/retry", { slices, agreed: "1", typed: "3" })).status).toBe(409);
    // what is shown after a wrong number is the same form: an older one could be agreed to beside it
    const once = new URL(requested.url).pathname.split("/").at(-1) ?? "";
    const wrong = await careful.post("/actions/retry", { slices, agreed: "3", typed: "4", once });
    expect([wrong.status, wrong.url]).toEqual([409, requested.url]);
    expect(await doneDeeds()).toEqual([]);
    const begun = await careful.post("/actions/retry", { slices, agreed: "3", typed: "3", once });
    expect([begun.status, begun.headers.get("location")]).toEqual([303, "/runs"]);
    await untilShown(async () => (await careful.get("/runs")).text, /id="running"[^]*badge good/);
    expect(await doneDeeds()).toEqual([
      { user_name: "Ann", user_role: "operator", action: "retry", credits: 3, outcome: "done" },
    ]);
    const again = await careful.post("/actions/retry", { slices, agreed: "3", typed: "3" });
    expect([again.status, again.text]).toEqual([409, expect.stringContaining("nothing_to_retry")]);
  });
});
