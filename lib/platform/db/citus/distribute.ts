import pg from 'pg'
import { ownerOf } from '../logins.ts'
import {
  type Distribution,
  distributionOf,
  hasCitus,
  LOCAL_COMMENT,
  readTables,
  type Table,
} from './table-distribution.ts'

/** Steps of the distribution: tables to move, and foreign keys to drop or recreate. */
export type Plan = {
  moves: { table: string; to: Distribution; parts: string[]; staysHome: boolean }[]
  dropped: string[]
  restored: string[]
  queries: string[]
}

type Key = { table: string; name: string; to: string; definition: string }

/**
 * Distributes the tables of a migrated database by customer, unless they are distributed already. Runs in one
 * transaction with exclusive use of the database: other sessions wait.
 * @param options.dryRun plans only
 * @throws Error if the database has no Citus, or no node to distribute to
 */
export async function distribute(url: string, { dryRun = false } = {}): Promise<Plan> {
  const client = new pg.Client(ownerOf(url))
  await client.connect()
  try {
    if (!(await hasCitus(client)))
      throw new Error('This database has no Citus: make the extension and add its machines first.')
    const { rows } = await client.query('SELECT FROM pg_dist_node WHERE shouldhaveshards AND isactive')
    if (rows.length === 0) throw new Error('Citus knows no machine to spread to: add one by citus_add_node.')
    await client.query('BEGIN')
    const plan = planOf(await readTables(client), await readKeys(client))
    if (!dryRun) for (const query of plan.queries) await client.query(query)
    await client.query(dryRun ? 'ROLLBACK' : 'COMMIT')
    return plan
  } finally {
    await client.end()
  }
}

/**
 * Replaces the single-node function of that name (lib/platform/db/migrations): returns the shard that a shard's trigger
 * writes to.
 */
const COLOCATED_SHARD_FUNCTION = `CREATE OR REPLACE FUNCTION beside(named text, place text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT coalesce((SELECT format('%s_%s', named, other.shardid)
    FROM pg_catalog.pg_dist_shard own JOIN pg_catalog.pg_dist_shard other ON other.shardminvalue = own.shardminvalue
    WHERE own.shardid = substring(place FROM '_([0-9]+)$')::bigint AND other.logicalrelid = named::regclass), named)
$$`

function planOf(tables: readonly Table[], keys: readonly Key[]): Plan {
  const distribution = distributionOf(tables)
  const moves = tables.flatMap(({ name, now, parts, staysHome }) => {
    const to = distribution.get(name) ?? 'home'
    // Tables that an earlier release distributed, and that now stay on the coordinator, return there.
    return to === now || (to === 'home' && now !== 'spread') ? [] : [{ table: name, to, parts, staysHome }]
  })
  const forced = tables
    .filter(({ isUnforced, now }) => isUnforced && now === 'spread')
    .map(({ name }) => `ALTER TABLE ${id(name)} FORCE ROW LEVEL SECURITY`)
  if (moves.length === 0) return { moves, dropped: [], restored: [], queries: forced }
  const holds = ({ table, to, definition }: Key) => {
    const [from, into] = [distribution.get(table), distribution.get(to)]
    if (from === 'home') return into === 'home'
    return from === 'spread' && into !== 'home' && !(into === 'everywhere' && definition.includes(' CASCADE'))
  }
  const colocatedKeys = keys.filter(holds)
  const touched = keys.filter((key) =>
    [key.table, key.to].some((name) => moves.some(({ table }) => table === name)),
  )
  // A table of a later migration goes to the shards of those that are spread already.
  const distributed = tables.filter(({ name }) => distribution.get(name) === 'spread')
  const first = (distributed.find(({ now }) => now === 'spread') ?? distributed[0])?.name ?? ''
  const queries = [
    ...forced,
    'SET LOCAL lock_timeout = 0',
    'SET LOCAL statement_timeout = 0',
    "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'",
    // For triggers that write to the colocated shard only.
    'SET LOCAL citus.enable_unsafe_triggers TO on',
    'SET LOCAL citus.enable_local_reference_table_foreign_keys TO off',
    ...touched.map(({ table, name }) => `ALTER TABLE ${id(table)} DROP CONSTRAINT ${id(name)}`),
    COLOCATED_SHARD_FUNCTION,
    ...moves
      .toSorted((a, b) => Number(b.table === first) - Number(a.table === first))
      .flatMap((move) => moved(move, first)),
    ...touched
      .filter(holds)
      .map(
        ({ table, name, definition }) => `ALTER TABLE ${id(table)} ADD CONSTRAINT ${id(name)} ${definition}`,
      ),
  ]
  const keyName = ({ table, name }: Key) => `${table}.${name}`
  return {
    moves,
    dropped: touched.filter((key) => !holds(key)).map(keyName),
    restored: touched.filter((key) => colocatedKeys.includes(key)).map(keyName),
    queries,
  }
}

/**
 * Returns the statements that move a table. Its owner sees all rows while they are moved; other roles see no more than
 * before.
 */
function moved({ table, to, parts, staysHome }: Plan['moves'][number], first: string): string[] {
  const colocateWith = table === first ? 'none' : first
  const all = [id(table), ...parts]
  return [
    ...all.map((one) => `ALTER TABLE ${one} NO FORCE ROW LEVEL SECURITY`),
    {
      home: `SELECT undistribute_table('${table}')`,
      everywhere: `SELECT create_reference_table('${table}')`,
      spread: `SELECT create_distributed_table('${table}', 'customer_id', colocate_with => '${colocateWith}')`,
    }[to],
    ...(to === 'home' && staysHome ? [`COMMENT ON TABLE ${id(table)} IS '${LOCAL_COMMENT}'`] : []),
    ...all.map((one) => `ALTER TABLE ${one} FORCE ROW LEVEL SECURITY`),
  ]
}

const id = (name: string) => pg.escapeIdentifier(name)

async function readKeys(client: pg.Client): Promise<Key[]> {
  const { rows } = await client.query<Key>(`
    SELECT c.relname AS table, f.conname AS name, p.relname AS to, pg_get_constraintdef(f.oid) AS definition
    FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class p ON p.oid = f.confrelid
    WHERE f.contype = 'f' AND f.conparentid = 0 AND f.connamespace = 'public'::regnamespace AND c.relname !~ '_[0-9]{6,}$'
    ORDER BY 1, 2`)
  return rows
}
