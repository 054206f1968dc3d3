import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test'
import { PASSWORD } from './admin.ts'

/** Size of a phone's screen, in CSS pixels. */
export const PHONE = { width: 360, height: 780 }
/** Size of a laptop's screen, in CSS pixels. */
export const DESKTOP = { width: 1360, height: 900 }

/** Signs in through the form and waits for the next page: `path`, or home. */
export async function signInByForm(
  page: Page,
  email: string,
  path = '/',
  password = PASSWORD,
): Promise<void> {
  await page.goto(`/sign-in?from=${encodeURIComponent(path)}`)
  await page.getByLabel('Work email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((url) => url.pathname !== '/sign-in')
}

/** Cookies of each member, for the lifetime of a worker: a password takes a tenth of a second to check. */
const sessions = new Map<string, Awaited<ReturnType<BrowserContext['cookies']>>>()

/** Opens `path`, or home, as a user who has signed in before. */
export async function signIn(page: Page, email: string, path = '/'): Promise<void> {
  await giveSession(page.context(), email)
  await page.goto(path)
  expect(new URL(page.url()).pathname).not.toBe('/sign-in')
}

/** Gives a browser the session of a user who has signed in before, without opening a page. */
export async function giveSession(context: BrowserContext, email: string): Promise<void> {
  const session = sessions.get(email)
  if (session) await context.addCookies(session)
  // A test may have signed out in the meantime.
  if (session && (await context.request.get('/auth/v1/validate')).ok()) return
  await signInByRequest(context, email)
  sessions.set(email, await context.cookies())
}

/** Opens `path` with a new session, because some actions need a fresh sign-in. Does not use the form. */
export async function signInFreshly(page: Page, email: string, path = '/'): Promise<void> {
  await signInByRequest(page.context(), email)
  await page.goto(path)
  expect(new URL(page.url()).pathname).not.toBe('/sign-in')
}

async function signInByRequest({ request }: BrowserContext, email: string): Promise<void> {
  const { csrfToken } = await (await request.get('/api/auth/csrf')).json()
  const form = { email, password: PASSWORD, csrfToken, json: 'true' }
  expect((await request.post('/api/auth/callback/credentials', { form })).status()).toBe(200)
}

/** Waits until streamed rows have replaced the skeleton: an immediate read would find none. */
export async function waitForRows(page: Page): Promise<void> {
  await expect(page.getByText('Loading…')).toHaveCount(0)
}

/** Waits for hydration of the frame and the page's content, by the properties that React sets on hydrated elements. */
export async function waitForHydration(page: Page): Promise<void> {
  await waitForRows(page)
  const isAlive = (elements: Element[]) =>
    elements.length > 0 &&
    elements.every((element) => Object.keys(element).some((key) => key.startsWith('__react')))
  await expect.poll(() => page.locator('header button, main button').evaluateAll(isAlive)).toBe(true)
}

/** Focuses the search by its shortcut, which works after hydration. */
export async function pressSlash(page: Page): Promise<void> {
  const search = page.getByRole('searchbox')
  const isFocused = () => search.evaluate((field) => field === document.activeElement)
  await expect(async () => {
    if (!(await isFocused())) await page.keyboard.press('/')
    expect(await isFocused()).toBe(true)
  }).toPass()
}

/** Waits until nothing is loading: stale content is faded, and new content appears with a transition. */
export async function whenIdle(page: Page): Promise<void> {
  await waitForRows(page)
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  const isMoving = () =>
    document
      .getAnimations()
      .some((one) => one.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
  await expect.poll(() => page.evaluate(isMoving)).toBe(false)
}

/** Collects the browser's console errors, such as violations of the Content-Security-Policy. */
export function complaints(page: Page): string[] {
  const findings: string[] = []
  page.on('pageerror', (error) => findings.push(String(error)))
  page.on('console', (message) => {
    // The screen shows a refused request; the browser logs each as an error too.
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) findings.push(message.text())
  })
  return findings
}

/** Opens the menu of a phone's frame: presses until it reacts, which is after hydration. */
export async function openMenu(page: Page): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' })
  await expect(async () => {
    if ((await menu.getAttribute('aria-expanded')) !== 'true') await menu.click()
    await expect(menu).toHaveAttribute('aria-expanded', 'true', { timeout: 1000 })
  }).toPass()
}

/** Checks a value of a visible filter, and closes its panel. */
export async function chooseFilter(page: Page, filter: string, value: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${filter}`) }).click()
  await page.getByRole('checkbox', { name: value, exact: true }).check()
  await page.keyboard.press('Escape')
}

/** Opens the panel of a filter that is off. */
export async function addFilter(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('listitem').getByRole('button', { name, exact: true }).click()
}

/** Opens the line of an invoice list's sums. */
export async function openSummary(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Figures', exact: true })
  await expect(async () => {
    if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click()
    await expect(button).toHaveAttribute('aria-expanded', 'true', { timeout: 1000 })
  }).toPass()
}

/** Starts a download from the export menu. */
export function exported(page: Page, name: string): () => Promise<void> {
  return async () => {
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByRole('link', { name, exact: true }).click()
  }
}

/**
 * Presses Enter on a control as soon as it is enabled: controls are disabled until scripts run, and a disabled one takes no
 * focus.
 */
export async function pressEnter(control: Locator): Promise<void> {
  await expect(control).toBeEnabled()
  await control.focus()
  await expect(control).toBeFocused()
  await control.press('Enter')
}

/** Returns the text that a copy button has written, once it matches: a click does not wait for the clipboard. */
export async function clipboardText(page: Page, pattern: RegExp): Promise<string> {
  const read = () => page.evaluate(() => navigator.clipboard.readText())
  await expect.poll(read).toMatch(pattern)
  return read()
}

/** Presses Enter on a button, by its name. */
export function press(page: Page, name: string | RegExp): Promise<void> {
  return pressEnter(page.getByRole('button', { name }))
}

/** Types a password into the focused field, and again into the next one. */
export async function typeTwice(page: Page, password: string): Promise<void> {
  await page.getByLabel('New password', { exact: true }).focus()
  await page.keyboard.type(password)
  // Skips the button that shows the password.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
}
