import pg from 'pg'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { ownerOf } from '../logins.ts'
import { hasCitus } from './table-distribution.ts'

const SHARD_LOCATION = `
  SELECT s.shardid::text AS shard, s.shardminvalue = s.shardmaxvalue AS "isAlone", n.nodename || ':' || n.nodeport AS machine
  FROM pg_dist_shard s
  JOIN pg_dist_placement p ON p.shardid = s.shardid
  JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
  WHERE s.logicalrelid = 'audit_events'::regclass
    AND worker_hash($1::text) BETWEEN s.shardminvalue::int AND s.shardmaxvalue::int`

const SPLIT =
  "SELECT isolate_tenant_to_new_shard('audit_events', $1::text, 'CASCADE', shard_transfer_mode => 'block_writes')"
const MOVE =
  "SELECT citus_move_shard_placement($1::bigint, $2, $3::int, $4, $5::int, shard_transfer_mode => 'block_writes')"

// Citus copies a shard's rows as the tables' owner. With row-level security forced on the owner, Citus copies the
// visible rows: none, and the others are lost with the old shard. Therefore every split and move runs with this
// setting.
async function withoutForce<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  const all = (force: string) =>
    client.query(`DO $$ DECLARE spread regclass; BEGIN
      FOR spread IN SELECT logicalrelid FROM pg_dist_partition WHERE partmethod = 'h' ORDER BY 1 LOOP
        EXECUTE format('ALTER TABLE %s ${force} ROW LEVEL SECURITY', spread);
      END LOOP; END $$`)
  await all('NO FORCE')
  try {
    return await work()
  } finally {
    await all('FORCE')
  }
}

/**
 * Moves a customer's rows, in all tables, to shards of their own, and these to a node. Writes are blocked until the
 * end: an online move never finishes for tables with row-level security. If a later step fails, earlier steps stay
 * done. After an interruption, `distribute` forces row-level security for the tables' owner again.
 * @param to `host:port` of a node of the cluster; by default the customer's current node
 * @returns the node that now has the rows
 * @throws Error if the database is not distributed, or has no such node
 */
export async function isolate(url: string, customerId: CustomerId, to?: string): Promise<string> {
  const client = new pg.Client(ownerOf(url))
  await client.connect()
  const shardLocation = async () => {
    const { rows } = await client.query<{ shard: string; isAlone: boolean; machine: string }>(
      SHARD_LOCATION,
      [customerId],
    )
    if (!rows[0]) throw new Error('The tables are not spread: see database distribute.')
    return rows[0]
  }
  try {
    if (!(await hasCitus(client))) throw new Error('This database has no Citus: nothing is spread.')
    await shardLocation()
    await withoutForce(client, async () => {
      if (!(await shardLocation()).isAlone) await client.query(SPLIT, [customerId])
      const { shard, machine } = await shardLocation()
      if (to !== undefined && to !== machine)
        await client.query(MOVE, [shard, ...parts(machine), ...parts(to)])
    })
    return (await shardLocation()).machine
  } finally {
    await client.end()
  }
}

function parts(machine: string): [host: string, port: number] {
  const at = machine.lastIndexOf(':')
  return [machine.slice(0, at), Number(machine.slice(at + 1))]
}
