import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type Page, chromium as playwright } from '@playwright/test'
import { chromium } from '../../e2e/chromium.ts'
import { everyScreen, type Things } from '../../e2e/every-screen.ts'
import { applyViewport, excess, VIEWPORTS } from '../../e2e/viewports.ts'
import { enter, withDemo } from './demo.ts'
import { captureMails } from './mails.ts'
import { sheet } from './sheets.ts'

// Takes pictures of every screen in every variant, into .data/pictures, and contact sheets of them. A path after `--`
// selects screens: `npm run pictures -- /invoices`, and `mails` the mails.

const FOLDER = join('.data', 'pictures')
/** Maximum height of a picture, in pixels. */
const MAX_HEIGHT = 2600
/** Height of a window in which nothing is fixed to the bottom. */
const LOW = 480
const ONLY = process.argv.slice(2)
/** A member who may see all screens, and a member without a role. */
const PEOPLE = { all: 'ana.ruiz@northwind-labs.example', none: 'lee.park@northwind-labs.example' }
/** Name of a commitment plan with a history. */
const PLAN = 'Enterprise Standard'
const FORBIDDEN = ['/', '/assets', '/invoices', '/members']

const pictures: { variant: string; name: string; file: string }[] = []
rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
if (ONLY.length === 0 || ONLY.includes('mails')) {
  const browser = await playwright.launch(await chromium())
  await captureMails(browser, FOLDER).finally(() => browser.close())
}
if (ONLY.join() !== 'mails') await captureScreens()

function captureScreens(): Promise<void> {
  return withDemo(async (url) => {
    const browser = await playwright.launch(await chromium())
    try {
      const outside = await browser.newPage({ baseURL: url })
      for (const path of selected(everyScreen({ asset: '', invoice: '', other: '' }).outside))
        await capture(outside, path)
      const none = await browser.newPage({ baseURL: url })
      await enter(none, PEOPLE.none)
      for (const path of selected(FORBIDDEN)) await capture(none, path, 'without-a-role')
      const all = await browser.newPage({ baseURL: url })
      await enter(all, PEOPLE.all)
      for (const path of selected(everyScreen(await thingsOf(all)).signedIn)) await capture(all, path)
      await sheets(browser)
    } finally {
      await browser.close()
    }
  })
}

function selected(paths: string[]): string[] {
  return paths.filter(
    (path) => ONLY.length === 0 || ONLY.some((one) => path === one || (one !== '/' && path.startsWith(one))),
  )
}

async function thingsOf(page: Page): Promise<Things> {
  const read = async (path: string) => (await page.request.get(`/billing/v1/${path}`)).json()
  const { assets } = await read('assets?maxResults=50')
  const { invoices } = await read('invoices?maxResults=50')
  const [invoice, ...others] = invoices
  const like = others.find(
    (one: typeof invoice) => one.platform === invoice.platform && one.currency === invoice.currency,
  )
  const plan = assets.find((one: { name: string }) => one.name === PLAN)
  return { asset: plan.id, invoice: invoice.id, other: (like ?? others[0]).id }
}

async function capture(page: Page, path: string, as = ''): Promise<void> {
  await page.goto(path)
  await page.waitForLoadState('networkidle')
  const name = `${as}${path}`.replaceAll(/[^a-z0-9]+/gi, '-').replaceAll(/^-|-$/g, '') || 'home'
  for (const variant of VIEWPORTS) {
    await applyViewport(page, variant)
    const folder = join(FOLDER, variant.name)
    mkdirSync(folder, { recursive: true })
    const file = join(folder, `${name}.png`)
    const tall = await page.evaluate(() => document.documentElement.scrollHeight)
    const height = Math.min(Math.max(tall, variant.height), MAX_HEIGHT)
    // Extends the window, so that elements fixed to its bottom are below the page. A low window hides them, and stays
    // low.
    if (variant.height > LOW) await page.setViewportSize({ width: variant.width, height })
    await page.screenshot({ path: file, clip: { x: 0, y: 0, width: variant.width, height }, fullPage: true })
    pictures.push({ variant: variant.name, name: path, file })
    const more = await excess(page)
    if (more > 0) console.error(`${path} is ${more} px too wide: ${variant.name}`)
  }
}

async function sheets(browser: Browser): Promise<void> {
  for (const { name, width } of VIEWPORTS) {
    const sheetPictures = pictures.filter(({ variant }) => variant === name)
    const [columns, rows] = width < 500 ? [6, 2] : [2, 2]
    const each = columns * rows
    for (let at = 0; at < sheetPictures.length; at += each)
      await sheet(
        browser,
        join(FOLDER, `${name}-${1 + at / each}.png`),
        sheetPictures.slice(at, at + each),
        Math.floor(1870 / columns) - 10,
      )
  }
}
