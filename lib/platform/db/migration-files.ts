import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'

/** Folder of the committed, forward-only SQL migrations. */
const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url))

/** First line of a migration whose statements can't be in a transaction, such as CREATE INDEX CONCURRENTLY. */
const NO_TRANSACTION = '-- no-transaction'

export type Migration = {
  name: string
  /** Creation time in epoch milliseconds, by which a database identifies its migrations. */
  when: number
  hash: string
  queries: string[]
  inTransaction: boolean
}

/** Returns the migrations of a folder, the oldest first. */
export function readMigrations(folder = MIGRATIONS): Migration[] {
  const names = new Map(namesIn(folder).map(({ name, when }) => [when, name]))
  return readMigrationFiles({ migrationsFolder: folder }).map(({ sql, folderMillis: when, hash }) => ({
    name: names.get(when) ?? String(when),
    when,
    hash,
    queries: sql,
    inTransaction: !isWithoutTransaction(sql[0] ?? ''),
  }))
}

/** Returns the migrations of this release, the oldest first; `when` is the creation time in epoch milliseconds. */
export function listMigrations(): { name: string; when: number }[] {
  return namesIn(MIGRATIONS)
}

/** Returns whether a migration's text declares that its statements run without a transaction. */
export function isWithoutTransaction(text: string): boolean {
  return text.split('\n')[0]?.trim() === NO_TRANSACTION
}

function namesIn(folder: string): { name: string; when: number }[] {
  const { entries } = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8'))
  return entries.map(({ tag, when }: { tag: string; when: number }) => ({ name: tag, when }))
}
