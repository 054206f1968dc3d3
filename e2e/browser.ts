import AxeBuilder from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { PASSWORD } from './admin.ts'

/** A phone's screen, in CSS pixels. */
export const PHONE = { width: 360, height: 780 }

/** Signs in through the page and waits for where it leads: `path`, or the caller's first screen. */
export async function signIn(page: Page, email: string, path = '/', password = PASSWORD): Promise<void> {
  await page.goto(`/sign-in?from=${encodeURIComponent(path)}`)
  await page.getByLabel('Work e-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')
}

/** Nothing for axe to find in either theme, and no sideways scroll of the page. */
export async function expectGood(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const { violations } = await new AxeBuilder({ page }).analyze()
    const found = violations.map(
      ({ id, nodes }) => `${colorScheme} ${id}: ${nodes.map(({ target }) => target)}`,
    )
    expect(found).toEqual([])
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
}

/** Collects what the browser complains about, such as a breach of the page's policy. */
export function complaints(page: Page): string[] {
  const found: string[] = []
  page.on('pageerror', (error) => found.push(String(error)))
  page.on('console', (message) => {
    // A refused request is told by the screen; the browser logs each as an error too.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) found.push(message.text())
  })
  return found
}
