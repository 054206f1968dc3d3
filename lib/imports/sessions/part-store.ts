import 'server-only'
import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { allowImportTimes } from '#lib/platform/db/plans.ts'
import { readToday } from '#lib/platform/db/schema/columns.ts'
import type { SpooledCharges } from '../charges/spool.ts'
import { storeCharges } from '../charges/store.ts'
import type { Result } from '../invoices/action.ts'
import { importInvoices } from '../invoices/import.ts'
import { keyOf } from '../invoices/stored.ts'
import { gatherInvoices } from '../report/gather.ts'
import type { InvoiceReport } from '../report/report.ts'
import type { SourceFile } from '../sources/source.ts'
import { lockImports } from './lock.ts'
import type { Entry } from './parts.ts'
import { addImport, endImport } from './store.ts'
import type { Input, SessionTerms } from './terms.ts'

type PartOfImport = { importId: string; customerId: CustomerId; entries: AsyncIterable<Entry> }

/** Stores one customer's part of an import, with its import row and its part of the report. */
export async function storePart(
  tx: Transaction,
  { importId: id, customerId, entries }: PartOfImport,
  input: Input,
  { customerId: named, correct = false, answer, isHistory = false, onProgress, signal }: SessionTerms,
): Promise<InvoiceReport> {
  await allowImportTimes(tx)
  await lockImports(tx, customerId, {
    signal,
    onWait: () =>
      onProgress?.(0, `invoices stored: another import for ${customerId} runs, and is waited for`),
  })
  const { kind, files } = input
  await addImport(tx, customerId, { id, kind, files })
  const requestId = randomUUID()
  // A customer's part reveals nothing about the other customers of the files.
  const isSameCustomer = named === customerId
  const gather = gatherInvoices({
    isHistory,
    today: await readToday(tx),
    ...(isSameCustomer ? {} : { customer: customerId }),
  })
  const invoices = async function* () {
    let count = 0
    for await (const { invoice, exact } of entries) {
      gather.addInvoice(invoice, exact)
      yield invoice
      onProgress?.(++count, 'invoices stored')
    }
  }
  const places = placesOfBills()
  const counts = await importInvoices(tx, customerId, invoices(), {
    correct,
    answer,
    importId: id,
    requestId,
    history: isHistory ? 'all' : 'late',
    onResult: (result) => {
      places.see(result)
      const { invoice, what, like } = result
      if (what === 'unclear')
        gather.oddities.add('alike', `${nameOf(invoice)}, which may be ${like ? nameOf(like) : ''}`)
      else gather.inspect(invoice, what === 'added' || what === 'corrected')
    },
    ...(signal ? { signal } : {}),
  })
  const bills = input.charges?.forCustomer(isSameCustomer ? '' : customerId) ?? []
  const charged = await storeCharges(tx, customerId, {
    importId: id,
    bills: places.forBills(bills),
    signal,
    onBill: (count) => onProgress?.(count, 'invoices with their charges stored'),
  })
  const report = { ...gather.report(kind, counts), ...(input.charges ? { charged } : {}) }
  const subject = isSameCustomer ? subjectOf(files) : id
  await endImport(tx, customerId, {
    id,
    requestId,
    subject,
    report: isSameCustomer ? wholeOf(report, input) : report,
  })
  return report
}

/** Returns the number and the issuer of an invoice, by which people distinguish invoices. */
function nameOf({ number, issuer }: { number: string; issuer: string }): string {
  return `${number} of ${issuer}`
}

/** Leads the charges of bills to the invoices that these became: under another spelling of the issuer, or to none. */
function placesOfBills() {
  // Only those that are not stored as they came.
  const others = new Map<string, { issuer: string; number: string } | undefined>()
  return {
    see({ incoming, invoice, what }: Result): void {
      const { issuer, number } = invoice
      if (what === 'unclear' || what === 'billed') others.set(keyOf(incoming), undefined)
      else if (issuer !== incoming.issuer || number !== incoming.number)
        others.set(keyOf(incoming), { issuer, number })
    },
    *forBills(bills: Iterable<SpooledCharges>): Generator<SpooledCharges> {
      for (const bill of bills) {
        const key = keyOf(bill)
        if (!others.has(key)) yield bill
        else if (others.get(key)) yield { ...bill, ...others.get(key) }
      }
    },
  }
}

/** Adds the facts about the files, which a customer's part leaves out. */
export function wholeOf(report: InvoiceReport, { counts, warnings }: Input): InvoiceReport {
  return { ...report, ...counts(), oddities: [...report.oddities, ...(warnings?.() ?? [])] }
}

/** `costs-2026-10.csv`, and how many more there are. */
export function subjectOf(files: readonly SourceFile[]): string {
  const [first, ...others] = files.map(({ name }) => (name === '-' ? 'stdin' : basename(name)))
  return others.length === 0 ? (first ?? '') : `${first} and ${others.length} more`
}
