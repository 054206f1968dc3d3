import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium as playwright } from '@playwright/test'
import { demoCustomers } from '#lib/demo/customers.ts'
import { DEMO_PASSWORD, loadDemo } from '#lib/demo/load.ts'
import { openDatabase } from '#lib/platform/db/client.ts'
import { startProcessReaper } from '#lib/platform/db/embedded/test-process-reaper.ts'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { migrate } from '#lib/platform/db/migrate.ts'
import { chromium } from '../../e2e/chromium.ts'
import { build } from '../../scripts/build.ts'
import { SESSION_SECRET, startApp } from '../http/program.ts'

/** The demo's largest customer, with 304 assets and 5,000 invoices. Its Admin sees everything. */
const EMAIL = 'erik@halvorsen.example'
/** Size of a laptop's window. */
const VIEWPORT = { width: 1366, height: 768 }

/** The built app with the demo's data. */
export type Console = {
  url: string
  /** Cookie of a signed-in Admin. */
  cookie: { name: string; value: string }
  stop(): Promise<void>
}

/** Builds the console if sources changed, and starts it on a new database. */
export async function openConsole(): Promise<Console> {
  process.env.SESSION_SECRET = SESSION_SECRET
  await build({ quiet: true })
  const reaper = startProcessReaper()
  const folder = await mkdtemp(join(tmpdir(), 'console-screens-'))
  reaper.removeFolder(folder)
  const embedded = await startEmbedded(join(folder, 'database'))
  await migrate(embedded.url)
  const database = openDatabase(embedded.url)
  const today = new Date().toISOString().slice(0, 10)
  await loadDemo(demoCustomers(today).slice(-1), today)
  const app = await startApp(reaper, embedded.url, '1')
  return {
    url: app.url,
    cookie: await signIn(app.url),
    async stop() {
      await app.stop()
      await database.close()
      await embedded.release()
      await reaper.dismiss()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function signIn(url: string): Promise<Console['cookie']> {
  const csrf = await fetch(`${url}/api/auth/csrf`)
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const answer = await fetch(`${url}/api/auth/callback/credentials`, {
    method: 'POST',
    headers: { cookie: csrf.headers.getSetCookie().map(pair).join('; ') },
    body: new URLSearchParams({ email: EMAIL, password: DEMO_PASSWORD, csrfToken, json: 'true' }),
    redirect: 'manual',
  })
  const session = answer.headers
    .getSetCookie()
    .map(pair)
    .find((one) => one.startsWith('console-session='))
  if (!session) throw new Error(`Nobody could sign in: ${answer.status}`)
  return { name: 'console-session', value: session.slice('console-session='.length) }
}

function pair(cookie: string): string {
  return cookie.split(';')[0] ?? ''
}

/** Runs `work` with a signed-in browser. */
export async function inBrowser<T>(
  { url, cookie }: Console,
  work: (context: BrowserContext) => Promise<T>,
): Promise<T> {
  const browser = await playwright.launch(await chromium())
  try {
    const context = await browser.newContext({ baseURL: url, viewport: VIEWPORT })
    await context.addCookies([{ ...cookie, url }])
    return await work(context)
  } finally {
    await browser.close()
  }
}

/** Returns the ids of an asset and an invoice of the customer, and of the first rows of each list. */
export async function thingsOf({ url, cookie }: Console) {
  const headers = { cookie: `${cookie.name}=${cookie.value}` }
  const ids = async (list: 'assets' | 'invoices') => {
    const answer = await fetch(`${url}/billing/v1/${list}`, { headers })
    const body = (await answer.json()) as Record<typeof list, { id: string }[]>
    return body[list].map(({ id }) => id)
  }
  return { assets: await ids('assets'), invoices: await ids('invoices') }
}
