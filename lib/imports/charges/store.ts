import 'server-only'
import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { planAgain } from '#lib/platform/db/plans.ts'
import { assertAllWritten } from '../all-rows.ts'
import type { Charge } from './charge.ts'
import type { SpooledCharges } from './spool.ts'

/** Number of bills whose charges were added, unchanged, or replaced. */
export type ChargeCounts = { added: number; unchanged: number; replaced: number }

const MAX_BILLS = 500
const MAX_LINES = 5000

/**
 * Stores the charges of bills, whether the bills are stored or not: all of a bill, or none where equal ones are stored. Replaced
 * charges stay stored, so that this import can be undone. The caller holds the lock of the customer's imports.
 */
export async function storeCharges(
  tx: Transaction,
  customerId: CustomerId,
  {
    importId,
    bills,
    onBill,
    signal,
  }: {
    importId: string
    bills: Iterable<SpooledCharges>
    onBill?: (count: number) => void
    signal?: AbortSignal | undefined
  },
): Promise<ChargeCounts> {
  const counts: ChargeCounts = { added: 0, unchanged: 0, replaced: 0 }
  let done = 0
  // A row for a row in either table, so that foreign keys are checked by their keys: see lib/billing/invoices/rows.ts.
  for (const batch of batchesOf(bills)) {
    signal?.throwIfAborted()
    await planAgain(tx)
    const there = await digestsOf(tx, customerId, batch)
    const isNew = ({ issuer, number, digest }: SpooledCharges) => there.get(keyOf(issuer, number)) !== digest
    const sets = batch.filter(isNew).map((bill) => ({ bill, id: randomUUID() }))
    const replaced = sets.filter(({ bill }) => there.has(keyOf(bill.issuer, bill.number)))
    counts.unchanged += batch.length - sets.length
    counts.replaced += replaced.length
    counts.added += sets.length - replaced.length
    await recordReplaced(
      tx,
      customerId,
      importId,
      replaced.map(({ bill }) => bill),
    )
    await addSets(tx, customerId, importId, sets)
    for (const rows of rowsOf(sets)) {
      signal?.throwIfAborted()
      await addRows(tx, customerId, rows)
    }
    done += batch.length
    onBill?.(done)
  }
  return counts
}

/** Undoes an import's changes to charges. @returns the number of bills */
export async function undoCharges(
  tx: Transaction,
  customerId: CustomerId,
  importId: string,
): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    DELETE FROM charge_sets WHERE customer_id = ${customerId} AND import_id = ${importId}`)
  await tx.execute(sql`
    UPDATE charge_sets SET replaced_by = NULL WHERE customer_id = ${customerId} AND replaced_by = ${importId}`)
  return rowCount ?? 0
}

/** Yields bills in batches; `rowsOf` reads the charges of a batch before the next one is requested. */
function* batchesOf(bills: Iterable<SpooledCharges>): Generator<SpooledCharges[]> {
  let batch: SpooledCharges[] = []
  let lines = 0
  for (const bill of bills) {
    batch.push(bill)
    lines += bill.lines.length
    if (batch.length < MAX_BILLS && lines < MAX_LINES) continue
    yield batch
    ;[batch, lines] = [[], 0]
  }
  if (batch.length > 0) yield batch
}

async function digestsOf(tx: Transaction, customerId: CustomerId, bills: readonly SpooledCharges[]) {
  const { rows } = await tx.execute<{ issuer: string; number: string; digest: string }>(sql`
    SELECT found.* FROM unnest(${texts(bills, 'issuer')}, ${texts(bills, 'number')}) AS given(issuer, number)
    CROSS JOIN LATERAL (
      SELECT issuer, number, digest FROM charge_sets
      WHERE customer_id = ${customerId} AND issuer = given.issuer AND number = given.number
        AND replaced_by IS NULL OFFSET 0) AS found`)
  return new Map(rows.map(({ issuer, number, digest }) => [keyOf(issuer, number), digest]))
}

async function recordReplaced(
  tx: Transaction,
  customerId: CustomerId,
  importId: string,
  bills: readonly SpooledCharges[],
) {
  if (bills.length === 0) return
  await tx.execute(sql`
    UPDATE charge_sets SET replaced_by = ${importId}
    FROM unnest(${texts(bills, 'issuer')}, ${texts(bills, 'number')}) AS given(issuer, number)
    WHERE customer_id = ${customerId} AND charge_sets.issuer = given.issuer
      AND charge_sets.number = given.number AND replaced_by IS NULL`)
}

function texts(sets: readonly SpooledCharges[], field: 'issuer' | 'number') {
  return sql`${sql.param(sets.map((one) => one[field]))}::text[]`
}

function keyOf(issuer: string, number: string): string {
  return `${issuer}\u0000${number}`
}

const MAX_ROWS = 5000

type Row = Charge & { setId: string; position: number }

/** Adds sets without their charges. */
async function addSets(
  tx: Transaction,
  customerId: CustomerId,
  importId: string,
  sets: readonly { bill: SpooledCharges; id: string }[],
) {
  if (sets.length === 0) return
  const rows = sets.map(({ id, bill: { charges: _, ...row } }) => ({ id, ...row }))
  const added = await tx.execute(sql`
    INSERT INTO charge_sets (customer_id, import_id, id, issuer, number, currency, count, amount, digest, lines)
    SELECT own.customer_id, own.id, r.* FROM imports AS own, json_to_recordset(${JSON.stringify(rows)}::json)
      AS r(id text, issuer text, number text, currency text, count int, amount numeric, digest text, lines jsonb)
    WHERE own.customer_id = ${customerId} AND own.id = ${importId}`)
  assertAllWritten(added, rows.length)
}

/** Yields the charges of sets as rows, in batches. */
function* rowsOf(sets: readonly { bill: SpooledCharges; id: string }[]): Generator<Row[]> {
  let rows: Row[] = []
  for (const { id: setId, bill } of sets) {
    let position = 0
    for (const charge of bill.charges()) {
      rows.push({ ...charge, setId, position: position++ })
      if (rows.length < MAX_ROWS) continue
      yield rows
      rows = []
    }
  }
  if (rows.length > 0) yield rows
}

async function addRows(tx: Transaction, customerId: CustomerId, rows: readonly Row[]) {
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
  assertAllWritten(added, rows.length)
}
