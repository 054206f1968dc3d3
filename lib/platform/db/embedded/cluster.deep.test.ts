import { spawn, spawnSync } from 'node:child_process'
import { appendFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbedded } from '../embedded.ts'
import { copyOf, emptyFolder, serverOf, sql } from './test-cluster.ts'

let root: string
let dataDir: string

// The folder that a killed initdb leaves is named after the id of its ended process.
const half = `postgres.new-${spawnSync(process.execPath, ['--version']).pid}-0a0b0c0d`

beforeAll(async () => {
  root = await emptyFolder()
  dataDir = join(root, 'data')
  await mkdir(join(dataDir, half, 'cluster'), { recursive: true })
  await writeFile(join(dataDir, half, 'cluster', 'PG_VERSION'), '18\n')
  const { release } = await startEmbedded(dataDir)
  await release()
})

afterAll(() => rm(root, { recursive: true, force: true }))

test('creates the cluster once, and removes the leftovers of a killed initdb', async () => {
  expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres-password', 'postgres.log'])
})

test("starts although postmaster.pid names another program's process", async () => {
  const stale = join(dataDir, 'postgres', 'postmaster.pid')
  const first = await startEmbedded(dataDir)
  const text = await readFile(stale, 'utf8')
  await first.release()
  const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 30_000)'])
  try {
    await writeFile(stale, text.replace(/^\d+/, `${other.pid}`))
    const { url, release } = await startEmbedded(dataDir)
    expect(await sql(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(await serverOf(dataDir)).not.toBe(other.pid)
    await release()
    expect(other.exitCode ?? other.signalCode).toBeNull()
  } finally {
    other.kill()
  }
})

test.each(['copy', 'c'.repeat(90)])('does not mistake a copy (%s) for its running original', async (name) => {
  // The first case uses a socket, the second a port.
  const sourceDir = name === 'copy' ? dataDir : await copyOf(dataDir, join(root, `${name}-original`))
  const copy = await copyOf(dataDir, join(root, name))
  const first = await startEmbedded(sourceDir)
  const text = await readFile(join(sourceDir, 'postgres', 'postmaster.pid'), 'utf8')
  await writeFile(join(copy, 'postgres', 'postmaster.pid'), text)
  const second = await startEmbedded(copy)
  await sql(second.url, 'CREATE TABLE only_in_the_copy ()')
  await expect(sql(first.url, 'TABLE only_in_the_copy')).rejects.toMatchObject({ code: '42P01' })
  await second.release()
  expect(await sql(first.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await first.release()
})

test('refuses a folder with other content, and does not change it', async () => {
  const strange = join(root, 'strange', 'postgres')
  await mkdir(join(root, 'strange'))
  await writeFile(strange, 'mine')
  await expect(startEmbedded(join(root, 'strange'))).rejects.toThrow(/not a PostgreSQL data directory/)
  await rm(strange)
  await mkdir(strange)
  await writeFile(join(strange, 'letter.txt'), 'mine')
  await expect(startEmbedded(join(root, 'strange'))).rejects.toThrow(/not a PostgreSQL data directory/)
  expect(await readdir(strange)).toEqual(['letter.txt'])
})

test('refuses a dangling link instead of starting with an empty cluster', async () => {
  await mkdir(join(root, 'linked'))
  await symlink(join(root, 'nowhere'), join(root, 'linked', 'postgres'))
  await expect(startEmbedded(join(root, 'linked'))).rejects.toThrow(/leads to a folder that is gone/)
})

test('reports the end of the log when a server fails', async () => {
  const broken = await copyOf(dataDir, join(root, 'broken'))
  await appendFile(join(broken, 'postgres', 'postgresql.conf'), 'nonsense = 1\n')
  await expect(startEmbedded(broken)).rejects.toThrow(/doesn't start[\s\S]*"nonsense"/)
})

test('stops a server that refuses our password', async () => {
  const locked = await copyOf(dataDir, join(root, 'locked'))
  await writeFile(join(locked, 'postgres-password'), 'wrong')
  await expect(startEmbedded(locked)).rejects.toThrow(/refuses us: password/)
  expect(await serverOf(locked)).toBeUndefined()
})
