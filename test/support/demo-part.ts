/** Loaded before the demo: it then loads of its market one app in the two countries of which README shows something. */
import { rankShow } from "../../src/demo/shows.ts";

Object.assign(rankShow, { market: { apps: 1, countries: ["GB", "JP"] } });
