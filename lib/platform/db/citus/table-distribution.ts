import type pg from 'pg'

/**
 * Placement of a table's rows in a database distributed by Citus. `spread`: sharded by customer. `everywhere`: a
 * reference table, copied to each node. `home`: on the coordinator.
 */
export type Distribution = 'spread' | 'everywhere' | 'home'

/** Properties of a table in the catalog. */
export type Table = {
  name: string
  hasCustomer: boolean
  /** Whether the table has a unique key without the customer, which no node could enforce for its shards. */
  isUniqueOverAll: boolean
  /** Whether the table has a row-level trigger, which may write anywhere. */
  hasRowTrigger: boolean
  /** Whether a login that authenticates callers reads the table, before the customer is known. */
  isLookedUp: boolean
  /** Whether its comment keeps the table on the coordinator: its rows are claimed across customers, or joined there. */
  staysHome: boolean
  /** Tables referenced by its foreign keys. */
  pointsTo: string[]
  /** Whether row-level security is not forced for its owner, after a shard's split or move was interrupted. */
  isUnforced: boolean
  /** Partitions of a table that is partitioned by month: they move with the table. */
  parts: string[]
  /** Current placement. */
  now: Distribution
}

/**
 * Derives each table's placement from the catalog, so that there is no list to maintain. A table whose keys all contain
 * the customer is spread, unless callers are looked up in it, its comment or that of a table that it points to keeps
 * it at home, it points to a table with a row trigger, or only home
 * tables point to it: tables that are joined have to be on one node. Of the other tables, those that spread tables
 * point to are copied everywhere, unless they have a row trigger.
 */
export function distributionOf(tables: readonly Table[]): ReadonlyMap<string, Distribution> {
  const home = new Set(tables.filter(isLocal).map(({ name }) => name))
  const local = tables.filter(({ hasRowTrigger, staysHome }) => hasRowTrigger || staysHome)
  const onlyHome = new Set(local.map(({ name }) => name))
  addUntilNone(onlyHome, tables, ({ pointsTo }) => pointsTo.some((other) => onlyHome.has(other)))
  for (const name of onlyHome) home.add(name)
  addUntilNone(home, tables, ({ name }) => {
    const by = tables.filter(({ name: other, pointsTo }) => other !== name && pointsTo.includes(name))
    return by.length > 0 && by.every(({ name: other }) => home.has(other))
  })
  const distributed = tables.filter(({ name }) => !home.has(name))
  const pointedTo = new Set(distributed.flatMap(({ pointsTo }) => pointsTo))
  return new Map(
    tables.map(({ name }) => {
      if (!home.has(name)) return [name, 'spread']
      return [name, pointedTo.has(name) && !onlyHome.has(name) ? 'everywhere' : 'home']
    }),
  )
}

/** Adds the names of tables that belong to the set, and repeats until no table is added (fixed point). */
function addUntilNone(set: Set<string>, tables: readonly Table[], belongs: (table: Table) => boolean): void {
  for (let before = -1; before < set.size; ) {
    before = set.size
    for (const table of tables) if (belongs(table)) set.add(table.name)
  }
}

function isLocal({ hasCustomer, isUniqueOverAll, hasRowTrigger, isLookedUp }: Table): boolean {
  return !hasCustomer || isUniqueOverAll || hasRowTrigger || isLookedUp
}

/** Comment of a table that stays on the coordinator. */
export const LOCAL_COMMENT = 'Stays on the coordinator of Citus'

const CALLER_LOGINS = "ARRAY['console_keys', 'console_sessions', 'console_sign_in']"

const TABLES = `
  SELECT c.relname AS name, a.attnum IS NOT NULL AS "hasCustomer",
    EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND NOT coalesce(a.attnum, 0) = ANY (i.indkey))
      AS "isUniqueOverAll",
    EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgtype & 1 = 1)
      AS "hasRowTrigger",
    EXISTS (SELECT FROM unnest(${CALLER_LOGINS}) login WHERE has_any_column_privilege(login, c.oid, 'SELECT'))
      AS "isLookedUp",
    coalesce(obj_description(c.oid, 'pg_class') = '${LOCAL_COMMENT}', false) AS "staysHome",
    c.relrowsecurity AND NOT c.relforcerowsecurity AS "isUnforced",
    ARRAY(SELECT DISTINCT p.relname::text FROM pg_constraint f JOIN pg_class p ON p.oid = f.confrelid
      WHERE f.conrelid = c.oid AND f.contype = 'f' AND p.oid <> c.oid) AS "pointsTo",
    ARRAY(SELECT i.inhrelid::regclass::text FROM pg_inherits i WHERE i.inhparent = c.oid ORDER BY 1) AS parts,
    coalesce((SELECT CASE WHEN d.partmethod = 'h' THEN 'spread' WHEN d.repmodel = 't' THEN 'everywhere' END
      FROM pg_dist_partition d WHERE d.logicalrelid = c.oid), 'home') AS now
  FROM pg_class c
  LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'customer_id' AND NOT a.attisdropped
  WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
    -- The parts of spread tables that lie on this machine.
    AND c.relname !~ '_[0-9]{6,}$'
  ORDER BY 1`

/** Reads all tables of the schema, by name. */
export async function readTables(client: pg.Client): Promise<Table[]> {
  return (await client.query<Table>(TABLES)).rows
}

/** Returns whether the database has Citus. */
export async function hasCitus(client: pg.Client | pg.Pool): Promise<boolean> {
  const { rows } = await client.query("SELECT FROM pg_extension WHERE extname = 'citus'")
  return rows.length > 0
}

/** Node of the cluster with its shards, customers and bytes; `alone` lists the customers with shards of their own. */
export type Machine = { machine: string; shards: number; customers: number; bytes: number; alone: string[] }

const SIZES = `
  WITH shards AS (
    SELECT s.nodename || ':' || s.nodeport AS machine, count(DISTINCT d.shardminvalue) AS shards, sum(s.shard_size)::float8 AS bytes
    FROM citus_shards s JOIN pg_dist_shard d ON d.shardid = s.shardid
    WHERE s.citus_table_type = 'distributed' GROUP BY 1),
  owners AS (
    SELECT n.nodename || ':' || n.nodeport AS machine, c.id, d.shardminvalue = d.shardmaxvalue AS "isAlone"
    FROM unnest($1::text[]) AS c (id)
    JOIN pg_dist_shard d ON d.logicalrelid = 'audit_events'::regclass
      AND worker_hash(c.id) BETWEEN d.shardminvalue::int AND d.shardmaxvalue::int
    JOIN pg_dist_placement p ON p.shardid = d.shardid
    JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary')
  SELECT s.machine, s.shards::int, s.bytes, (SELECT count(*)::int FROM owners o WHERE o.machine = s.machine) AS customers,
    ARRAY(SELECT o.id FROM owners o WHERE o.machine = s.machine AND o."isAlone" ORDER BY 1) AS alone
  FROM shards s ORDER BY 1`

/**
 * Returns the nodes of a distributed database with their contents; undefined for a database that is not distributed.
 * @param ids ids of all customers
 */
export async function machinesOf(pool: pg.Pool, ids: readonly string[]): Promise<Machine[] | undefined> {
  if (!(await hasCitus(pool))) return undefined
  const { rows } = await pool.query<Machine>(SIZES, [ids])
  return rows.length > 0 ? rows : undefined
}
