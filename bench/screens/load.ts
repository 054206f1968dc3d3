import type { BrowserContext, Page } from '@playwright/test'
import { weightOf } from './modules.ts'

/** What a full load of a screen brings. */
export type Load = {
  /** Compressed, of what is neither React nor Next. In bytes. */
  own: number
  scripts: number
  /** Unpacked. */
  html: number
  /** Asked for by itself, after the page: pages that nobody wants yet, and answers that it had. */
  unasked: string[]
  /** How often the row that comes most often is in the page's data, besides its HTML. */
  rows: number
}

/** @param ids of rows that the screen shows */
export async function loadOf(context: BrowserContext, path: string, ids: readonly string[]): Promise<Load> {
  const page = await context.newPage()
  const scripts = new Set<string>()
  const unasked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (request.resourceType() === 'script') scripts.add(pathname)
    if (request.resourceType() === 'fetch') unasked.push(pathname + search.replace(/\b_rsc=.*/, '_rsc'))
  })
  const answer = await page.goto(path, { waitUntil: 'networkidle' })
  const html = (await answer?.text()) ?? ''
  await page.close()
  const weights = [...scripts].filter((script) => script.endsWith('.js')).map(weightOf)
  return {
    own: weights.reduce((sum, { own }) => sum + own, 0),
    scripts: weights.reduce((sum, { all }) => sum + all, 0),
    html: Buffer.byteLength(html),
    unasked,
    rows: Math.max(0, ...ids.map((id) => timesIn(dataOf(html), id))),
  }
}

/** What the page's scripts carry: its own description as Next sends it, with the answers that the browser keeps. */
function dataOf(html: string): string {
  return [...html.matchAll(/<script[^>]*>(self\.__next_f\.push.*?)<\/script>/gs)]
    .map(([, text]) => text)
    .join('')
}

/** As the id of a row, or in the address that the row leads to; what belongs to a row by its key does not count. */
function timesIn(data: string, id: string): number {
  const quoted = data.replaceAll('\\', '')
  return quoted.split(`"id":"${id}"`).length - 1 + (quoted.split(`"href":"/assets/${id}`).length - 1)
}

/** Waits until the page has come to life: until then nothing answers. */
export async function alive(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    Object.keys(document.querySelector('main') ?? {}).some((key) => key.startsWith('__reactProps')),
  )
  await page.waitForLoadState('networkidle')
}
