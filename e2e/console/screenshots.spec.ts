import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@playwright/test'
import { loadDemoCustomer } from '../admin.ts'
import { DESKTOP, signInByForm } from '../browser.ts'
import { controlsOf, PICTURES, RECORD, VIEWER } from '../documented-screens.ts'

// If a test fails after a change of a screen, take the pictures again: `npm run screenshots`.

const recorded = JSON.parse(readFileSync(RECORD, 'utf8'))

test.beforeAll(() => loadDemoCustomer('northwind-labs'))

for (const [file, show] of Object.entries(PICTURES))
  test(`${file} shows the present controls of its screen`, async ({ page }) => {
    await page.setViewportSize(DESKTOP)
    await signInByForm(page, VIEWER.email, '/', VIEWER.password)
    await show(page)
    await expect.poll(() => controlsOf(page)).toEqual(recorded[file])
  })

test('each picture in README and docs is taken by a script', () => {
  const referenced = ['README.md', ...globSync('docs/**/*.md')].flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/!\[[^\]]*\]\(([^)]+\.png)\)/g)].map(([, picture = '']) =>
      join(dirname(document), picture),
    ),
  )
  expect([...new Set(referenced)].sort()).toEqual(Object.keys(PICTURES).sort())
})
