import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { exchange } from '../../lib/server/test-exchange.ts'
import { asset, newCustomer, PASSWORD } from '../admin.ts'
import { type AppDatabase, createDatabase } from '../database.ts'
import { isolatedEnvironment, operate, postmaster, run, startIsolatedApp } from '../isolated-app.ts'
import { startLoad } from '../load.ts'
import type { Connection } from '../tcp-connection.ts'
import { connectToEach, logged, workersOf } from '../workers.ts'

// Behavior that the tests with fake processes can't see: shared state of two real processes, and their end.

const path = '/billing/v1/assets/workspace-suite-1'

async function signIn(line: Connection, email: string, password: string): Promise<boolean> {
  return (await trySignIn(line, email, password)).status === 200
}

/** Returns the answer to a wrong password, with its redirect URL. */
async function signInError(line: Connection, email: string): Promise<string> {
  return (await trySignIn(line, email, 'a wrong password')).body
}

async function trySignIn(line: Connection, email: string, password: string) {
  const { csrfToken } = JSON.parse((await line.request('/api/auth/csrf')).body)
  const body = new URLSearchParams({ email, password, csrfToken, json: 'true' }).toString()
  const form = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': `${body.length}` }
  return line.request('/api/auth/callback/credentials', { method: 'POST', headers: form, body })
}

