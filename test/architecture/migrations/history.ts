import { isWithoutTransaction } from '#lib/platform/db/migration-files.ts'
import { projectFiles, read } from '../scan.ts'

/** The first migration that has to follow the rules. Earlier ones belong to a product that was never released. */
export const FIRST_HELD = 29
const releases: { newest: string }[] = JSON.parse(read('releases.json'))
/** The newest migration of the newest release, which may still run next to this one. */
const LAST_RELEASE = releases.at(-1)?.newest.slice(0, 4)

/** A migration: the name and text of its file. */
export type Migration = { name: string; text: string }

/** Context for the check of a statement. */
export type Place = {
  /** Tables that the same migration creates: no process uses them yet. */
  own: ReadonlySet<string>
  inSteps: boolean
  /** Whether the migration has a reason why the last release can do without the removed object. */
  contracts: boolean
  /** Columns (`invoices.note`) that an earlier migration has proven to be never null. */
  proven: ReadonlySet<string>
  /** Returns whether the last release reads a table, or a column of it. */
  isRead(table: string, column?: string): boolean
}

/** Returns all migrations in order. */
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

/**
 * Returns whether a migration has a line `-- contract: …`, with the reason why the last release can do without a right.
 */
export function isContracting({ text }: Migration): boolean {
  return /^-- contract: \S/m.test(text)
}

type Snapshot = { tables: Record<string, { columns: Record<string, unknown> } | undefined> }

/** Returns a function that reads drizzle's snapshot of the last release's schema. */
export function lastRelease(): Place['isRead'] {
  const { tables }: Snapshot = JSON.parse(
    read(`lib/platform/db/migrations/meta/${LAST_RELEASE}_snapshot.json`),
  )
  return (table, column) => {
    const columns = tables[`public.${table}`]?.columns
    return columns !== undefined && (column === undefined || column in columns)
  }
}
