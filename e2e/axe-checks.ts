import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type axe from 'axe-core'
import { DESKTOP, PHONE, whenIdle } from './browser.ts'

/** Minified axe: each page load compiles the script again, and the readable file is more than twice as long. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Expects no horizontal scrolling of the page in its present state; in a deep run also no violations in axe, which
 * takes longer than loading the page.
 */
export async function expectGood(page: Page): Promise<void> {
  if (process.env.DEEP === '1') return expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await whenIdle(page)
  await expectNoSidewaysScroll(page)
}

/** Expects no axe violations in either theme, and no horizontal scrolling of the page. */
export async function expectAccessible(page: Page): Promise<void> {
  // During a refresh the title is removed and set again.
  await expect(page).toHaveTitle(/./)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await whenIdle(page)
  await expectNothing(page, 'light')
  // The themes differ only in their colors.
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNothing(page, 'dark', ['color-contrast', 'link-in-text-block'])
  await expectNoSidewaysScroll(page)
}

/** Like `expectAccessible`, but on a desktop's and then on a phone's screen, which stays. */
export async function expectAccessibleAtBoth(page: Page): Promise<void> {
  for (const viewport of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport)
    await expectAccessible(page)
  }
}

/** Like `expectAccessible`, but for a page that keeps the theme chosen when it was opened. */
export async function expectGoodAsItIs(page: Page): Promise<void> {
  await expect(page).toHaveTitle(/./)
  await whenIdle(page)
  await expectNothing(page, 'this')
  await expectNoSidewaysScroll(page)
}

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
}

/**
 * Expects no axe violations.
 * @param rules ids of the rules to run; axe's defaults if undefined. Passes are not collected: on a long list that
 * takes longer than the check.
 */
async function expectNothing(page: Page, theme: string, rules?: string[]): Promise<void> {
  // A page that was checked before still has it.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  const violations = await page.evaluate(async (only) => {
    const runner = (window as unknown as { axe: typeof axe }).axe
    const limit = only ? { runOnly: { type: 'rule' as const, values: only } } : {}
    const { violations } = await runner.run({ resultTypes: ['violations'], ...limit })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target)}`)
  }, rules)
  expect(violations.map((each) => `${theme} ${each}`)).toEqual([])
}
