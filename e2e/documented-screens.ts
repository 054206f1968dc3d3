import type { Page } from '@playwright/test'

/** Member of the demo who sees everything that the pictures show. */
export const VIEWER = { email: 'ana.ruiz@northwind-labs.example', password: 'demo-password' }

/** Controls of each picture's screen at the time of the picture. `npm run screenshots` writes it. */
export const RECORD = 'docs/use/controls.json'

/** Opens the screens that README and docs show, by the file of the picture. */
export const PICTURES: Record<string, (page: Page) => Promise<void>> = {
  'docs/use/assets.png': async (page) => {
    await page.goto('/assets?filter=type:workspace-suite')
    await page.getByRole('spinbutton', { name: /Business Plus/ }).fill('195')
    await page.getByRole('button', { name: 'Set to 195 licenses' }).waitFor()
    await page.mouse.move(0, 0)
  },
  'docs/use/invoices.png': async (page) => {
    await page.goto('/invoices')
    await page.getByRole('link', { name: /^IN-/ }).first().waitFor()
  },
}

const CONTROL =
  /^\s*- '?(button|link|checkbox|radio|searchbox|textbox|spinbutton|combobox|switch) "(.*?[^\\])"/gm
const NUMBER = /[+−]?\d[\d,.]*/g
/** Link whose name has the number of open needs, which differs from day to day. */
const HOME = /^(link Home\b).*/
/** Link that explains the last month's change: on some days there is none. */
const CHANGE = /^link Explain\b/
const MONTH = /\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b/g

/** Returns role and accessible name of the page's controls, each once, without numbers, months and data of the day. */
export async function controlsOf(page: Page): Promise<string[]> {
  const snapshot = await page.locator('body').ariaSnapshot()
  const controls = [...snapshot.matchAll(CONTROL)].map(([, role, name = '']) => `${role} ${name}`)
  return [
    ...new Set(
      controls
        .filter((one) => !CHANGE.test(one))
        .map((one) => one.replace(NUMBER, '#').replace(MONTH, 'Mon').replace(HOME, '$1')),
    ),
  ].sort()
}
