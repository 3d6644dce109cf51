/** Roles of a warehouse: `owner` owns the schemas and migrates, `loader` runs every other command, `reader` is for BI tools. */
export const roles = {
  owner: "storehouse_owner",
  loader: "storehouse_loader",
  reader: "storehouse_reader",
} as const;

/** Our schemas; missing ones are skipped. */
const schemas = ["raw", "core", "mart", "ops", "parts", "archive", "graphile_worker"];

/** Tables that only migrations write. */
const fixed = ["ops.migration", "core.dim_date", "core.dim_device"];

/** Bookkeeping tables from which the loader deletes rows; to all others it only adds or updates. */
export const deletable = [
  "ops.compared_day",
  "ops.credit_forecast",
  "ops.credit_hold",
  "ops.gateway_call",
  "ops.gateway_key",
  "ops.reject",
  "ops.reported_check",
  "ops.replay",
  "ops.run_shard",
  "ops.dataset_timing",
  "ops.next_run",
  "ops.slice",
  "ops.slice_past",
  "ops.past_slice_spend",
  "ops.search_ads_report_shape",
  "ops.search_ads_report_week",
  "ops.alert_fire",
  "ops.alert_day",
];

/** Functions that do for the loader what only the owner may do. */
export const executable = [
  "ops.gather_slice_statistics()",
  "ops.hold_request_month(date)",
  "ops.make_partition(regclass,date,boolean)",
  "ops.make_request_months(date[])",
  "ops.remove_month(regclass,date,boolean)",
];

/** Settings for sessions of the reader, unless the role or the database already has others. */
const readerSettings = {
  default_transaction_read_only: "on",
  statement_timeout: "5min",
  idle_in_transaction_session_timeout: "10min",
  // the planner's estimates for views over views are so high that compiling them takes longer than answering
  jit: "off",
};

const list = (texts: readonly string[]): string => `array[${texts.map((text) => `'${text}'`).join(", ")}]`;

/** SQL: the rights that loading needs on a table or view, as a list. */
export const loadersRights = (schema: string, name: string, isView: string): string =>
  `case when ${isView} or ${name} = any (${list([...fixed, "graphile_worker.migrations"])}) then 'select'
        when ${schema} = 'ops' and ${name} <> all (${list(deletable)}) then 'select, insert, update'
        else 'select, insert, update, delete' end`;

/** Makes missing roles, without login; existing ones stay as they are. Needs the right to create roles if one is missing. */
export const makeRoles = `
do $$
declare
  wanted text;
  former text;
begin
  foreach wanted in array ${list(Object.values(roles))} loop
    if not exists (select from pg_catalog.pg_roles where rolname = wanted) then
      execute format('create role %I nologin', wanted);
    end if;
  end loop;
  -- only a role that may act as the owner can give tables to it
  if not pg_catalog.pg_has_role(current_user, '${roles.owner}', 'usage') then
    execute format('grant ${roles.owner} to %I', current_user);
  end if;
  -- who has migrated so far loses the tables to the owner, and still has to migrate; but not a role of ours, which is to own nothing
  select r.rolname into former from pg_catalog.pg_namespace as n join pg_catalog.pg_roles as r on r.oid = n.nspowner
  where  n.nspname = 'ops' and r.rolname <> all (${list(Object.values(roles))});
  if not pg_catalog.pg_has_role(former, '${roles.owner}', 'usage') then
    execute format('grant ${roles.owner} to %I', former);
  end if;
  -- pages of the console are read as the reader by a process that is logged in as the loader
  if not pg_catalog.pg_has_role('${roles.loader}', '${roles.reader}', 'member') then
    begin
      grant ${roles.reader} to ${roles.loader};
    exception when insufficient_privilege then
      raise notice '${roles.loader} may not act as ${roles.reader}: the console has no viewers';
    end;
  end if;
end
$$;`;

/**
 * Settings of roles for this database: who may connect and how sessions of the reader behave. Needs the owner of the database if they are
 * not set.
 */
export const setDatabase = `
do $$
declare
  wanted record;
begin
  for wanted in select r.name, p.privilege from unnest(${list(Object.values(roles))}) as r (name), unnest(array['connect', 'create']) as p (privilege)
                where p.privilege = 'connect' or r.name = '${roles.owner}'
  loop
    if not pg_catalog.has_database_privilege(wanted.name, current_database(), wanted.privilege) then
      execute format('grant %s on database %I to %I', wanted.privilege, current_database(), wanted.name);
    end if;
  end loop;
  for wanted in select s.key as name, s.value from jsonb_each_text('${JSON.stringify(readerSettings)}') as s loop
    if not exists (
      select from pg_catalog.pg_db_role_setting as d, unnest(d.setconfig) as c (entry)
      where  d.setrole = '${roles.reader}'::regrole and starts_with(c.entry, wanted.name || '=')
      and    d.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database())))
    then
      execute format('alter role ${roles.reader} in database %I set %I = %L', current_database(), wanted.name, wanted.value);
    end if;
  end loop;
end
$$;`;

