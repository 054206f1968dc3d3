import { readFileSync } from 'node:fs'
import type { Browser } from '@playwright/test'

/** Arranges pictures in a grid, each below its name, so that many can be compared in one view. */
export async function sheet(
  browser: Browser,
  path: string,
  pictures: readonly { name: string; file: string }[],
  width: number,
): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1900, height: 1000 } })
  const cells = pictures.map(({ name, file }) => {
    const data = readFileSync(file).toString('base64')
    return `<figure><figcaption>${name}</figcaption><img src="data:image/png;base64,${data}"></figure>`
  })
  await page.setContent(`<style>
    body { margin: 8px; display: flex; flex-wrap: wrap; gap: 10px; align-items: start; background: #bbb; font: 13px sans-serif }
    figure { margin: 0; width: ${width}px } img { width: 100%; display: block; border: 1px solid #888 }
  </style>${cells.join('')}`)
  await page.evaluate(() => Promise.all([...document.images].map((image) => image.decode())))
  await page.screenshot({ path, fullPage: true })
  await page.close()
}
