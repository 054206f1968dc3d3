import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, type Page } from '@playwright/test'
import type axe from 'axe-core'
import { DESKTOP, PHONE, whenIdle } from './browser.ts'

/** The minified file: each page load compiles it again, and the readable one is more than twice as long. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * No sideways scroll of the page in a state that a test came to; in a deep run, nothing for axe to find either, which costs
 * more than to load the page.
 */
export async function expectGood(page: Page): Promise<void> {
  if (process.env.DEEP === '1') return expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await whenIdle(page)
  await expectNoSidewaysScroll(page)
}

/** Nothing for axe to find in either theme, and no sideways scroll of the page. */
export async function expectAccessible(page: Page): Promise<void> {
  // While a page is refreshed, its title is taken away and put back.
  await expect(page).toHaveTitle(/./)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await whenIdle(page)
  await expectNothing(page, 'light')
  // The themes differ in their colors, and in nothing else.
  await page.emulateMedia({ colorScheme: 'dark' })
  await expectNothing(page, 'dark', ['color-contrast', 'link-in-text-block'])
  await expectNoSidewaysScroll(page)
}

/** The same on a laptop's screen and on a phone's. The page stays on the phone's. */
export async function expectAccessibleAtBoth(page: Page): Promise<void> {
  for (const viewport of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport)
    await expectAccessible(page)
  }
}

/** The same for a page whose theme was chosen when it was opened, and which it keeps. */
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
 * @param rules those that are tried; all of axe's own choice, unless told. What they found right is counted up nowhere: on a
 * long list that takes longer than to look.
 */
async function expectNothing(page: Page, theme: string, rules?: string[]): Promise<void> {
  // A page that was looked at before has it still.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  const violations = await page.evaluate(async (only) => {
    const runner = (window as unknown as { axe: typeof axe }).axe
    const limit = only ? { runOnly: { type: 'rule' as const, values: only } } : {}
    const { violations } = await runner.run({ resultTypes: ['violations'], ...limit })
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target)}`)
  }, rules)
  expect(violations.map((each) => `${theme} ${each}`)).toEqual([])
}
