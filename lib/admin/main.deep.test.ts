import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serverOf } from '#lib/platform/db/embedded/test-cluster.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { commandLine } from './test-command.ts'

// Behavior of a separate process: signals, closed pipes, a server of its own.

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-admin-'))
let db: TestDatabase
const { start } = commandLine(() => db.url, folder)
beforeAll(async () => {
  db = await testDatabase()
  await addCustomer('other')
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

test('Ctrl-C during an import rolls back its writes', async () => {
  const line = { description: 'x', price: '1', qty: '1' }
  const days = { invoiceDate: '2026-09-30', dueDate: '2026-10-30' }
  const invoice = { platform: 'x', issuer: 'x', ...days, currency: 'USD', totalAmount: 1, lines: [line] }
  const lines = Array.from({ length: 100_000 }, (_, id) => JSON.stringify({ id: `I-${id}`, ...invoice }))
  writeFileSync(join(folder, 'many.ndjson'), lines.join('\n'))
  const { child, ended } = start('import invoices many.ndjson --customer other')
  // Most of the import is still ahead when another session sees the lock of the first batch, which in this database may
  // belong to another test's import.
  const locks = `SELECT FROM pg_locks WHERE relation = 'invoices'::regclass AND mode = 'RowExclusiveLock'
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  await expect.poll(() => db.sql('other', locks)).not.toEqual([])
  child.kill('SIGINT')
  expect(await ended).toEqual({ code: 130, out: '', err: 'Interrupted: nothing was stored.\n' })
  expect(await db.sql('other', 'SELECT count(*)::int FROM invoices')).toEqual([{ count: 0 }])
})

test('a reader that leaves early is no failure', async () => {
  const { child, ended } = start('customers list')
  child.stdout.destroy()
  child.stdin.end()
  expect(await ended).toMatchObject({ code: 0, err: '' })
})

test('The command starts its own database without a server, and stops it', async () => {
  const data = join(folder, 'data')
  const run = (args: string) => start(args, [], `DATA_DIR=${data}`).ended
  const args = 'customers add --name Own --domain own.example --contact-email a@own.example'
  expect(await run(args)).toMatchObject({ code: 0, out: 'own\n' })
  expect(await run('customers list --json')).toMatchObject({ code: 0, err: '' })
  expect(await serverOf(data)).toBeUndefined()
})
