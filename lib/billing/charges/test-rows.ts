import { randomUUID } from 'node:crypto'
import Big from 'big.js'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import type { LineSum } from './reconciliation.ts'

type ChargeInput = {
  detail?: string
  category?: string
  class?: string
  service?: string
  description?: string
  start?: string
  end?: string
  account?: string
  subAccount?: string
  quantity?: string
  unit?: string
  cost: string
  tags?: Record<string, string>
}

/** Adds the charges of a bill as an import stores them, grouped by line. */
export async function addCharges(
  customer: string,
  { issuer = 'Reseller', number, currency = 'USD' }: { issuer?: string; number: string; currency?: string },
  inputs: readonly ChargeInput[],
): Promise<void> {
  const customerId = customer as CustomerId
  const setId = randomUUID()
  const sumOf = (charges: readonly ChargeInput[]) =>
    charges.reduce((sum, { cost }) => sum.plus(cost), new Big(0)).toFixed()
  const groups = [...Map.groupBy(inputs, ({ detail }) => detail ?? null)]
  let from = 0
  const lines = groups.map(([detail, charges]): LineSum => {
    const corrected = charges.filter((charge) => charge.class === 'Correction')
    const categories = [...Map.groupBy(charges, ({ category = 'Usage' }) => category)]
    const line = {
      detail,
      from,
      count: charges.length,
      amount: sumOf(charges),
      corrections: { count: corrected.length, amount: sumOf(corrected) },
      categories: categories.map(([name, items]): [string, number, string] => [
        name,
        items.length,
        sumOf(items),
      ]),
    }
    from += charges.length
    return line
  })
  await scope({ customerId }, async (tx) => {
    await tx.execute(sql`
      INSERT INTO charge_sets (customer_id, id, issuer, number, currency, count, amount, digest, lines)
      VALUES (${customer}, ${setId}, ${issuer}, ${number}, ${currency}, ${inputs.length}, ${sumOf(inputs)}, ${setId},
        ${JSON.stringify(lines)}::jsonb)`)
    const rows = groups.flatMap(([, charges]) => charges)
    await tx.execute(sql`
      INSERT INTO charges (customer_id, set_id, position, detail, category, class, service, description, period_start,
        period_end, billing_account, sub_account, quantity, unit, billed_cost, tags)
      SELECT own.customer_id, own.id, r.position, r.detail, coalesce(r.category, 'Usage'), r.class,
        coalesce(r.service, 'Compute'), r.description, r.start, r."end", coalesce(r.account, 'A-1'), r."subAccount",
        r.quantity, r.unit, r.cost, r.tags
      FROM charge_sets AS own, json_to_recordset(${JSON.stringify(rows.map((row, position) => ({ ...row, position })))}::json)
        AS r(position int, detail text, category text, class text, service text, description text, start timestamptz,
          "end" timestamptz, account text, "subAccount" text, quantity numeric, unit text, cost numeric, tags jsonb)
      WHERE own.customer_id = ${customer} AND own.id = ${setId}`)
  })
}

/** Adds the charges of the examples of calls. */
export function addExampleCharges(): Promise<void> {
  const bill = { issuer: 'Fernhill Cloud GmbH', number: 'RE-2025-1140', currency: 'EUR' }
  return addCharges('northwind', bill, [
    {
      ...{ category: 'Purchase', service: 'Office E3', description: 'Office E3, November', cost: '500' },
      ...{ start: '2025-11-01T00:00:00Z', end: '2025-12-01T00:00:00Z', quantity: '40', unit: 'Licenses' },
      ...{ account: 'FC-1140', subAccount: 'berlin', tags: { team: 'sales' } },
    },
    { category: 'Tax', service: 'Tax', cost: '95', account: 'FC-1140' },
  ])
}
