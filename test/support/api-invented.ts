import { z } from "zod";
import { defineOperation, type Operation } from "../../src/api/define-operation.ts";

/** An operation that no service has: what a test does not say is as plain as can be. */
export function invent(parts: Partial<Operation>): Operation {
  return defineOperation({
    id: "test.invented",
    name: "Invented",
    store: null,
    method: "GET",
    path: "/invented",
    params: {},
    cost: 1,
    range: null,
    paging: null,
    envelope: "bare",
    items: null,
    answer: z.unknown(),
    summary: "Not of this world.",
    ...parts,
  });
}
