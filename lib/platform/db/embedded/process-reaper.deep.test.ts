import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isAlive } from './server.ts'
import { emptyFolder, serverOf } from './test-cluster.ts'

const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)

/** Process that ignores SIGTERM, with a child that ignores SIGTERM, too. */
const STUBBORN = `
  import { spawn } from 'node:child_process'
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1000)
  const [, which, program] = process.argv
  if (which === 'first') {
    const args = ['--input-type=module', '-e', program, 'second']
    const second = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    second.stdout.once('data', () => console.log(JSON.stringify([process.pid, second.pid])))
  } else console.log('ready')`

test('a killed process takes its process groups, PostgreSQL servers and folders with it', async () => {
  const root = await emptyFolder()
  const program = `
    import { spawn } from 'node:child_process'
    import { startEmbedded } from ${module('../embedded.ts')}
    import { startProcessReaper } from ${module('./test-process-reaper.ts')}
    const reaper = startProcessReaper(200)
    reaper.removeFolder(${JSON.stringify(root)})
    await startEmbedded(${JSON.stringify(join(root, 'data'))})
    const stubborn = ${JSON.stringify(STUBBORN)}
    const args = ['--input-type=module', '-e', stubborn, 'first', stubborn]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true })
    reaper.endGroup(child.pid)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = await once(owner.stdout, 'data')
  const started = [...JSON.parse(String(output)), await serverOf(join(root, 'data'))]
  expect(started.map((pid) => isAlive(pid))).toEqual([true, true, true])
  owner.kill('SIGKILL')
  await expect.poll(() => started.filter((pid) => isAlive(pid))).toEqual([])
  await expect.poll(() => existsSync(root)).toBe(false)
})
