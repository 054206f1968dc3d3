import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'

/** Runs `work` with the address of a new demo, and stops the demo afterwards. */
export async function withDemo(work: (url: string) => Promise<void>): Promise<void> {
  const url = `http://127.0.0.1:${3900 + (process.pid % 90)}`
  const data = mkdtempSync(join(tmpdir(), 'licenses-invoices-pictures-'))
  const demo = spawn(process.execPath, [...process.execArgv, 'scripts/demo.ts'], {
    env: { ...process.env, DATA_DIR: data, DATABASE_URL: '', BASE_URL: '', PORT: new URL(url).port },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await ready(demo.stdout)
    await work(url)
  } finally {
    demo.kill('SIGTERM')
    if (demo.exitCode === null) await once(demo, 'exit')
    rmSync(data, { recursive: true, force: true })
  }
}

async function ready(output: AsyncIterable<unknown>): Promise<void> {
  for await (const chunk of output) if (String(chunk).includes('curl ')) return
  throw new Error('The demo did not come up.')
}

/** Signs in as a member of the demo. */
export async function enter(page: Page, email: string): Promise<void> {
  // Generous timeout that only ends hanging tests: a busy machine is not a failure.
  page.setDefaultTimeout(180_000)
  await page.goto('/sign-in')
  await page.getByLabel('Work email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('demo-password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL((address) => address.pathname !== '/sign-in')
}
