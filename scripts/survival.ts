import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { addCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { survivors } from './survival/invoices.ts'
import { store, survive } from './survival/run.ts'

// Compares invented invoices of all kinds as JSON, PDF and CSV to the minor unit, and checks that no file has active
// content.
// npm run survival [-- <invoices, default 20000>]
// If qpdf is installed, it checks every twentieth file as well.

const count = Number(process.argv[2] ?? 20_000)
const QPDF_EACH = 20
const hasQpdf = spawnSync('qpdf', ['--version']).status === 0
const folder = await mkdtemp(join(tmpdir(), 'console-survival-'))
const embedded = await startEmbedded(folder)
await migrate(embedded.url)
const database = openDatabase(embedded.url)
let checked = 0
try {
  const invoices = [...survivors(count)]
  await addCustomer('survival')
  const caller = await callerOf('survival', 'finance-user')
  await store(caller.customerId, invoices)
  console.log(`${count} invoices are stored. Now each is read as JSON, PDF and CSV …`)
  const started = Date.now()
  const { differences, lines, ...found } = await survive(caller, invoices, async (pdf, index) => {
    if (index % 1000 === 999) console.log(`${index + 1} after ${Math.round((Date.now() - started) / 1000)} s`)
    return hasQpdf && index % QPDF_EACH === 0 ? qpdf(pdf) : []
  })
  for (const difference of differences.slice(0, 50)) console.log(difference)
  console.log(`${found.invoices} invoices, ${lines} lines, ${differences.length} faults.`)
  console.log(hasQpdf ? `qpdf found nothing in ${checked} files.` : 'qpdf is not installed: not asked.')
  process.exitCode = differences.length > 0 || found.invoices !== count ? 1 : 0
} finally {
  await database.close()
  await embedded.release()
  await rm(folder, { recursive: true, force: true })
}

async function qpdf(pdf: Uint8Array): Promise<string[]> {
  const file = join(folder, 'survivor.pdf')
  await writeFile(file, pdf)
  const { status, stdout, stderr } = spawnSync('qpdf', ['--check', file], { encoding: 'utf8' })
  checked += 1
  return status === 0 ? [] : [`qpdf: ${`${stderr}${stdout}`.trim().split('\n').join('; ')}`]
}
