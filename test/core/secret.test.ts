import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hiderOf, createTokenRemover } from "../../src/core/secret.ts";

const token = `aB3+/="<&>'\\é`;
const hide = hiderOf([token]);
/** As in a text, so in its bytes. */
function hideBoth(text: string): string {
  const bytes = Buffer.from(hide(Buffer.from(text).toString("latin1")), "latin1").toString();
  expect(bytes).toBe(hide(text));
  return bytes;
}

const escaped = (text: string, pattern: RegExp, write: (code: string) => string) =>
  text.replaceAll(pattern, (character) => write(character.charCodeAt(0).toString(16).padStart(4, "0")));
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

describe("is struck out", () => {
  test.each([
    ["as it is", token],
    ["in JSON", inJson(token)],
    ["in JSON inside JSON", inJson(inJson(token))],
    ["in JSON with escaped slashes", inJson(token).replaceAll("/", "\\/")],
    ["in JSON made safe for HTML", escaped(token, /[&<>='"+\\]/g, (code) => `\\u${code}`)],
    ["in JSON with all letters escaped", escaped(token, /./g, (code) => `\\u${code.toUpperCase()}`)],
    ["in a URL", encodeURIComponent(token)],
    ["in a URL in lower case", encodeURIComponent(token).replaceAll(/%../g, (hex) => hex.toLowerCase())],
    ["in a form", new URLSearchParams({ token }).toString().slice("token=".length)],
    ["in a URL inside a URL", encodeURIComponent(encodeURIComponent(token))],
    ["in HTML", `aB3+/=&quot;&lt;&amp;&gt;&#39;\\é`],
    ["in HTML by number", `aB3&#43;&#x2F;&#61;&#34;&#x3c;&#038;&#x3E;&apos;&#92;&#233;`],
  ])("%s", (_, spelled) => {
    expect(hideBoth(`{"echo":"${spelled}","more":"タスク"}`)).toBe('{"echo":"[hidden]","more":"タスク"}');
  });

  test("every time that it comes, and so is every other secret", () => {
    expect(hiderOf(["abc", "", "x.y"])("abc, abcabc, x.y, xzy")).toBe("[hidden], [hidden][hidden], [hidden], xzy");
  });

  test("with spaces, as a URL or a form has them", () => {
    expect(["a b", "a%20b", "a+b"].map(hiderOf(["a b"]))).toEqual(["[hidden]", "[hidden]", "[hidden]"]);
  });

  test("with any printable characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (secret) => {
        const spelled = [secret, inJson(secret), inJson(inJson(secret)), encodeURIComponent(secret)];
        expect(spelled.map(hiderOf([secret]))).toEqual(spelled.map(() => "[hidden]"));
      }),
    );
  });
});

test("every other byte stays as it came, be it text or not", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (before, after) => {
      const [head, tail] = [before, after].map((bytes) => Buffer.from(bytes).toString("latin1"));
      expect(hiderOf(["S3cr3t"])(`${head}S3cr3t${tail}`)).toBe(`${head}[hidden]${tail}`);
    }),
  );
});

describe("a long run in a text is read once, not once from each of its places", () => {
  // squared it is more steps than a test has time for
  const count = 200_000;

  test.each([
    ["backslashes", "\\"],
    ["escaped percent signs", "%25"],
    ["percent signs escaped again", "25"],
    ["ampersands", "&amp;"],
    ["ampersands escaped again", "amp;"],
    ["zeros of a number", "0"],
    ["escaped backslashes", "\\u005c"],
    ["percent-encoded backslashes", "%5c"],
  ])("%s", (_, unit) => {
    const text = unit.repeat(count);
    const secrets = ["S3cr3t-token", `"'/ quoted`, String.raw`\\\\ \a\"b\\c`, "%&#0"];
    for (const secret of secrets)
      for (const start of ["", "%", "&", "&#", "\\"]) expect(hiderOf([secret])(start + text).length).toBeGreaterThan(0);
    expect(hiderOf(secrets)(`${text} S3cr3t-token`)).toBe(`${text} [hidden]`);
  });
});

test("backslashes in a row are struck out however they are escaped", () => {
  const secret = String.raw`a\\b\"c\u`;
  const spelled = [secret, inJson(secret), inJson(inJson(secret)), encodeURIComponent(secret)];
  spelled.push(
    escaped(secret, /[^]/g, (code) => `\\u${code}`),
    escaped(secret, /["b]/g, (code) => `\\u${code}`),
  );
  expect(spelled.map((text) => hiderOf([secret])(`<${text}>`))).toEqual(spelled.map(() => "<[hidden]>"));
});

test("no character of a secret is taken for a pattern", () => {
  expect(hiderOf(["a.c", "(x|y)*"])("aXc a.c (x|y)* ^$")).toBe("aXc [hidden] [hidden] ^$");
});

test("without a secret nothing is hidden", () => {
  expect(hiderOf([])("text")).toBe("text");
  expect(hiderOf([""])("text")).toBe("text");
});

describe("a token in an answer's body", () => {
  const struck = (secret: string, body: string) => createTokenRemover(secret)(Buffer.from(body)).toString();
  const word = "photography";

  test.each([1, 2, 5, 6, 7, 8, 9, 10, 11])(
    "of %i letters stays where it may be a word, and goes where it is named",
    (length) => {
      const short = word.slice(0, length);
      expect(struck(short, `["${short}"]`)).toBe(`["${short}"]`);
      expect(struck(short, `/ranks?token=${short}`)).toBe("/ranks?[hidden]");
    },
  );

  test("of 12 letters and more goes everywhere", () => {
    expect(struck("photographer", '["photographer"]')).toBe('["[hidden]"]');
  });

  describe("goes as out of a text, whether the body has anything escaped or not", () => {
    const codes = (text: string, write: (code: number) => string) =>
      text.replaceAll(/[^]/g, (character) => write(character.charCodeAt(0)));
    const part = fc.oneof(fc.string({ unit: "binary-ascii" }), fc.constantFrom("%", "\\u0061", "&amp;", "タスク"));
    const random = fc.string({ unit: "binary", minLength: 12 }).filter((text) => text.isWellFormed());
    const secrets = fc.oneof(fc.constantFrom("S3cr3t-token", "a secret token"), random);

    test.each<[string, (secret: string) => string]>([
      ["as it is", (secret) => secret],
      ["in JSON", (secret) => codes(secret, (code) => `\\u${code.toString(16).padStart(4, "0")}`)],
      ["in HTML", (secret) => Array.from(secret, (sign) => `&#${sign.codePointAt(0)};`).join("")],
      [
        "in a URL",
        (secret) => [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
      ],
      ["in a form", (text) => new URLSearchParams({ text }).toString().slice("text=".length)],
    ])("%s", (_, spell) => {
      fc.assert(
        fc.property(secrets, fc.array(part), fc.array(part), (secret, before, after) => {
          const body = Buffer.from([...before, spell(secret), ...after].join(""));
          const clean = hiderOf([secret])(body.toString("latin1"));
          expect(clean).toContain("[hidden]");
          expect(createTokenRemover("", secret)(body).toString("latin1")).toBe(clean);
        }),
        { numRuns: 50 },
      );
    });
  });
});
