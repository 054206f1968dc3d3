import type { Locator, Page } from '@playwright/test'
import { waitForHydration, whenIdle } from './browser.ts'

/** Elements whose press may open a menu, a panel, a review or a dialog. Switches open nothing. */
const OPENERS =
  'button:not([aria-pressed], [role="switch"], [aria-disabled="true"]):enabled:visible, summary:visible'
/** Open panels; the innermost is the last. */
const OPEN_PANELS = 'dialog[open], [aria-expanded="true"] + *, details[open]'
/** Open panels and messages that may result from a press. */
const OPENED = `${OPEN_PANELS}, [role="alert"], [role="status"] > *, [aria-live] > *`

/** Opener with the first two words of its name, because the rest distinguishes rows; and its appearance. */
type Opener = { name: string; appearance: string }

/** Aborts all writing requests, so that each press ends in its error and changes nothing. */
export async function cutOffWrites(page: Page): Promise<void> {
  await page.route('**/*', (route) =>
    ['GET', 'HEAD'].includes(route.request().method()) ? route.fallback() : route.abort(),
  )
}

/**
 * Presses each opener in a part of a screen, then each opener within the opened panel, and inspects each new state. Of
 * buttons that differ only in their subject, such as those of rows, one is pressed; likewise of choices that lead to
 * another address, such as those of a filter.
 * @returns the names of the openers that opened something, with their path
 */
export async function openEverything(
  part: Locator,
  path: string,
  inspect: (state: string) => Promise<void>,
): Promise<string[]> {
  const opened: string[] = []
  const page = part.page()
  await page.goto(path)
  await waitForHydration(page)
  const initialState = await stateOf(page)
  const press = (...openers: Opener[]) => pressInTurn(part, path, initialState, openers)
  const openInside = async (outer: Opener) => {
    const panel = page.locator(OPEN_PANELS).last()
    const inside = (await panel.count()) > 0 ? distinctOpeners(await openersIn(panel)) : []
    const leaving = new Set<string>()
    for (const inner of inside) {
      if (leaving.has(inner.appearance)) continue
      const result = await press(outer, inner)
      if (result === 'left') leaving.add(inner.appearance)
      if (result !== 'opened') continue
      const name = `${outer.name} › ${inner.name}`
      opened.push(name)
      await inspect(name)
    }
  }
  for (const outer of distinctOpeners(await openersIn(part))) {
    if ((await press(outer)) !== 'opened') continue
    opened.push(outer.name)
    await inspect(outer.name)
    await openInside(outer)
  }
  return opened
}

/**
 * Presses one opener after the other, each within the panel that the previous one opened. Returns the result of the
 * last press.
 */
async function pressInTurn(
  part: Locator,
  path: string,
  initialState: string,
  openers: readonly Opener[],
): Promise<'opened' | 'left' | 'nothing'> {
  const page = part.page()
  await closePanels(page, path, initialState)
  let scope = part
  let before = ''
  for (const { name } of openers) {
    before = await openedText(page)
    const at = (await openersIn(scope)).findIndex((one) => one.name === name)
    if (at < 0) return 'nothing'
    await scope.locator(OPENERS).nth(at).click()
    await whenIdle(page)
    if (page.url() !== new URL(path, page.url()).href) return 'left'
    scope = page.locator(OPEN_PANELS).last()
  }
  const after = await openedText(page)
  return after !== '' && after !== before ? 'opened' : 'nothing'
}

/** Closes open panels by Escape; if the state still differs, loads the page again. */
async function closePanels(page: Page, path: string, initialState: string): Promise<void> {
  for (let times = 0; times < 2 && (await stateOf(page)) !== initialState; times++)
    await page.keyboard.press('Escape')
  if ((await stateOf(page)) === initialState) return
  await page.goto(path)
  await waitForHydration(page)
}

/** Returns the address and the text of the page. */
async function stateOf(page: Page): Promise<string> {
  const texts = await page.locator('header, main, dialog, [role="status"]').allTextContents()
  return [page.url(), ...texts].join('|')
}

function openedText(page: Page): Promise<string> {
  return page.locator(OPENED).evaluateAll((all) => all.map(({ textContent }) => textContent).join('|'))
}

/** Returns the openers without duplicates. */
function distinctOpeners(openers: Opener[]): Opener[] {
  return [...new Map(openers.map((one) => [one.name, one])).values()]
}

function openersIn(scope: Locator): Promise<Opener[]> {
  return scope.locator(OPENERS).evaluateAll((all) =>
    all.map((one) => {
      const whole = one.getAttribute('aria-label') ?? one.textContent ?? ''
      const parts = whole.replaceAll(/[\d,.]+/g, '0').split(/\s+/)
      return { name: parts.filter(Boolean).slice(0, 2).join(' '), appearance: one.className }
    }),
  )
}
