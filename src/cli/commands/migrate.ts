import type { Command } from "commander";
import { withWarehouse } from "../environment.ts";
import { print } from "../output.ts";

/** `storehouse migrate`: bring the database up to date; every command that needs this does it too. */
export function defineMigrate(command: Command): void {
  command.action(() => withWarehouse(async () => print("The database is up to date.")));
}
