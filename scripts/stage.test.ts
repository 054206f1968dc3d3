import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isAlive } from '#lib/platform/db/embedded/server.ts'
import { runStage } from './stage.ts'

test('ending a stage ends all of its processes', async () => {
  const markerPath = join(mkdtempSync(join(tmpdir(), 'stage-')), 'told')
  const program = `
    import { spawn } from 'node:child_process'
    import { renameSync, writeFileSync } from 'node:fs'
    const args = ['-e', 'setInterval(() => {}, 1000)']
    const child = spawn(process.execPath, args, { stdio: 'ignore' })
    writeFileSync(process.argv[1] + '.part', JSON.stringify([process.pid, child.pid]))
    renameSync(process.argv[1] + '.part', process.argv[1])
    setInterval(() => {}, 1000)`
  const stage = runStage(['--input-type=module', '-e', program, markerPath], options(600_000))
  await expect.poll(() => existsSync(markerPath)).toBe(true)
  const started: number[] = JSON.parse(readFileSync(markerPath, 'utf8'))
  expect(started.map(isAlive)).toEqual([true, true])
  stage.end()
  expect(await stage.ended).toBeNull()
  expect(started.map(isAlive)).toEqual([false, false])
})

test('a stage is ended when it takes too long, and finishes when it does not', async () => {
  let timeoutCount = 0
  const count = () => {
    timeoutCount += 1
  }
  expect(await runStage(['-e', 'setInterval(() => {}, 1000)'], options(1, count)).ended).toBeNull()
  expect(await runStage(['-e', 'process.exit(3)'], options(600_000, count)).ended).toBe(3)
  expect(timeoutCount).toBe(1)
})

function options(limitMs: number, onTimeout = () => {}) {
  return { cwd: process.cwd(), env: process.env, limitMs, onTimeout }
}
