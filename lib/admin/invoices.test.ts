import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { digestOf } from '#lib/billing/invoice-files/store.ts'
import { readInvoice } from '#lib/billing/invoices/operations.ts'
import { attachDocuments, planAttachments } from '#lib/billing/issuer-documents/attach.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, callerOf } from '#lib/platform/db/test-rows.ts'
import { zip } from '#lib/platform/files/zip.ts'
import { commandLine } from './test-command.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-attach-'))
let db: TestDatabase
const { admin } = commandLine(() => db.url, folder)
const pdf = (text: string) => `%PDF-1.7\n${text}\n%%EOF\n`
const xml = (text: string) => `<?xml version="1.0"?><Invoice>${text}</Invoice>`

beforeAll(async () => {
  db = await testDatabase()
  for (const id of ['sunbird', 'other']) await addCustomer(id)
  await addInvoice('sunbird', 'IN-1', { number: 'R/2026-1' })
  await addInvoice('sunbird', 'IN-2')
  await addInvoice('sunbird', 'alpha:7', { number: '7', issuer: 'Alpha' })
  await addInvoice('sunbird', '7', { issuer: 'Beta' })
  await addInvoice('sunbird', 'DRAFT', { documentState: 'draft', balanceAmount: '0' })
  await addInvoice('sunbird', 'OLD', { documentState: 'voided', balanceAmount: '0' })
  await addInvoice('other', 'OTHERS')
})
afterAll(async () => {
  await db.close()
  rmSync(folder, { recursive: true })
})

function put(name: string, content: string | Uint8Array): string {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
  return name
}
let made = 0
/** Fresh invoices, and a folder of their own, for each test. */
let id: { one: string; two: string }
let here: string
beforeEach(async () => {
  made += 1
  id = { one: `A/${made}`, two: `B-${made}` }
  here = `test-${made}`
  for (const one of Object.values(id)) await addInvoice('sunbird', one)
})
const attach = (files: string[], more = '') =>
  admin(`invoices attach --customer sunbird${more ? ` ${more}` : ''}`, '', files)
const storedFiles = async () =>
  (await db.sql('sunbird', 'SELECT invoice_id, kind, name, bytes FROM invoice_files ORDER BY 1, 2')).map(
    ({ invoice_id, kind, name, bytes }) => [invoice_id, kind, name, String(bytes)],
  )
const storedFilesOf = async (...ids: string[]) =>
  (await storedFiles()).filter(([invoiceId]) => ids.includes(String(invoiceId)))
const audits = (subject: string) =>
  db.sql(
    'sunbird',
    "SELECT details FROM audit_events WHERE action = 'invoice.file-attached' AND subject = $1 ORDER BY id",
    [subject],
  )

