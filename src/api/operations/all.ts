import type { Operation } from "../define-operation.ts";
import * as account from "./account.ts";
import * as dashboard from "./dashboard.ts";
import * as keyword from "./keyword.ts";

/** Every operation, by the groups of the contract; within a group by id, since the order of a module's exports is the loader's. */
export const operations: readonly Operation[] = [keyword, dashboard, account].flatMap((group) =>
  Object.values<Operation>(group).sort((a, b) => (a.id < b.id ? -1 : 1)),
);

const byId = new Map(operations.map((operation) => [operation.id, operation]));

/** The operation with this id; throws when there is none, since ids come from our own tables. */
export function operationById(id: string): Operation {
  const operation = byId.get(id);
  if (operation === undefined) throw new Error(`no operation has the id ${id}`);
  return operation;
}
