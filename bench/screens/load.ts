import type { BrowserContext, Page } from '@playwright/test'
import { weightOf } from './modules.ts'

/** Resources of a screen's full load. */
export type Load = {
  /** Compressed bytes, without React and Next. */
  screenScripts: number
  scripts: number
  /** Unpacked. */
  html: number
  /** Requests after the page: prefetched pages that were not needed yet, and repeated calls. */
  unasked: string[]
  /** How often the most frequent row occurs in the page's data, in addition to its HTML. */
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
    screenScripts: weights.reduce((sum, { screen }) => sum + screen, 0),
    scripts: weights.reduce((sum, { all }) => sum + all, 0),
    html: Buffer.byteLength(html),
    unasked,
    rows: Math.max(0, ...ids.map((id) => timesIn(dataOf(html), id))),
  }
}

/**
 * Returns the data in the page's scripts: the RSC payload as Next sends it, with the responses that the browser keeps.
 */
function dataOf(html: string): string {
  return [...html.matchAll(/<script[^>]*>(self\.__next_f\.push.*?)<\/script>/gs)]
    .map(([, text]) => text)
    .join('')
}

/** Counts a row's id as a member or in the row's link; members that refer to the row by its key do not count. */
function timesIn(data: string, id: string): number {
  const quoted = data.replaceAll('\\', '')
  return quoted.split(`"id":"${id}"`).length - 1 + (quoted.split(`"href":"/assets/${id}`).length - 1)
}

/** Waits until the page is hydrated: before that it answers no input. */
export async function alive(page: Page): Promise<void> {
  await page.waitForFunction(() =>
    Object.keys(document.querySelector('main') ?? {}).some((key) => key.startsWith('__reactProps')),
  )
  await page.waitForLoadState('networkidle')
}
