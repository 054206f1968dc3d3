import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { WEB } from '../../../scripts/web-process.mjs'
import { threadOf } from './worker-thread.ts'

type Task = 'echo' | 'fail' | 'die' | 'throw' | 'hang' | 'eat' | 'waste' | 'secrets'

// Misbehaviors of a thread, in one module.
const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { getHeapSpaceStatistics } from 'node:v8'
  import { parentPort, threadId } from 'node:worker_threads'
  const bytes = (text) => parentPort.postMessage({ bytes: new TextEncoder().encode(text) })
  parentPort.on('message', (task) => {
    if (task === 'echo') bytes('thread ' + threadId)
    if (task === 'secrets') bytes(Object.keys(process.env).filter((name) => name !== 'NODE_COMPILE_CACHE').join())
    if (task === 'fail') parentPort.postMessage({ failure: 'no such font' })
    if (task === 'die') process.exit(3)
    if (task === 'throw') throw new Error('a fault')
    if (task === 'hang') for (;;);
    const all = []
    if (task === 'waste') {
      // Some of it lives for a while: that is what makes the room for new objects grow.
      for (let n = 0; n < 3_000_000; n++) all[n % 100_000] = { n, more: [n] }
      const room = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
      bytes(String(room.space_size / 1024 / 1024))
    }
    if (task === 'eat') for (;;) all.push({ at: all.length, more: [1, 2, 3] })
  })`)}`,
)

let thread = threadOf<Task>(SCRIPT)
const resultText = async (task: Task) => new TextDecoder().decode(await thread.run(task))
const ends = () => expect.poll(thread.isRunning).toBe(false)
afterEach(() => {
  // Left to end when idle, as in the service.
  thread = threadOf<Task>(SCRIPT)
})

describe('a thread', () => {
  test('is kept for the next task, has no secrets, and ends after a while without tasks', async () => {
    thread = threadOf<Task>(SCRIPT, { longest: 60_000, idle: 300 })
    expect(thread.isRunning()).toBe(false)
    const first = await resultText('echo')
    expect(thread.isRunning()).toBe(true)
    expect(await resultText('secrets')).toBe('')
    await ends()
    expect(await resultText('echo')).not.toBe(first)
    await ends()
  })

  test("has a small young generation, regardless of the process's", async () => {
    // The limit of 8 MB, rounded up by Node; the default is 32.
    expect(Number(await resultText('waste'))).toBeLessThan(16)
  })

  test('reads the folder of the compile cache that belongs to the options at its start', () => {
    const script = `
      import { getCompileCacheDir } from 'node:module'
      import { setFlagsFromString } from 'node:v8'
      import { threadOf } from '#lib/platform/pdf/worker-thread.ts'
      for (const option of process.argv.slice(1)) setFlagsFromString(option)
      const module = \`
        import { getCompileCacheDir } from 'node:module'
        import { parentPort } from 'node:worker_threads'
        const bytes = new TextEncoder().encode(getCompileCacheDir())
        parentPort.on('message', () => parentPort.postMessage({ bytes }))\`
      const thread = threadOf(new URL('data:text/javascript,' + encodeURIComponent(module)))
      const ofThread = new TextDecoder().decode(await thread.run('which?'))
      console.log(JSON.stringify({ ofThread, ofProcess: getCompileCacheDir() }))
      process.exit()`
    const folder = mkdtempSync(join(tmpdir(), 'compile-cache-'))
    /** Returns the folders of a process and of a thread that it starts after a change of options. */
    const folders = (atStart: string[], changed: string[] = []) => {
      const node = [...WEB.options, ...atStart, '--conditions=react-server', '--input-type=module']
      const out = execFileSync(process.execPath, [...node, '-e', script, '--', ...changed], {
        encoding: 'utf8',
        env: { NODE_ENV: 'test', NODE_COMPILE_CACHE: folder },
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      return JSON.parse(out)
    }
    try {
      const ample = folders([])
      expect(ample.ofProcess).toContain(folder)
      expect(ample.ofThread).toBe(ample.ofProcess)
      const scarce = folders(WEB.scarce)
      expect(scarce.ofProcess).not.toBe(ample.ofProcess)
      expect(folders([], WEB.scarce)).toEqual({ ofProcess: ample.ofProcess, ofThread: scarce.ofProcess })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test.each([
    ['fail', 'no such font'],
    ['die', 'died'],
    ['throw', 'a fault'],
    ['eat', 'memory limit'],
  ] as const)('fails only its current task when asked to %s', async (task, error) => {
    const first = await resultText('echo')
    await expect(thread.run(task)).rejects.toThrow(error)
    expect(thread.isRunning()).toBe(false)
    expect(await resultText('echo')).not.toBe(first)
  })

  test('is terminated when a task exceeds its time', async () => {
    thread = threadOf<Task>(SCRIPT, { longest: 200, idle: 60_000 })
    await expect(thread.run('hang')).rejects.toThrow('took too long')
    expect(thread.isRunning()).toBe(false)
  })
})
