import { once } from 'node:events'
import { eventPages, eventsTable } from '#lib/identity/audit-events/export.ts'
import { serializeAuditEvent } from '#lib/identity/audit-events/serialize.ts'
import { type EventRow, listEvents } from '#lib/identity/audit-events/store.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { csv } from '#lib/platform/files/csv.ts'
import { customerNamed } from '../command.ts'
import { printRows } from '../table.ts'
import { interruption, print } from '../terminal.ts'

type Listed = { customer: string; kind?: string; most: number; json?: boolean }

export async function listNewest({ customer, kind, most, json = false }: Listed): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const filter = kind === undefined ? {} : { kind: [kind] }
  const rows = await readScope({ customerId }, (tx) => listEvents(tx, customerId, { filter }, most))
  if (json) print(JSON.stringify(rows.map(serializeAuditEvent), null, 2))
  else printRows(rows.map(shown), {})
}

function shown({ at, action, subject, actorName, address, details }: EventRow) {
  return { at, action, subject, who: actorName, address, details: JSON.stringify(details) }
}

/** With the digest of each, so that the chain can be checked without the database. */
export async function exportEvents({
  customer,
  format,
}: {
  customer: string
  format: string
}): Promise<void> {
  const { customerId } = await customerNamed(customer)
  if (format === 'csv') {
    for await (const part of csv(eventsTable({ customerId }, {}))) await write(part)
    return
  }
  for await (const rows of eventPages({ customerId }, {})) {
    const lines = rows.map((row) => JSON.stringify({ ...serializeAuditEvent(row), digest: row.digest }))
    await write(`${lines.join('\n')}\n`)
  }
}

/** As fast as it is read, however much it is. */
async function write(text: string): Promise<void> {
  interruption.signal.throwIfAborted()
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
