import { chromium as playwright } from '@playwright/test'
import { chromium } from '../e2e/chromium.ts'
import { enter, withDemo } from './pictures/demo.ts'

// Takes the README's pictures of a new demo.

await withDemo(async (baseURL) => {
  const browser = await playwright.launch(await chromium())
  try {
    const viewport = { width: 1360, height: 900 }
    // Reduced motion, so that no picture shows an animation in progress.
    const page = await browser.newPage({ baseURL, viewport, colorScheme: 'light', reducedMotion: 'reduce' })
    await enter(page, 'ana.ruiz@northwind-labs.example')
    await page.goto('/assets?filter=type:workspace-suite')
    const field = page.getByRole('spinbutton', { name: /Business Plus/ })
    await field.fill('195')
    await page.getByRole('button', { name: 'Set to 195 licenses' }).waitFor()
    await page.mouse.move(0, 0)
    await page.screenshot({ path: 'docs/use/assets.png' })
    await page.goto('/invoices')
    await page.getByRole('link', { name: /^IN-/ }).first().waitFor()
    await page.screenshot({ path: 'docs/use/invoices.png' })
  } finally {
    await browser.close()
  }
})
