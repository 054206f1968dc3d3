import { appendFile, readdir, readFile, rm, stat, truncate, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbedded } from '../embedded.ts'
import { forgetOldLogs } from './server.ts'
import { emptyFolder, sql } from './test-cluster.ts'

let root: string
let cluster: string
beforeAll(async () => {
  root = await emptyFolder()
  cluster = join(root, 'postgres')
})
afterAll(() => rm(root, { recursive: true, force: true }))

test("the server's errors are in a log file per weekday, which is truncated each week", async () => {
  const { url, release } = await startEmbedded(root)
  await expect(sql(url, 'TABLE not_there')).rejects.toThrow()
  const [settings] = await sql(
    url,
    `SELECT current_setting('log_rotation_age') AS age, current_setting('log_truncate_on_rotation') AS truncates`,
  )
  await release()
  expect(settings).toEqual({ age: '1d', truncates: 'on' })
  const names = await readdir(join(cluster, 'log'))
  expect(names).toEqual([expect.stringMatching(/^postgres-(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.log$/)])
  const path = join(cluster, 'log', names[0] ?? '')
  expect(await readFile(path, 'utf8')).toContain('"not_there" does not exist')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  // Only the output before logging begins, of each start.
  expect((await readFile(`${cluster}.log`, 'utf8')).split('\n').length).toBeLessThan(5)
})

test('a start removes the log file of a week ago, and moves a long file of start output aside', async () => {
  const path = (day: string) => join(cluster, 'log', `postgres-${day}.log`)
  const days = (count: number) => (Date.now() - count * 86_400_000) / 1000
  for (const [day, age] of [
    ['old', 6.5],
    ['new', 5.5],
  ] as const) {
    await appendFile(path(day), 'text')
    await utimes(path(day), days(age), days(age))
  }
  await truncate(`${cluster}.log`, 1_000_001)
  await forgetOldLogs(cluster)
  const names = await readdir(join(cluster, 'log'))
  expect(names).toContain('postgres-new.log')
  expect(names).not.toContain('postgres-old.log')
  expect((await stat(`${cluster}.log.1`)).size).toBe(1_000_001)
  await expect(stat(`${cluster}.log`)).rejects.toThrow('ENOENT')
})
