import type pg from 'pg'
import { hasCitus } from './places.ts'

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
