import { writeFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

const PDF = '%PDF-1.7\n% as its issuer sent it\n%%EOF\n'

let finance = ''

test.beforeAll(async () => {
  const customer = await newCustomer('originals')
  await customer.importInvoices([invoice('IN-1'), invoice('IN-2')])
  const files = { 'IN-1.pdf': PDF, 'IN-1.xml': '<?xml version="1.0"?><Invoice><ID>IN-1</ID></Invoice>' }
  const paths = Object.entries(files).map(([name, content]) => {
    const path = test.info().outputPath(name)
    writeFileSync(path, content)
    return path
  })
  await customer.attach(paths)
  finance = await customer.member('Fin Clerk', 'finance-user')
})

test("the issuer's own document is the download; our copy and XML are further choices", async ({ page }) => {
  const pageErrors = complaints(page)
  await signIn(page, finance, '/invoices/IN-1')
  const bytesOf = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name, exact: true }).click(),
    ])
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk)
    return { name: download.suggestedFilename(), text: Buffer.concat(chunks).toString('latin1') }
  }
  expect(await bytesOf('Download PDF')).toMatchObject({ text: PDF })
  await page.getByRole('button', { name: 'Other files' }).click()
  await expectGood(page)
  expect((await bytesOf('XML')).text).toContain('<ID>IN-1</ID>')
  await page.getByRole('button', { name: 'Other files' }).click()
  const ours = await bytesOf('Our copy')
  expect(ours.name).toBe('IN-1.pdf')
  expect(ours.text).not.toBe(PDF)
  expect(ours.text.startsWith('%PDF-')).toBe(true)
  expect(pageErrors).toEqual([])
})

test("an invoice without the issuer's document has no choice", async ({ page }) => {
  await signIn(page, finance, '/invoices/IN-2')
  await expect(page.getByRole('link', { name: 'Download PDF' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Other files' })).toHaveCount(0)
})
