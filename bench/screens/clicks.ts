import type { BrowserContext } from '@playwright/test'
import { alive } from './load.ts'

/** Milliseconds from a click until its effect is painted; undefined if it was never painted. */
export type Click = {
  title: number | undefined
  navigation: number | undefined
  skeleton: number | undefined
}

/** Delay of the server for each page, in milliseconds. */
const SLOW = 1000

/** Navigates from one screen to another by the side bar. */
export async function clickOf(context: BrowserContext, from: string, to: string): Promise<Click> {
  const page = await context.newPage()
  await page.goto(from)
  await alive(page)
  await page.route('**/*_rsc=*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, SLOW))
    await route.continue().catch(() => {})
  })
  await page.evaluate(watch, to)
  await page.locator(`nav[aria-label=Main] a[href="${to}"]`).first().click()
  await page.waitForURL((url) => url.pathname === to)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  const seen = await page.evaluate(() => (window as unknown as { seen: Click }).seen)
  await page.close()
  return seen
}

/** Runs in the page: records when the effect of a click has been painted. */
function watch(to: string): void {
  const seen: Record<string, number> = {}
  Object.assign(window, { seen })
  const before = document.title
  let clicked = 0
  const note = ({ timeStamp }: Event) => {
    clicked = timeStamp
  }
  addEventListener('click', note, { capture: true })
  const isThere = {
    title: () => document.title !== before && document.title !== '',
    navigation: () => document.querySelector(`nav[aria-label=Main] a[href="${to}"][aria-current]`) !== null,
    skeleton: () =>
      document.querySelector('main [role=status] .bg-sunken')?.checkVisibility({ opacityProperty: true }),
  }
  const check = () => {
    const match = Object.entries(isThere).filter(
      ([name, test]) => seen[name] === undefined && clicked > 0 && test(),
    )
    if (match.length > 0) {
      // The current state is painted when this frame ends.
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => {
        for (const [name] of match) seen[name] = performance.now() - clicked
      }
      port2.postMessage(undefined)
    }
    requestAnimationFrame(check)
  }
  requestAnimationFrame(check)
}