describe("the issuer's own documents", () => {
  test('are attached from a folder by their names: ids or numbers in the form of our own files', async () => {
    put(`${here}/A-${made}.pdf`, pdf('one'))
    put(`${here}/deep/A-${made}.XML`, xml('one'))
    put(`${here}/B-${made}.pdf`, pdf('two'))
    put(`${here}/notes.txt`, 'not looked at')
    put(`${here}/.hidden.pdf`, 'not looked at')
    const { code, out, err } = await attach([here])
    expect([code, err]).toEqual([0, '3 new, 0 there already, 1 left out: stored.\n'])
    expect(out).toMatch(new RegExp(`${here}/A-${made}.pdf +${id.one} +original-pdf +new`))
    expect(out).toMatch(/notes.txt +- +- +left out: is neither .pdf nor .xml/)
    expect(await storedFilesOf(id.one, id.two)).toEqual([
      [id.one, 'original-pdf', `A-${made}.pdf`, pdf('one')],
      [id.one, 'original-xml', `A-${made}.XML`, xml('one')],
      [id.two, 'original-pdf', `B-${made}.pdf`, pdf('two')],
    ])
    const digest = digestOf(Buffer.from(pdf('two')))
    expect(await audits(id.two)).toEqual([
      { details: { kind: 'original-pdf', name: `B-${made}.pdf`, bytes: pdf('two').length, digest } },
    ])
  })

  test('are attached from an archive, by number', async () => {
    const entry = (name: string, text: string) => ({
      name,
      day: '2026-09-30',
      read: async () => Buffer.from(text),
    })
    const entries = [entry('2026/R-2026-1.pdf', pdf('r')), entry(`B-${made}.xml`, xml('b'))]
    put(`${here}/all.zip`, Buffer.concat(await Array.fromAsync(zip(entries))))
    expect(await attach([`${here}/all.zip`])).toMatchObject({ code: 0 })
    expect(await storedFilesOf('IN-1', id.two)).toEqual([
      [id.two, 'original-xml', `B-${made}.xml`, xml('b')],
      ['IN-1', 'original-pdf', 'R-2026-1.pdf', pdf('r')],
    ])
  })

  test('stay with an invoice that was corrected since, when the folder is attached again', async () => {
    put(`${here}/B-${made}.pdf`, pdf('before'))
    await attach([here])
    await db.sql(
      'sunbird',
      "UPDATE invoices SET document_state = 'voided', balance_amount = 0 WHERE id = $1",
      [id.two],
    )
    expect(await attach([here])).toMatchObject({
      code: 0,
      err: expect.stringContaining('1 there already'),
    })
    await addInvoice('sunbird', `${id.two}~2`, { number: id.two })
    expect(await attach([here])).toMatchObject({
      code: 0,
      err: expect.stringContaining('1 there already'),
    })
    put(`${here}/B-${made}.pdf`, pdf('after'))
    await attach([here])
    expect(await storedFilesOf(id.two, `${id.two}~2`)).toEqual([
      [id.two, 'original-pdf', `B-${made}.pdf`, pdf('before')],
      [`${id.two}~2`, 'original-pdf', `B-${made}.pdf`, pdf('after')],
    ])
  })

  test('are attached to the invoice in the option, regardless of their names', async () => {
    put(`${here}/scan.pdf`, pdf('scan'))
    const { code } = await attach([`${here}/scan.pdf`], '--invoice OLD')
    expect(code).toBe(0)
    expect(await storedFilesOf('OLD')).toEqual([['OLD', 'original-pdf', 'scan.pdf', pdf('scan')]])
  })

  test('are listed with the invoice', async () => {
    const caller = await callerOf('sunbird', 'finance-user')
    put(`${here}/B-${made}.xml`, xml('b'))
    await attach([here])
    const input = { params: { invoice_id: id.two }, query: {}, body: undefined }
    const { files } = (await readInvoice(caller, input, { requestId: 'test' })).body
    expect(files).toMatchObject([
      {
        kind: 'original-xml',
        name: `B-${made}.xml`,
        mediaType: 'application/xml',
        bytes: xml('b').length,
        digest: digestOf(Buffer.from(xml('b'))),
        url: expect.stringContaining(`/billing/v1/invoices/${id.two}/file?kind=original-xml`),
      },
      { kind: 'drawn', mediaType: 'application/pdf' },
    ])
  })
})

test('A dry run shows the same plan and stores nothing; repeated files change nothing', async () => {
  put(`${here}/B-${made}.pdf`, pdf('b'))
  const dry = await attach([here], '--dry-run')
  expect([dry.code, dry.err]).toEqual([0, '1 new, 0 there already, 0 left out: nothing was stored.\n'])
  expect(await storedFilesOf(id.two)).toEqual([])
  await attach([here])
  const again = await attach([here])
  expect([again.code, again.err]).toEqual([0, '0 new, 1 there already, 0 left out: nothing was stored.\n'])
  expect(again.out).toContain('there already')
  expect(await audits(id.two)).toHaveLength(1)
})

