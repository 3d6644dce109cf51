/**
 * True under `npm run test:long`: random tests try more, from another seed each time, which is printed at the start; and rules that one
 * variant shows every day are tried in all of them.
 */
export const long = process.env["STOREHOUSE_TEST_LONG"] === "1";

/** Where random tests start. The same everywhere unless STOREHOUSE_TEST_SEED names another or many are to be tried. */
export const seed = Number(process.env["STOREHOUSE_TEST_SEED"] ?? (long ? Date.now() % 2 ** 31 : 7));

/** Milliseconds for a test of many nights, or for its stage. */
export const monthMs = long ? 3_600_000 : 180_000;