test.describe('two workers', { tag: '@deep' }, () => {
  test.describe.configure({ mode: 'serial' })

  let data: string
  let database: AppDatabase
  let env: NodeJS.ProcessEnv
  let app: Awaited<ReturnType<typeof startIsolatedApp>>
  let customer: Awaited<ReturnType<typeof newCustomer>>
  let headers: Record<string, string>

  test.beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'licenses-invoices-workers-'))
    // DRAIN_SECONDS: how long a worker that hands over keeps its connections open for their next request.
    database = await createDatabase()
    env = isolatedEnvironment(data, { ...database.settings, WEB_CONCURRENCY: '2', DRAIN_SECONDS: '3' })
    app = await startIsolatedApp(env)
    customer = await newCustomer('workers', env)
    await customer.importAssets([asset('workspace-suite-1', 'Suite', { purchased: 10 })])
    headers = {
      Authorization: `Bearer ${await customer.key('it-manager')}`,
      'Content-Type': 'application/json',
    }
  })

  test.afterAll(async () => {
    app?.kill('SIGTERM')
    await app?.ended
    await database?.drop()
    rmSync(data, { recursive: true, force: true })
  })

  const set = (line: Connection, quantity: number, idempotencyKey: string) =>
    line.request(path, {
      method: 'PATCH',
      headers: { ...headers, 'Idempotency-Key': idempotencyKey },
      body: JSON.stringify({ quantity }),
    })

  test('an idempotency key used at one worker is known to the other', async () => {
    const [one, two] = await connectToEach(app, 1, 2)
    const both = await Promise.all([set(one, 20, 'key-of-the-test'), set(two, 20, 'key-of-the-test')])
    // Of two parallel requests, one may be refused because the other is under way.
    for (const { status } of both) expect([200, 409]).toContain(status)
    for (const line of [one, two]) expect((await set(line, 20, 'key-of-the-test')).status).toBe(200)
    for (const line of [one, two]) expect((await set(line, 21, 'key-of-the-test')).status).toBe(422)
    const changes = await two.request('/billing/v1/license-changes', { headers })
    expect(JSON.parse(changes.body)).toMatchObject({ rowCount: 1, licenseChanges: [{ from: 10, to: 20 }] })
    for (const line of [one, two]) line.close()
  })

  test('a member who signs in at one worker is signed in at both, and a disabled one at neither', async () => {
    const email = await customer.member('Ana Ruiz', 'it-manager')
    const [one, two] = await connectToEach(app, 1, 2)
    expect(await signIn(one, email, PASSWORD)).toBe(true)
    const options = { headers: { cookie: one.cookie() } }
    for (const line of [two, one])
      expect((await line.request('/billing/v1/assets', options)).status).toBe(200)
    const disable = ['members', 'disable', '--customer', customer.id, '--email', email]
    expect(await operate(env, disable)).toMatchObject({ code: 0 })
    for (const line of [two, one])
      expect((await line.request('/billing/v1/assets', options)).status).toBe(401)
    for (const line of [one, two]) line.close()
  })

  test('failed sign-ins are counted over all workers', async () => {
    const email = await customer.member('Ben Okoro', 'it-manager')
    const [one, two] = await connectToEach(app, 1, 2)
    const errors: string[][] = [[], []]
    // Independent of the machine's speed: the wait grows, and at each worker by the count of both.
    for (let time = 0; time < 8; time++)
      for (const [at, line] of [one, two].entries()) errors[at]?.push(await signInError(line, email))
    expect(errors.map((each) => each.some((text) => text.includes('throttled')))).toEqual([true, true])
    expect(errors.flat().filter((text) => text.includes('CredentialsSignin')).length).toBeLessThan(9)
    for (const line of [one, two]) line.close()
  })

  test('a worker that is killed is replaced, and the database goes on', async () => {
    const database = postmaster(data)
    const first = logged(app, 'worker ready').find(({ worker }) => worker === 1)
    process.kill(first?.pid as number, 'SIGKILL')
    await expect.poll(() => workersOf(app)).toEqual([1, 2, 3])
    expect(logged(app, 'worker died')).toMatchObject([{ worker: 1, code: 'SIGKILL' }])
    for (const line of await connectToEach(app, 2, 3)) {
      expect((await line.request(path, { headers })).status).toBe(200)
      line.close()
    }
    expect(postmaster(data)).toBe(database)
  })

  test('SIGUSR2 replaces the old workers with new ones, without a failed request', async () => {
    const load = startLoad(app.url, 8, () => ({ path, headers }))
    await expect.poll(load.answered).toBeGreaterThan(50)
    app.kill('SIGUSR2')
    // Two processes start one after the other, under load.
    await expect.poll(app.output, { timeout: 200_000 }).toContain('"workers restarted"')
    const before = load.answered()
    await expect.poll(load.answered).toBeGreaterThan(before + 50)
    await load.stop()
    expect(load.failures).toEqual([])
    expect(workersOf(app)).toEqual([1, 2, 3, 4, 5])
  })

  test('SIGTERM reaches all workers: running requests finish, and the database stops after the last', async () => {
    const lines = [`PATCH ${path} HTTP/1.1`, `Host: localhost:${app.port}`, 'Content-Length: 15']
    const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const requestText = [...lines, ...named, 'Expect: 100-continue'].join('\r\n')
    const ending = Promise.withResolvers<void>()
    // Assigned in turn: one connection for each of them.
    const running = [30, 30].map((quantity) => {
      const started = Promise.withResolvers<void>()
      const body = JSON.stringify({ quantity })
      const parts = [/^HTTP\/1.1 100 /, started.resolve, () => ending.promise, body]
      return { begun: started.promise, answered: exchange(app.port, [`${requestText}\r\n\r\n`, ...parts]) }
    })
    await Promise.all(running.map(({ begun }) => begun))
    app.kill('SIGTERM')
    await expect.poll(() => logged(app, 'stopping').map(({ worker }) => worker)).toHaveLength(5)
    ending.resolve()
    for (const { answered } of running) {
      const { answers } = await answered
      // One of the two may be refused because the other is under way.
      expect([200, 409]).toContain(answers[1]?.status)
    }
    expect(await app.ended).toBe(0)
    expect(postmaster(data)).toBeUndefined()
  })

  test('the shutdown completes when a supervisor signals npm and all its processes', async () => {
    const npmData = join(data, 'npm')
    const npm = await startIsolatedApp({ ...env, DATA_DIR: npmData }, ['npm', 'start'])
    npm.killGroup('SIGTERM')
    await npm.ended
    // An interrupted shutdown would leave the database running.
    await expect.poll(() => postmaster(npmData)).toBeUndefined()
    expect(logged(npm, 'stopping')).toHaveLength(3)
  })

  test('a process whose workers have all died and can not restart ends, and logs the reason', async () => {
    const accounts = join(data, 'vendor-accounts.json')
    writeFileSync(accounts, '{ "accounts": [] }')
    app = await startIsolatedApp({ ...env, VENDOR_ACCOUNTS_FILE: accounts })
    await expect.poll(() => workersOf(app)).toEqual([1, 2])
    // Running workers keep the settings that they have read; a new worker is refused.
    writeFileSync(accounts, 'nonsense')
    for (const { pid } of logged(app, 'worker ready')) process.kill(pid, 'SIGKILL')
    expect(await app.ended).toBe(1)
    expect(app.output()).toMatch(/^Licenses & Invoices stopped: Wrong configuration\..*is no JSON$/m)
  })

  test('a failed start logs its reason only once', async () => {
    app = await startIsolatedApp(env)
    const second = await run('lib/server/start.ts', { ...env, PORT: `${app.port}` })
    expect([second.code, second.err]).toEqual([1, expect.stringMatching(/^[^\n]*:\d+ is in use[^\n]*\n$/)])
  })
})
