import { expect, type Page } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

let ida = ''

test.beforeAll(async () => {
  const customer = await newCustomer('bulkfile')
  await customer.importAssets([asset('office-suite-3', 'E5', { purchased: 45 })])
  ida = await customer.member('Ida Tech', 'it-manager')
})

const list = (page: Page) => page.getByRole('textbox', { name: /asset ID, new total/ })
const picker = (page: Page) => page.getByLabel('File with a list of totals')

test('a file is checked as saved, also with Windows line ends', async ({ page }) => {
  await signIn(page, ida, '/assets/bulk')
  const text = Buffer.from('\ufeffAsset ID,Total\r\noffice-suite-3,99\r\n')
  await picker(page).setInputFiles({ name: 'totals.csv', mimeType: 'text/csv', buffer: text })
  await expect(list(page)).toHaveValue(/office-suite-3,99/)
  await page.getByRole('button', { name: 'Check the list' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'office-suite-3' })).toContainText('45 → 99')
})

test('a file replaces the text, and the previous text can be restored', async ({ page }) => {
  await signIn(page, ida, '/assets/bulk')
  await list(page).fill('office-suite-2,9')
  const fileChooser = picker(page)
  await fileChooser.setInputFiles({
    name: 'totals.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('\ufeffid;target\r\noffice-suite-3;99\r\n', 'utf16le'),
  })
  await expect(list(page)).toHaveValue(/office-suite-3;99/)
  await page.getByRole('button', { name: 'Put back what was there' }).click()
  await expect(list(page)).toHaveValue('office-suite-2,9')
  const workbook = { mimeType: 'application/zip', buffer: Buffer.from('PK\u0003\u0004') }
  await fileChooser.setInputFiles({ name: 'totals.xlsx', ...workbook })
  await expect(page.getByRole('main').getByRole('alert')).toContainText(
    'totals.xlsx is a workbook or an archive: save it as CSV',
  )
  await expect(list(page)).toHaveValue('office-suite-2,9')
})
