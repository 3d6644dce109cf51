import type { Command } from "commander";
import type { Environment } from "../../config/env.ts";
import { grantRoles, type GrantedRole, type RolePasswords } from "../../postgres/grants.ts";
import { printedStatements } from "../../postgres/role-statements.ts";
import { withWarehouse } from "../environment.ts";
import { print, printJson, printWhole, remark } from "../output.ts";
import { table } from "../table.ts";

type Options = { readonly print?: true; readonly json?: true };

/** `storehouse grants`: make the roles of the warehouse and set their rights. */
export function defineGrants(command: Command): void {
  command
    .option("--print", "only print the SQL, for a database administrator; needs no database")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      `
Run it as a superuser, or as the database owner if that role may create roles.
A role can log in once it has a password. Set STOREHOUSE_OWNER_PASSWORD, STOREHOUSE_LOADER_PASSWORD or STOREHOUSE_READER_PASSWORD, or the same name with _FILE appended to read it from a file.
Postgres receives a verifier, never the password.
Exit codes: 0 done, 2 usage, or the role in DATABASE_URL may not do this.`,
    )
    .action((options: Options) => (options.print ? printSql(options) : grant(options)));
}

function printSql({ json }: Options): void {
  const sql = printedStatements();
  if (json) printJson({ sql });
  else printWhole(sql.trimEnd());
}

async function grant(options: Options): Promise<void> {
  await withWarehouse(async (app) => {
    const granted = await grantRoles(app.warehouse.db, passwordsOf(app.config.environment));
    if (options.json)
      return printJson(
        granted.map(({ name, canLogin, hasAdminRights }) => ({
          role: name,
          can_login: canLogin,
          has_admin_rights: hasAdminRights,
        })),
      );
    print(
      table(
        ["role", "logs in", "for"],
        granted.map((role) => [role.name, role.canLogin ? "yes" : "no", purposes[role.name] ?? ""]),
      ),
    );
    print("The rights are set.");
    for (const { name } of granted.filter(({ hasAdminRights }) => hasAdminRights))
      remark(
        `${name} existed before and has more rights on this server than it needs (superuser, creates roles or databases, or bypasses row security).`,
      );
  });
}

const purposes: Readonly<Record<GrantedRole["name"], string>> = {
  storehouse_owner: "migrate, grants",
  storehouse_loader: "worker, sync and every other command",
  storehouse_reader: "BI tools: mart, core and the views of ops",
};

function passwordsOf(environment: Environment): RolePasswords {
  const {
    STOREHOUSE_OWNER_PASSWORD: owner,
    STOREHOUSE_LOADER_PASSWORD: loader,
    STOREHOUSE_READER_PASSWORD: reader,
  } = environment;
  return Object.fromEntries(Object.entries({ owner, loader, reader }).filter(([, password]) => password !== undefined));
}
