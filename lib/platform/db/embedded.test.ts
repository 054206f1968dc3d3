import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyOf, emptyFolder, otherUser, serverOf, sql } from './embedded/test-cluster.ts'
import { startEmbedded } from './embedded.ts'

let root: string
let dataDir: string

beforeAll(async () => {
  root = await emptyFolder()
  dataDir = join(root, 'data')
  // Two concurrent starts without a cluster: both create one, and one of them has to yield.
  const [first, second] = await Promise.all([startEmbedded(dataDir), startEmbedded(dataDir)])
  await sql(first.url, 'CREATE TABLE kept (word text)')
  await Promise.all([first.release(), second.release()])
})

afterAll(() => rm(root, { recursive: true, force: true }))

test("creates the console's database, reachable by password and on a socket only", async () => {
  const { url, note, release } = await startEmbedded(dataDir)
  expect(note).toMatch(/^PostgreSQL 18\.\d+ in .*data\/postgres, as /)
  const [settings] = await sql(
    url,
    `SELECT current_database() AS name, inet_server_addr() AS address, lower('É') AS lower,
      current_setting('listen_addresses') AS listen, current_setting('data_checksums') AS checksums,
      current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit`,
  )
  const safe = { checksums: 'on', fsync: 'on', commit: 'on' }
  expect(settings).toEqual({ name: 'console', address: null, lower: 'é', listen: '', ...safe })
  const wrong = new URL(url)
  wrong.password = 'wrong'
  await expect(sql(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
  await release()
  await release()
  expect(await serverOf(dataDir)).toBeUndefined()
})

test("adopts the server that a killed process left behind, with that process's data", async () => {
  const { child, ended } = await otherUser(dataDir, "INSERT INTO kept VALUES ('by the killed one')")
  const left = await serverOf(dataDir)
  child.kill('SIGKILL')
  await ended
  const { url, note, release } = await startEmbedded(dataDir)
  expect(note).toContain('already running')
  expect(await serverOf(dataDir)).toBe(left)
  expect(await sql(url, 'SELECT word FROM kept')).toEqual([{ word: 'by the killed one' }])
  await release()
  expect(await serverOf(dataDir)).toBeUndefined()
})

test('stops the server with its last user, in this process or another', async () => {
  const [first, second, other] = await Promise.all([
    startEmbedded(dataDir),
    startEmbedded(dataDir),
    otherUser(dataDir),
  ])
  await first.release()
  await second.release()
  expect(await serverOf(dataDir)).toBeDefined()
  other.child.stdin.end()
  expect(await other.ended).toEqual([0, null])
  expect(await serverOf(dataDir)).toBeUndefined()
})

test('starts while another process stops the server', async () => {
  let running = await startEmbedded(dataDir)
  for (let round = 0; round < 5; round += 1) {
    // Fixed wait: each round begins at another moment of the shutdown.
    const next = sleep(round * 6).then(() => startEmbedded(dataDir))
    await running.release()
    running = await next
    expect(await sql(running.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  }
  await running.release()
})

test('restarts a server that dies in use, and stays its user', async () => {
  const [first, second] = await Promise.all([startEmbedded(dataDir), startEmbedded(dataDir)])
  const answers = () => sql(first.url, 'SELECT 1 AS one').catch(() => [])
  const died = Number(await serverOf(dataDir))
  process.kill(died, 'SIGKILL')
  await expect.poll(() => serverOf(dataDir)).not.toBe(died)
  await expect.poll(answers).toEqual([{ one: 1 }])
  await second.release()
  // If the first process has not rejoined yet, it starts the server that the second has just stopped.
  await expect.poll(answers).toEqual([{ one: 1 }])
  await first.release()
  expect(await serverOf(dataDir)).toBeUndefined()
})

test('listens on loopback, with a password, if the path is too long for a socket', async () => {
  const { url, note, release } = await startEmbedded(await copyOf(dataDir, join(root, 'l'.repeat(90))))
  expect(note).toMatch(/, on 127\.0\.0\.1:\d+$/)
  const server = await sql(
    url,
    "SELECT host(inet_server_addr()) AS host, current_setting('listen_addresses') AS listen",
  )
  expect(server).toEqual([{ host: '127.0.0.1', listen: '127.0.0.1' }])
  const wrong = new URL(url)
  wrong.password = 'wrong'
  await expect(sql(wrong.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' })
  await release()
})
