import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium as playwright } from '@playwright/test'
import { chromium } from '../e2e/chromium.ts'

// Takes the pictures of the README again, from a demo of its own.

const PORT = 3900 + (process.pid % 90)
const data = mkdtempSync(join(tmpdir(), 'licenses-invoices-pictures-'))
const demo = spawn(process.execPath, [...process.execArgv, 'scripts/demo.ts'], {
  env: { ...process.env, DATA_DIR: data, DATABASE_URL: '', BASE_URL: '', PORT: String(PORT) },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  await ready()
  const browser = await playwright.launch(await chromium())
  await takePictures(browser).finally(() => browser.close())
} finally {
  demo.kill('SIGTERM')
  if (demo.exitCode === null) await once(demo, 'exit')
  rmSync(data, { recursive: true, force: true })
}

async function ready(): Promise<void> {
  for await (const chunk of demo.stdout) if (String(chunk).includes('curl ')) return
  throw new Error('The demo did not come up.')
}

async function takePictures(browser: Browser): Promise<void> {
  const viewport = { width: 1360, height: 900 }
  const context = await browser.newContext({
    baseURL: `http://127.0.0.1:${PORT}`,
    viewport,
    colorScheme: 'light',
    // Nothing is caught on its way.
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  await page.goto('/sign-in')
  await page.getByLabel('Work e-mail').fill('ana.ruiz@northwind-labs.example')
  await page.getByLabel('Password', { exact: true }).fill('demo-password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/assets')
  await page.goto('/assets?filter=type:workspace-suite')
  const field = page.getByRole('spinbutton', { name: /Business Plus/ })
  await field.fill('195')
  await page.getByRole('button', { name: 'Set to 195 licenses' }).waitFor()
  await page.mouse.move(0, 0)
  await page.screenshot({ path: 'docs/assets.png' })
  await page.goto('/invoices')
  await page.getByRole('link', { name: /^IN-/ }).first().waitFor()
  await page.screenshot({ path: 'docs/invoices.png' })
}
