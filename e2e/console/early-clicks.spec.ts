import { expect, type Page, test } from '@playwright/test'
import { replayClicks } from '../../lib/server/delivery/replay-clicks.ts'

// Page with two buttons in separate parts that listen like React: nothing listens before, and events of a part whose
// script is loading do not get past the document.

type Parts = { listens: boolean; alive: string[]; heard: string[] }

test.beforeEach(async ({ page }) => {
  await page.clock.install()
  await page.setContent(`${['a', 'b'].map((id) => `<button type="button" id="${id}">${id}</button>`)}`)
  await page.evaluate(`(${replayClicks})()`)
  await page.evaluate(() => {
    const parts: Parts = { listens: false, alive: [], heard: [] }
    const isAlive = ({ target }: Event) => parts.alive.includes((target as Element).id)
    document.addEventListener(
      'click',
      (event) => parts.listens && !isAlive(event) && event.stopPropagation(),
      true,
    )
    document.addEventListener('click', (event) => {
      if (parts.listens) parts.heard.push(`${(event.target as Element).id}, click ${event.detail}`)
    })
    Object.assign(self, { parts })
  })
})

/** Lets React listen from now on, with these parts loaded. */
const markLoaded = (page: Page, ...alive: string[]) =>
  page.evaluate((ids) => {
    const { parts } = self as unknown as { parts: Parts }
    parts.listens = true
    parts.alive.push(...ids)
    Object.assign(document, { _reactListening1: true })
  }, alive)
const heard = (page: Page) => page.evaluate(() => (self as unknown as { parts: Parts }).parts.heard)
const button = (page: Page, id: string) => page.locator(`#${id}`)

test('clicks before hydration are replayed in order, each once', async ({ page }) => {
  for (const id of ['a', 'b', 'a']) await button(page, id).click()
  expect(await heard(page)).toEqual([])
  await markLoaded(page, 'a', 'b')
  await expect.poll(() => heard(page)).toEqual(['a, click 1', 'b, click 1', 'a, click 1'])
  await button(page, 'b').click()
  await page.clock.runFor(11_000)
  expect(await heard(page)).toEqual(['a, click 1', 'b, click 1', 'a, click 1', 'b, click 1'])
})

test('a part that is still loading does not block another part', async ({ page }) => {
  await button(page, 'a').click()
  await button(page, 'b').click()
  await markLoaded(page, 'b')
  await expect.poll(() => heard(page)).toEqual(['b, click 1'])
  await button(page, 'b').click()
  await markLoaded(page, 'a')
  await expect.poll(() => heard(page)).toEqual(['b, click 1', 'b, click 1', 'a, click 1'])
})

test('the second click of a double click is recognized', async ({ page }) => {
  await button(page, 'a').dblclick()
  await markLoaded(page, 'a')
  await expect.poll(() => heard(page)).toEqual(['a, click 1', 'a, click 2'])
})

test('clicks without a listener for ten seconds are dropped', async ({ page }) => {
  await button(page, 'a').click()
  await markLoaded(page, 'b')
  await page.clock.runFor(10_100)
  await markLoaded(page, 'a')
  await page.clock.runFor(1000)
  expect(await heard(page)).toEqual([])
})

for (const how of ['disabled', 'taken away'])
  test(`a button that was ${how} before hydration is not pressed`, async ({ page }) => {
    await button(page, 'a').click()
    await button(page, 'a').evaluate((one, is) => {
      if (is === 'disabled') one.toggleAttribute('disabled')
      else one.remove()
    }, how)
    await markLoaded(page, 'a')
    await page.clock.runFor(1000)
    await button(page, 'a').evaluateAll(([one]) => one?.toggleAttribute('disabled'))
    await page.clock.runFor(1000)
    expect(await heard(page)).toEqual([])
  })
