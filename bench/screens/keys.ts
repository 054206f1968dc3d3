import type { BrowserContext, Locator, Page } from '@playwright/test'
import { alive } from './load.ts'

/** Factor by which the processor is slowed down: to that of a phone, or an old laptop. */
const SLOWED = 4
const PRESSES = 9

/** Returns the median milliseconds from a key press until its effect is painted. */
export async function pressesOf(
  context: BrowserContext,
  path: string,
  field: (page: Page) => Locator,
  keys: readonly string[],
): Promise<number> {
  const page = await context.newPage()
  await page.goto(path)
  await alive(page)
  const target = field(page)
  await target.scrollIntoViewIfNeeded()
  await target.focus()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
  await page.evaluate(watch)
  for (let press = 0; press < PRESSES; press++) {
    await page.keyboard.press(keys[press % keys.length] ?? '')
    await page.waitForFunction(
      (count) => (window as unknown as { times: number[] }).times.length === count,
      press + 1,
    )
  }
  const times = await page.evaluate(() => (window as unknown as { times: number[] }).times)
  await page.close()
  return times.toSorted((one, other) => one - other)[PRESSES >> 1] ?? Number.NaN
}

function watch(): void {
  const times: number[] = []
  Object.assign(window, { times })
  addEventListener(
    'keydown',
    ({ timeStamp }) =>
      requestAnimationFrame(() => {
        // The frame is painted before the next message is handled.
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => times.push(performance.now() - timeStamp)
        port2.postMessage(undefined)
      }),
    { capture: true },
  )
}
