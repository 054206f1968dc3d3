import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { exchange } from '../../lib/server/test-exchange.ts'
import { WEB } from '../../scripts/web-process.mjs'
import { asset } from '../admin.ts'
import { isolatedEnvironment, operate, postmaster, run, startIsolatedApp } from '../isolated-app.ts'

const path = '/billing/v1/assets/workspace-suite-1'
let data: string
let app: Awaited<ReturnType<typeof startIsolatedApp>>
let key = ''

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  // On a disk: acknowledged data must survive a kill.
  data = mkdtempSync(join(process.env.E2E_DISK as string, 'lifecycle-'))
  app = await startIsolatedApp(isolatedEnvironment(data))
  const admin = async (args: string[], input = '') => {
    const { code, out, err } = await operate(isolatedEnvironment(data), args, input)
    expect(code, err).toBe(0)
    return out.trim()
  }
  const named = ['--id', 'own', '--name', 'Own Ltd', '--domain', 'own.example']
  await admin(['customers', 'add', ...named, '--contact-email', 'a@own.example'])
  const assets = [asset('workspace-suite-1', 'Suite', { purchased: 10 })]
  await admin(['import', 'assets', '-', '--customer', 'own'], JSON.stringify(assets))
  key = await admin(['keys', 'issue', '--customer', 'own', '--role', 'admin', '--name', 'test'])
})

test.afterAll(async () => {
  app?.kill('SIGTERM')
  await app?.ended
  rmSync(data, { recursive: true, force: true })
})

async function setQuantity(quantity: number): Promise<boolean> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ quantity })
  const answer = await fetch(app.url + path, { method: 'PATCH', headers, body }).catch(() => undefined)
  return answer?.status === 200
}
async function quantity(): Promise<number> {
  const answer = await fetch(app.url + path, { headers: { Authorization: `Bearer ${key}` } })
  return (await answer.json()).properties.subscription.Seats.NumberOfSeats
}

test('the build compiled the modules of a web process, and for scarce memory those of its drawing thread', () => {
  // The options are part of the name of the folder.
  for (const options of [WEB.options, [...WEB.options, ...WEB.scarce]]) {
    const script = 'require("node:module").getCompileCacheDir()'
    const folder = execFileSync(process.execPath, [...options, '-p', script], {
      encoding: 'utf8',
      env: { ...process.env, ...WEB.env },
    })
    expect(readdirSync(folder.trim()).length).toBeGreaterThan(50)
  }
})

test('SIGTERM lets a running request finish, closes idle connections and stops the database', {
  tag: '@deep',
}, async () => {
  const lines = ['Host: localhost:PORT', `Authorization: Bearer ${key}`, 'Content-Type: application/json']
  const requestText = `PATCH ${path} HTTP/1.1\r\n${lines.join('\r\n').replace('PORT', `${app.port}`)}\r\n`
  // `100 Continue` shows that the request has begun, and the closed idle connection that the shutdown has.
  const [started, ending] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const running = exchange(app.port, [
    `${requestText}Expect: 100-continue\r\nContent-Length: 15\r\n\r\n`,
    ...[/^HTTP\/1.1 100 /, started.resolve, () => ending.promise, '{"quantity":20}'],
  ])
  const healthy = Promise.withResolvers<void>()
  const health = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n'
  const idle = exchange(app.port, [health, /^HTTP\/1.1 200 [\s\S]*\r\n\r\n./, healthy.resolve])
  await Promise.all([started.promise, healthy.promise])
  app.kill('SIGTERM')
  expect(await idle).toMatchObject({ answers: [{ status: 200 }], wasClosed: true })
  expect((await exchange(app.port, [health])).answers).toEqual([])
  ending.resolve()
  expect(await running).toMatchObject({ answers: [{ status: 100 }, { status: 200 }], wasClosed: true })
  expect(await app.ended).toBe(0)
  expect(postmaster(data)).toBeUndefined()

  app = await startIsolatedApp(isolatedEnvironment(data))
  expect(await quantity()).toBe(20)
})

test('a second signal ends the process immediately, and the next start recovers its database', {
  tag: '@deep',
}, async () => {
  const requestText = `PATCH ${path} HTTP/1.1\r\nHost: localhost:${app.port}\r\nAuthorization: Bearer ${key}\r\n`
  const started = Promise.withResolvers<void>()
  const waiting = exchange(app.port, [
    `${requestText}Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 15\r\n\r\n`,
    ...[/^HTTP\/1.1 100 /, started.resolve],
  ])
  await started.promise
  app.kill('SIGTERM')
  await expect.poll(app.output).toContain('"stopping"')
  let code: number | string | undefined
  void app.ended.then((how) => {
    code = how
  })
  // Two signals within a quarter of a second count as one.
  const signalAgain = () => {
    if (code === undefined) app.kill('SIGTERM')
    return code
  }
  await expect.poll(signalAgain, { intervals: [300] }).toBe(1)
  expect((await waiting).answers).toMatchObject([{ status: 100 }])
  const left = postmaster(data)
  expect(left).toBeGreaterThan(0)

  app = await startIsolatedApp(isolatedEnvironment(data))
  expect(postmaster(data)).toBe(left)
  expect(await quantity()).toBe(20)
})

for (const victims of ['the app', 'the app and its database']) {
  test(`kill -9 of ${victims} loses no acknowledged change`, { tag: '@deep' }, async () => {
    let acknowledged = await quantity()
    let writing = true
    const writer = (async () => {
      while (writing && (await setQuantity(acknowledged + 1))) acknowledged += 1
    })()
    const enough = acknowledged + 25
    await expect.poll(() => acknowledged).toBeGreaterThan(enough)
    const database = postmaster(data)
    app.kill('SIGKILL')
    if (victims.includes('database') && database) process.kill(database, 'SIGKILL')
    writing = false
    await Promise.all([writer, app.ended])

    app = await startIsolatedApp(isolatedEnvironment(data))
    // A pending request may have been applied, but was not acknowledged.
    expect([acknowledged, acknowledged + 1]).toContain(await quantity())
  })
}

test('a killed database is restarted automatically', { tag: '@deep' }, async () => {
  const before = await quantity()
  const database = postmaster(data)
  if (database) process.kill(database, 'SIGKILL')
  const isNew = () => ![database, undefined].includes(postmaster(data))
  const health = async () => (await fetch(`${app.url}/readyz`)).status
  await expect.poll(async () => [isNew(), await health()]).toEqual([true, 200])
  expect(await quantity()).toBe(before)
  expect(await setQuantity(before + 1)).toBe(true)
})

test('a failed start logs one line with the reason, and damages nothing', { tag: '@deep' }, async () => {
  const start = (more: Record<string, string>) => run('lib/server/start.ts', isolatedEnvironment(data, more))
  const second = await start({ PORT: `${app.port}` })
  expect([second.code, second.err]).toEqual([1, expect.stringMatching(/^[^\n]*:\d+ is in use[^\n]*\n$/)])
  const wrong = await start({ PORT: 'many', LOG_LEVEL: 'loud' })
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/^[^\n]*PORT[^\n]*LOG_LEVEL[^\n]*\n$/)])
  const secret = await start({ DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' })
  expect([secret.code, secret.err]).toEqual([1, expect.stringMatching(/^[^\n]*SESSION_SECRET[^\n]*\n$/)])
  expect((await fetch(`${app.url}/healthz`)).status).toBe(200)
})