describe('a set of files is refused as a whole where one', () => {
  const cases: [what: string, name: () => string, content: string, why: string][] = [
    ['has no invoice', () => 'nobody.pdf', pdf('x'), 'no issued invoice has this id or number'],
    ["has another customer's name", () => 'OTHERS.pdf', pdf('x'), 'no issued invoice has'],
    ['is of a draft', () => 'DRAFT.pdf', pdf('x'), 'no issued invoice has'],
    ['is of one that was voided', () => 'OLD.pdf', pdf('x'), 'no issued invoice has'],
    ['matches two invoices', () => '7.pdf', pdf('x'), 'may be of 7 or alpha:7: say which by --invoice'],
    ['is neither PDF nor XML', () => `A-${made}.pdf`, 'MZ', 'is neither PDF nor XML'],
    ['is cut off', () => `A-${made}.pdf`, '%PDF-1.7', 'is a PDF that is cut off'],
    ['is a web page', () => `A-${made}.xml`, '<html></html>', 'is a web page'],
    ['is too large', () => `A-${made}.pdf`, pdf('x'.repeat(10_485_760)), 'has more than 10,485,760 bytes'],
    ['has other bytes than another one', () => `deep/B-${made}.pdf`, pdf('other'), 'never written over'],
  ]
  test.each(cases)('%s', async (_, name, content, why) => {
    put(`${here}/B-${made}.pdf`, pdf('good'))
    put(`${here}/${name()}`, content)
    const before = await storedFiles()
    const { code, out, err } = await attach([here])
    expect([code, err]).toEqual([1, '1 new, 0 there already, 0 left out, 1 refused: nothing was stored.\n'])
    expect(out).toContain(why)
    expect(await storedFiles()).toEqual(before)
  })

  test('has other bytes than the stored one', async () => {
    put(`${here}/B-${made}.pdf`, pdf('first'))
    await attach([here])
    put(`${here}/B-${made}.pdf`, pdf('second'))
    put(`${here}/A-${made}.pdf`, pdf('good'))
    const { code, out } = await attach([here])
    expect([code, out.includes(`${id.two} has another original-pdf, which is never written over`)]).toEqual([
      1,
      true,
    ])
    expect(await storedFilesOf(id.one, id.two)).toEqual([
      [id.two, 'original-pdf', `B-${made}.pdf`, pdf('first')],
    ])
  })
})

test.each([
  [['missing.pdf'], '', 'missing.pdf: there is no such file.'],
  [['a.pdf'], '--invoice NOBODY', 'There is no invoice "NOBODY".'],
  [['a.pdf'], '--invoice OTHERS', 'There is no invoice "OTHERS".'],
  [['a.pdf'], '--invoice DRAFT', 'The invoice "DRAFT" is a draft'],
  [['bad.zip'], '', 'bad.zip: The file is no whole ZIP file'],
])('%j %s is refused: %s', async (files, more, why) => {
  put('a.pdf', pdf('a'))
  put('bad.zip', 'PK\u0003\u0004 and no more than that')
  const before = await storedFiles()
  const { code, err } = await attach(files, more)
  expect([code, err]).toEqual([1, expect.stringContaining(why)])
  expect(await storedFiles()).toEqual(before)
})

describe('parallel commands', () => {
  const sunbird = newCustomerId('sunbird')
  const run = (paths: string[], plan: Awaited<ReturnType<typeof planAttachments>>) =>
    scope({ customerId: sunbird }, (tx) =>
      attachDocuments(tx, sunbird, { paths, plan, requestId: 'test' }),
    ).catch((error: Error) => error.message)

  test('store one document, and the loser reports the conflict', async () => {
    const one = join(folder, put(`${here}/one/B-${made}.pdf`, pdf('one')))
    const two = join(folder, put(`${here}/two/B-${made}.pdf`, pdf('two')))
    const plans = [await planAttachments(sunbird, [one]), await planAttachments(sunbird, [two])] as const
    const ends = await Promise.all([run([one], plans[0]), run([two], plans[1])])
    expect(ends).toContain(1)
    expect(ends).toContainEqual(expect.stringContaining('Someone attached an original-pdf'))
    expect(await storedFilesOf(id.two)).toHaveLength(1)
  })

  test('a file that changes after it was looked at is not stored', async () => {
    const path = join(folder, put(`${here}/B-${made}.pdf`, pdf('one')))
    const plan = await planAttachments(sunbird, [path])
    put(`${here}/B-${made}.pdf`, pdf('two'))
    expect(await run([path], plan)).toMatch(/was changed while it was read. Nothing was stored/)
    expect(await storedFilesOf(id.two)).toEqual([])
  })
})
