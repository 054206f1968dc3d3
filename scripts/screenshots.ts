import { writeFileSync } from 'node:fs'
import { chromium as playwright } from '@playwright/test'
import { DESKTOP } from '../e2e/browser.ts'
import { chromium } from '../e2e/chromium.ts'
import { controlsOf, PICTURES, RECORD, VIEWER } from '../e2e/documented-screens.ts'
import { enter, withDemo } from './pictures/demo.ts'

// Takes the pictures in README and docs of a new demo, and records their controls.

await withDemo(async (baseURL) => {
  const browser = await playwright.launch(await chromium())
  try {
    // Reduced motion, so that no picture shows an animation in progress.
    const page = await browser.newPage({
      baseURL,
      viewport: DESKTOP,
      colorScheme: 'light',
      reducedMotion: 'reduce',
    })
    await enter(page, VIEWER.email)
    const controls: Record<string, string[]> = {}
    for (const [path, show] of Object.entries(PICTURES)) {
      await show(page)
      await page.screenshot({ path })
      controls[path] = await controlsOf(page)
    }
    writeFileSync(RECORD, `${JSON.stringify(controls, undefined, 2)}\n`)
  } finally {
    await browser.close()
  }
})
