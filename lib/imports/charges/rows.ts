import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { holdAll } from '../all-rows.ts'
import type { Charge } from './charge.ts'
import type { Kept } from './stream.ts'

const MOST_ROWS = 5000

type Row = Charge & { setId: string; position: number }

/** Adds sets without their charges. */
export async function addSets(
  tx: Transaction,
  customerId: CustomerId,
  importId: string,
  sets: readonly { bill: Kept; id: string }[],
) {
  if (sets.length === 0) return
  const rows = sets.map(({ id, bill: { charges: _, ...head } }) => ({ id, ...head }))
  const added = await tx.execute(sql`
    INSERT INTO charge_sets (customer_id, import_id, id, issuer, number, currency, count, amount, digest, lines)
    SELECT own.customer_id, own.id, r.* FROM imports AS own, json_to_recordset(${JSON.stringify(rows)}::json)
      AS r(id text, issuer text, number text, currency text, count int, amount numeric, digest text, lines jsonb)
    WHERE own.customer_id = ${customerId} AND own.id = ${importId}`)
  holdAll(added, rows.length)
}

/** The charges of sets as rows, so many at a time. */
export function* rowsOf(sets: readonly { bill: Kept; id: string }[]): Generator<Row[]> {
  let rows: Row[] = []
  for (const { id: setId, bill } of sets) {
    let position = 0
    for (const charge of bill.charges()) {
      rows.push({ ...charge, setId, position: position++ })
      if (rows.length < MOST_ROWS) continue
      yield rows
      rows = []
    }
  }
  if (rows.length > 0) yield rows
}

export async function addRows(tx: Transaction, customerId: CustomerId, rows: readonly Row[]) {
  const added = await tx.execute(sql`
    INSERT INTO charges (customer_id, set_id, position, detail, category, class, service, description,
      period_start, period_end, billing_account, sub_account, quantity, unit, billed_cost, tags)
    SELECT own.customer_id, r."setId", r.position, r.detail, r.category, r.class, r.service, r.description,
      to_timestamp(r.start / 1000.0), to_timestamp(r."end" / 1000.0), r.account, r."subAccount", r.quantity, r.unit,
      r.cost, r.tags
    FROM charge_sets AS own, json_to_recordset(${JSON.stringify(rows)}::json)
      AS r("setId" text, position int, detail text, category text, class text, service text, description text,
        start bigint, "end" bigint, account text, "subAccount" text, quantity numeric, unit text, cost numeric,
        tags jsonb)
    WHERE own.customer_id = ${customerId} AND own.id = ${rows[0]?.setId}`)
  holdAll(added, rows.length)
}
