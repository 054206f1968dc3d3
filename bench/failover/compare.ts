import pg from 'pg'
import type { Acknowledged } from './load.ts'

/** Comparison of acknowledged changes with the database. */
export type Compared = {
  acknowledged: number
  /** Changes without their row, or without their row in the history. */
  lost: number
  /** Changes with more than one row. */
  twice: number
  /** Rows of changes that were never acknowledged. */
  untold: number
  /** Assets whose seats differ from those of their last change. */
  wrongSeats: number
}

/** Compares the acknowledged changes with the database, as a superuser. */
export async function compare(url: string, acknowledged: readonly Acknowledged[]): Promise<Compared> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const rows = await countsOf(
      client,
      "SELECT asset_id AS asset, to_quantity AS quantity FROM license_changes WHERE state = 'APPLIED'",
    )
    const counts = await countsOf(
      client,
      `SELECT details->>'assetId' AS asset, (details->>'to')::int AS quantity FROM audit_events
       WHERE action = 'license-change.applied'`,
    )
    const seats = await client.query<{ id: string; seats: number }>(
      'SELECT id, seats_purchased AS seats FROM assets',
    )
    const last = new Map(acknowledged.map(({ asset, quantity }) => [asset, quantity]))
    const names = new Set(acknowledged.map(nameOf))
    return {
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((change) => !rows.has(nameOf(change)) || !counts.has(nameOf(change))).length,
      twice: [...rows.values(), ...counts.values()].filter((count) => count > 1).length,
      untold: [...rows.keys()].filter((name) => !names.has(name)).length,
      wrongSeats: seats.rows.filter(({ id, seats }) => last.has(id) && last.get(id) !== seats).length,
    }
  } finally {
    await client.end()
  }
}

async function countsOf(client: pg.Client, query: string): Promise<Map<string, number>> {
  const { rows } = await client.query<Acknowledged>(query)
  const grouped = Map.groupBy(rows, nameOf)
  return new Map([...grouped].map(([name, same]) => [name, same.length]))
}

const nameOf = ({ asset, quantity }: Acknowledged) => `${asset} ${quantity}`
