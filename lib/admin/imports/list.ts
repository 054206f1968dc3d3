import { mergedReports } from '#lib/imports/report/gather.ts'
import type { AssetReport, ImportReport, InvoiceReport } from '#lib/imports/report/report.ts'
import { findImport, listImports, type StoredImport } from '#lib/imports/sessions/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { listCustomers } from '#lib/platform/caller/store.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { customerNamed } from '../command.ts'
import { print, printJson, printRows } from '../terminal.ts'
import { reportLines } from './report-lines.ts'

/** Most imports listed per customer. */
const MAX_IMPORTS = 100

type CustomerImport = { customerId: CustomerId; part: StoredImport }
/** An import of one customer or of several, whose parts have the same id. */
type Listed = { customers: string[]; parts: StoredImport[]; first: StoredImport }

export async function listAllImports({ customer, json = false }: { customer?: string; json?: boolean }) {
  const customers =
    customer === undefined
      ? (await listCustomers()).map(({ customerId }) => customerId)
      : [(await customerNamed(customer)).customerId]
  const imports: CustomerImport[] = []
  for (const customerId of customers) {
    const parts = await readScope({ customerId }, (tx) => listImports(tx, customerId, MAX_IMPORTS))
    imports.push(...parts.map((part) => ({ customerId, part })))
  }
  const listed = grouped(imports).sort((a, b) => b.first.createdAt.getTime() - a.first.createdAt.getTime())
  printRows(listed.map(rowOf), { json })
}

export async function showImport(id: string, { json }: { json?: boolean }): Promise<void> {
  const [listed] = grouped(await partsWith(id))
  if (!listed) throw new Problem('not_found', `There is no import "${id}".`)
  const { first, customers: names } = listed
  const { id: importId, kind, createdAt, undoneAt } = first
  const report = reportOf(listed)
  // For one customer among many, only the file names are stored.
  const files = report.files.length > 0 ? report.files : first.files
  if (json) return printJson({ import: importId, customers: names, createdAt, undoneAt, ...report, files })
  print(`Import ${importId} of ${kind} for ${namesOf(names)}, ${timeText(createdAt)}`)
  if (undoneAt) print(`Undone ${timeText(undoneAt)}`)
  print('')
  for (const line of reportLines(report, files)) print(line)
}

/** Returns each customer's part of an import. */
export async function partsWith(id: string): Promise<CustomerImport[]> {
  const imports: CustomerImport[] = []
  for (const { customerId } of await listCustomers()) {
    const part = await readScope({ customerId }, (tx) => findImport(tx, customerId, id))
    if (part) imports.push({ customerId, part })
  }
  return imports
}

function grouped(imports: readonly CustomerImport[]): Listed[] {
  return [...Map.groupBy(imports, ({ part }) => part.id).values()].flatMap((parts) => {
    const [first] = parts
    const customers = parts.map(({ customerId }) => customerId).sort()
    return first ? [{ customers, parts: parts.map(({ part }) => part), first: first.part }] : []
  })
}

function reportOf({ parts, first }: Listed): ImportReport {
  if (first.report.kind === 'assets') return assetsOf(first.report, parts)
  return mergedReports(parts.map(({ report }) => report as InvoiceReport))
}

/** Merges the asset reports of one customer or several. */
function assetsOf(first: AssetReport, parts: readonly StoredImport[]): AssetReport {
  const reports = parts.map(({ report }) => report as AssetReport)
  const sum = (read: (report: AssetReport) => number) =>
    reports.reduce((total, report) => total + read(report), 0)
  const counts = {
    added: sum((report) => report.counts.added),
    unchanged: sum((report) => report.counts.unchanged),
    replaced: sum((report) => report.counts.replaced),
  }
  return { ...first, rows: sum(({ rows }) => rows), counts }
}

function rowOf(listed: Listed) {
  const { id, kind, files, createdAt, undoneAt } = listed.first
  const { counts } = reportOf(listed)
  const { added, unchanged, ...others } = counts
  const changed = Object.values(others).reduce((sum, count) => sum + count, 0)
  const names = files.map(({ name }) => name)
  return {
    id,
    time: createdAt,
    kind,
    customer: namesOf(listed.customers),
    files: names.length > 1 ? `${names[0]} and ${names.length - 1} more` : (names[0] ?? ''),
    added: String(added),
    changed: String(changed),
    unchanged: String(unchanged),
    undone: undoneAt,
  }
}

function namesOf(customers: readonly string[]): string {
  return customers.length > 3 ? `${customers.length} customers` : customers.join(', ')
}

function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