/**
 * Gives objects that the owner does not own yet to the owner, in batches, so that a warehouse with thousands of partitions fits into the
 * server's lock table.
 */
export const handOver = `
do $$
declare
  thing record;
  done  integer := 0;
begin
  for thing in
    select 1 as turn, format('schema %I', n.nspname) as name from pg_catalog.pg_namespace as n
    where  n.nspname = any (${list(schemas)}) and n.nspowner <> '${roles.owner}'::regrole
    union  all
    select 2, format(case c.relkind when 'c' then 'type %I.%I' when 'S' then 'sequence %I.%I' else 'table %I.%I' end, n.nspname, c.relname)
    from   pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where  n.nspname = any (${list(schemas)}) and c.relowner <> '${roles.owner}'::regrole and c.relkind in ('r', 'p', 'v', 'm', 'S', 'c')
    -- a sequence behind a column goes with its table
    and    not exists (select from pg_catalog.pg_depend as d
                       where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i') and c.relkind = 'S')
    union  all
    select 3, format('routine %s', p.oid::regprocedure)
    from   pg_catalog.pg_proc as p join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
    where  n.nspname = any (${list(schemas)}) and p.proowner <> '${roles.owner}'::regrole
    order  by 1, 2
  loop
    execute format('alter %s owner to ${roles.owner}', thing.name);
    done := done + 1;
    if done % 200 = 0 then commit; end if;
  end loop;
end
$$;`;

/** Resets, in one transaction, the rights of the loader and the reader to all existing objects. To be run by the owner. */
export const setRights = `
do $$
declare
  thing  record;
  rights text;
begin
  for thing in select n.nspname as schema from pg_catalog.pg_namespace as n where n.nspname = any (${list(schemas)}) loop
    execute format('revoke all on schema %I from ${roles.loader}, ${roles.reader}', thing.schema);
    execute format('revoke all on all tables in schema %I from ${roles.loader}, ${roles.reader}', thing.schema);
    execute format('revoke all on all sequences in schema %I from ${roles.loader}, ${roles.reader}', thing.schema);
    if thing.schema not in ('parts', 'archive') then
      execute format('grant usage on schema %I to ${roles.loader}', thing.schema);
      execute format('grant usage on all sequences in schema %I to ${roles.loader}', thing.schema);
    end if;
    if thing.schema in ('core', 'mart', 'ops') then
      execute format('grant usage on schema %I to ${roles.reader}', thing.schema);
    end if;
  end loop;
  for thing in
    select n.nspname as schema, format('%I.%I', n.nspname, c.relname) as name, c.relkind in ('v', 'm') as is_view, c.relrowsecurity as by_row, c.oid
    from   pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where  n.nspname in ('raw', 'core', 'mart', 'ops', 'graphile_worker') and c.relkind in ('r', 'p', 'v', 'm')
  loop
    rights := ${loadersRights("thing.schema", "thing.name", "thing.is_view")};
    execute format('grant %s on %s to ${roles.loader}', rights, thing.name);
    -- the queue's tables let nobody but their owner see a row unless a policy says so
    if thing.by_row and not exists (select from pg_catalog.pg_policy where polrelid = thing.oid and polname = '${roles.loader}') then
      execute format('create policy ${roles.loader} on %s for all to ${roles.loader} using (true) with check (true)', thing.name);
    end if;
    if thing.schema in ('core', 'mart') then
      -- information_schema shows keys only to those who may do more than select; referring to a table takes the right to make one
      execute format('grant %s on %s to ${roles.reader}', case when thing.is_view then 'select' else 'select, references' end, thing.name);
    elsif thing.schema = 'ops' and thing.is_view then
      execute format('grant select on %s to ${roles.reader}', thing.name);
    end if;
  end loop;
  ${executable.map((signature) => `grant execute on function ${signature} to ${roles.loader};`).join("\n  ")}
  grant execute on function ops.reported_at(regclass, timestamptz) to ${roles.loader}, ${roles.reader};
end
$$;`;

/** Everything for a database administrator to run with psql in the warehouse's database, without passwords. */
export function printedStatements(): string {
  return `-- Roles and rights of a Storehouse warehouse, for psql, as a superuser or the owner of the database. Run \`storehouse migrate\` before, and
-- this in the warehouse's database (not with --single-transaction) now and after each upgrade. It may be run again at any time.
${[makeRoles, setDatabase, handOver, setRights].join("\n")}

-- Roles come without login. psql prompts for a password and sends it as a verifier by:
--   \\password ${roles.loader}
--   alter role ${roles.loader} login;
-- and in the same way for ${roles.owner} and ${roles.reader}.
`;
}
