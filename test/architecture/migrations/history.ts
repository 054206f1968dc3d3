import { isWithoutTransaction } from '#lib/platform/db/migration-files.ts'
import { projectFiles, read } from '../scan.ts'

/** The first migration that is held to the rules. Those before it belong to a product that was never released. */
export const FIRST_HELD = 29
/** The newest migration of the newest release, which may still run beside this one: to be set with each release. */
const LAST_RELEASE = '0028'

/** A migration: its file, and what stands there. */
export type Migration = { name: string; text: string }

/** What a statement is judged by. */
export type Place = {
  /** The tables that the same migration makes: nobody uses them yet. */
  own: ReadonlySet<string>
  inSteps: boolean
  /** Whether it says why the last release can do without what it takes away. */
  contracts: boolean
  /** Columns (`invoices.note`) of which an earlier migration has proven that they are never null. */
  proven: ReadonlySet<string>
  /** Whether the last release reads a table, or a column of it. */
  isRead(table: string, column?: string): boolean
}

/** All migrations, the first one first. */
export function migrations(): Migration[] {
  return projectFiles('lib/platform/db/migrations')
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: /[^/]+$/.exec(file)?.[0] ?? file, text: read(file) }))
}

export function numberOf({ name }: Migration): number {
  return Number.parseInt(name, 10)
}

export function isInSteps({ text }: Migration): boolean {
  return isWithoutTransaction(text)
}

/** Whether a migration has a line `-- contract: …`, which says why the last release can do without a right. */
export function isContracting({ text }: Migration): boolean {
  return /^-- contract: \S/m.test(text)
}

type Snapshot = { tables: Record<string, { columns: Record<string, unknown> } | undefined> }

/** Reads drizzle's picture of the schema that the last release was built on. */
export function lastRelease(): Place['isRead'] {
  const { tables }: Snapshot = JSON.parse(
    read(`lib/platform/db/migrations/meta/${LAST_RELEASE}_snapshot.json`),
  )
  return (table, column) => {
    const columns = tables[`public.${table}`]?.columns
    return columns !== undefined && (column === undefined || column in columns)
  }
}
