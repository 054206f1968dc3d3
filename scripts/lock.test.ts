import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { acquireLock } from './lock.mjs'

const module = fileURLToPath(new URL('./lock.mjs', import.meta.url))
const name = `test-${process.pid}`
const holder = (after: string) => [
  '--input-type=module',
  '--eval',
  `import { acquireLock } from ${JSON.stringify(module)}; acquireLock('${name}'); console.log('taken'); ${after}`,
]

test('a second process waits until the first one releases the lock', async () => {
  const enough = join(mkdtempSync(join(tmpdir(), 'lock-')), 'enough')
  const until = `const end = () => existsSync(${JSON.stringify(enough)}) && process.exit(); setInterval(end, 20)`
  const first = spawn(process.execPath, holder(`import { existsSync } from 'node:fs'; ${until}`))
  await new Promise((resolve) => first.stdout.once('data', resolve))
  let waited = false
  const release = acquireLock(name, {
    seconds: 60,
    waiting: () => {
      waited = true
      // The wait blocks the whole process, so only a file can signal.
      writeFileSync(enough, '')
    },
  })
  release()
  expect(waited).toBe(true)
})

test('the wait ends after a timeout, with an error that names the owner', () => {
  const release = acquireLock(name)
  try {
    expect(() => acquireLock(name, { seconds: 0.3 })).toThrow(String(process.pid))
  } finally {
    release()
  }
})

test.each([['process.exit(1)'], ["process.kill(process.pid, 'SIGKILL')"]])(
  'the lock is free after %s',
  (end) => {
    expect(spawnSync(process.execPath, holder(end), { encoding: 'utf8' }).stdout).toContain('taken')
    let waited = false
    acquireLock(name, {
      seconds: 60,
      waiting: () => {
        waited = true
      },
    })()
    expect(waited).toBe(false)
  },
)
