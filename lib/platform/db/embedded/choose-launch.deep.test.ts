import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, realpath, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEmbedded } from '../embedded.ts'
import { emptyFolder, otherUser, serverOf, sql } from './test-cluster.ts'

/** Unprivileged account of all Linux systems. */
const nobody = 65_534
const isRoot = process.getuid?.() === 0

let root: string

beforeAll(async () => {
  root = await emptyFolder()
  await chmod(root, 0o755)
})

afterAll(() => rm(root, { recursive: true, force: true }))

/** Makes a folder in the test's folder, with this mode. */
async function folder(name: string, mode: number): Promise<string> {
  const path = join(root, name)
  await mkdir(path)
  await chmod(path, mode)
  return path
}

test('runs as the current user, or as root in one of two ways', async () => {
  const dataDir = await folder('any', 0o700)
  const { note, release } = await startEmbedded(dataDir)
  await release()
  const rootLaunch =
    /, as (root through a user namespace|the account \w+, because it refuses to run as root)$/
  expect(note).toMatch(isRoot ? rootLaunch : /, as this user/)
  if (!note.includes('as root through')) return
  // A cluster made in root's user namespace must not be replaced by an empty one where there are no namespaces.
  await expect(startEmbedded(dataDir, { namespaces: false })).rejects.toThrow(/chown[\s\S]*DATABASE_URL/)
})

describe.runIf(isRoot)('root without user namespaces', () => {
  test('uses an unprivileged account, and keeps using it', async () => {
    const dataDir = await folder('open', 0o755)
    const first = await startEmbedded(dataDir, { namespaces: false })
    expect(first.note).toMatch(/open\/postgres, as the account (postgres|nobody), /)
    await sql(first.url, 'CREATE TABLE kept AS SELECT 1 AS one')
    await first.release()
    const { uid } = await stat(join(dataDir, 'postgres'))
    expect(uid).toBeGreaterThan(0)
    const second = await startEmbedded(dataDir)
    expect(await sql(second.url, 'TABLE kept')).toEqual([{ one: 1 }])
    await second.release()
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(uid)
  })

  test('puts the cluster in a folder that the account can reach, and leaves a link', async () => {
    const dataDir = await folder('closed', 0o700)
    const first = await startEmbedded(dataDir, { namespaces: false })
    const home = dirname(await realpath(join(dataDir, 'postgres')))
    try {
      expect(first.note).toContain(`PostgreSQL 18.4 in ${home}/postgres, as the account `)
      await sql(first.url, 'CREATE TABLE kept AS SELECT 1 AS one')
      await first.release()
      const second = await startEmbedded(dataDir)
      expect(await sql(second.url, 'TABLE kept')).toEqual([{ one: 1 }])
      await second.release()
      expect(await serverOf(dataDir)).toBeUndefined()
    } finally {
      await rm(home, { recursive: true })
      // Removed only if it is empty.
      await rmdir(dirname(home)).catch(() => undefined)
    }
  })
})

/** Returns whether another account can read this code: in root's home it can't. */
function isReadable(): boolean {
  const script = `fs.readFileSync(${JSON.stringify(fileURLToPath(import.meta.url))})`
  return spawnSync(process.execPath, ['-e', script], { uid: nobody, gid: nobody }).status === 0
}

describe.runIf(isRoot && isReadable())('an unprivileged user', () => {
  test("runs the server itself; root can adopt the server, and another user gets an error with the owner's name", async () => {
    const dataDir = await folder('plain', 0o755)
    await chown(dataDir, nobody, nobody)
    const { child, ended, note } = await otherUser(dataDir, 'CREATE TABLE kept AS SELECT 1 AS one', nobody)
    expect(note).toContain('plain/postgres, as this user')
    const adopted = await startEmbedded(dataDir)
    expect(adopted.note).toContain('already running')
    child.stdin.end()
    expect(await ended).toEqual([0, null])
    expect(await sql(adopted.url, 'TABLE kept')).toEqual([{ one: 1 }])
    await adopted.release()
    expect(await serverOf(dataDir)).toBeUndefined()
    await expect(otherUser(dataDir, 'SELECT 1', nobody - 1)).rejects.toThrow(
      /belongs to another account \(uid 65534\)/,
    )
  })
})
