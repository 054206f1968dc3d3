import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { deleteDemoData } from './demo-reset.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-reset-'))
  vi.stubEnv('DATABASE_URL', '')
  vi.stubEnv('DATA_DIR', join(folder, 'data'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

function addCluster(pid: number): void {
  mkdirSync(join(folder, 'data/postgres'), { recursive: true })
  writeFileSync(join(folder, 'data/postgres/PG_VERSION'), '18\n')
  writeFileSync(
    join(folder, 'data/postgres/postmaster.pid'),
    `${pid}\n${join(folder, 'data/postgres')}\n0\n5432\n\n`,
  )
}

test('the data of earlier demos are deleted, and their absence is no error', async () => {
  await deleteDemoData()
  // A process that is no database server: its file was left behind.
  addCluster(process.pid)
  await deleteDemoData()
  expect(existsSync(join(folder, 'data'))).toBe(false)
})

test('a folder without a database, and a server elsewhere, are not changed', async () => {
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data/letter.txt'), 'mine')
  await expect(deleteDemoData()).rejects.toThrow('has no database of a demo')
  addCluster(0)
  vi.stubEnv('DATABASE_URL', 'postgres://console@db.example/console')
  await expect(deleteDemoData()).rejects.toThrow('DATABASE_URL is set')
  expect(existsSync(join(folder, 'data/letter.txt'))).toBe(true)
})
