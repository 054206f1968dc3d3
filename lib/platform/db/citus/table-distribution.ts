import type pg from 'pg'

/**
 * Where the rows of a table lie in a database that Citus spreads. `spread`: with their customer, on one of the machines.
 * `everywhere`: a copy on each of them. `home`: on the one that is asked first, the coordinator.
 */
export type Distribution = 'spread' | 'everywhere' | 'home'

/** What the catalog says of a table. */
export type Table = {
  name: string
  hasCustomer: boolean
  /** A key over all customers: no machine could hold it for its own alone. */
  isUniqueOverAll: boolean
  /** A trigger that goes row by row, and may write anywhere. */
  hasRowTrigger: boolean
  /** Whether a login that finds out who is calling reads it: that is asked before the customer is known. */
  isLookedUp: boolean
  /** The tables that its foreign keys point to. */
  pointsTo: string[]
  /** Whether its owner sees all rows, because a shard was being split or moved when that was cut off. */
  isUnforced: boolean
  /** Its parts, where it is kept in months: what is moved with it. */
  parts: string[]
  /** Where it lies now. */
  now: Distribution
}

/**
 * Finds each table's place by what the catalog says of it, so that there is no list to keep. A table whose keys all have
 * the customer is spread, unless callers are looked up in it, it points to one that stays at home, or nobody but those
 * at home points to it: what is joined with them lies beside them. Of those that are not spread, the ones that spread rows point to lie everywhere, where no trigger of theirs forbids it.
 */
export function distributionOf(tables: readonly Table[]): ReadonlyMap<string, Distribution> {
  const home = new Set(tables.filter(isLocal).map(({ name }) => name))
  const withRowTrigger = new Set(tables.filter(({ hasRowTrigger }) => hasRowTrigger).map(({ name }) => name))
  addUntilNone(withRowTrigger, tables, ({ pointsTo }) => pointsTo.some((other) => withRowTrigger.has(other)))
  for (const name of withRowTrigger) home.add(name)
  addUntilNone(home, tables, ({ name }) => {
    const by = tables.filter(({ name: other, pointsTo }) => other !== name && pointsTo.includes(name))
    return by.length > 0 && by.every(({ name: other }) => home.has(other))
  })
  const distributed = tables.filter(({ name }) => !home.has(name))
  const pointedTo = new Set(distributed.flatMap(({ pointsTo }) => pointsTo))
  return new Map(
    tables.map(({ name }) => {
      if (!home.has(name)) return [name, 'spread']
      return [name, pointedTo.has(name) && !withRowTrigger.has(name) ? 'everywhere' : 'home']
    }),
  )
}

/** Adds those that belong there, and then those that belong there by that, until none does: in whatever order they come. */
function addUntilNone(set: Set<string>, tables: readonly Table[], belongs: (table: Table) => boolean): void {
  for (let before = -1; before < set.size; ) {
    before = set.size
    for (const table of tables) if (belongs(table)) set.add(table.name)
  }
}

function isLocal({ hasCustomer, isUniqueOverAll, hasRowTrigger, isLookedUp }: Table): boolean {
  return !hasCustomer || isUniqueOverAll || hasRowTrigger || isLookedUp
}

const CALLER_LOGINS = "ARRAY['console_keys', 'console_sessions', 'console_sign_in']"

const TABLES = `
  SELECT c.relname AS name, a.attnum IS NOT NULL AS "hasCustomer",
    EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND NOT coalesce(a.attnum, 0) = ANY (i.indkey))
      AS "isUniqueOverAll",
    EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgtype & 1 = 1)
      AS "hasRowTrigger",
    EXISTS (SELECT FROM unnest(${CALLER_LOGINS}) login WHERE has_any_column_privilege(login, c.oid, 'SELECT'))
      AS "isLookedUp",
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

/** Whether the database has Citus at all. */
export async function hasCitus(client: pg.Client | pg.Pool): Promise<boolean> {
  const { rows } = await client.query("SELECT FROM pg_extension WHERE extname = 'citus'")
  return rows.length > 0
}

/** A machine, and what lies there. */
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
 * Says what lies where, of a database that is spread; undefined of one that is not.
 * @param ids the customers that there are
 */
export async function machinesOf(pool: pg.Pool, ids: readonly string[]): Promise<Machine[] | undefined> {
  if (!(await hasCitus(pool))) return undefined
  const { rows } = await pool.query<Machine>(SIZES, [ids])
  return rows.length > 0 ? rows : undefined
}
