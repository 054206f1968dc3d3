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

// Citus sends the rows of a shard as the tables' owner. Where row-level security is forced on the owner, too, it sends those
// that it sees: none, and the rest are gone with the old shard. So nothing is split or moved but with this.
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
 * Gives a customer's rows shards of their own, in all tables, and moves them to a machine. Writes wait until that is done:
 * a move beside them never ends where tables have row-level security. What was done stays where a later step fails.
 * Where it is cut off, `distribute` forces row-level security on the tables' owner again.
 * @param to `host:port` of a machine of the cluster; absent: where they lie
 * @returns the machine on which they lie then
 * @throws Error where the database is not spread, or has no such machine
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
