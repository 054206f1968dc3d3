import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyFolder, serverOf } from '#lib/platform/db/embedded/test-cluster.ts'
import packageJson from '../../package.json' with { type: 'json' }

test('a signal to the process of `npm run dev` stops its embedded server', async () => {
  const root = await emptyFolder()
  const dataDir = join(root, 'data')
  // Next hands the signal to its server process, and waits for its end.
  const settings = packageJson.scripts.dev.split(' ').filter((word) => /^NEXT_\w+=/.test(word))
  expect(settings).toContain('NEXT_EXIT_TIMEOUT_MS=90000')
  const program = `
    const { register } = await import('./instrumentation.ts')
    await register()
    // Next's server keeps the process running.
    setInterval(() => {}, 60_000)
    console.log('ready')`
  const options = ['--conditions=react-server', '--no-warnings', '--input-type=module', '--eval', program]
  const child = spawn(process.execPath, options, {
    env: {
      ...{ PATH: '/usr/bin:/bin', NODE_ENV: 'development', NEXT_RUNTIME: 'nodejs', DATA_DIR: dataDir },
      ...Object.fromEntries(settings.map((setting) => setting.split('='))),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  await Promise.race([once(child.stdout, 'data'), ended])
  expect(await serverOf(dataDir)).toBeDefined()
  child.kill('SIGINT')
  expect(await ended).toEqual([0, null])
  expect(await serverOf(dataDir)).toBeUndefined()
  await rm(root, { recursive: true, force: true })
}, 60_000)
