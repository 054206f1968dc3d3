import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { WEB } from './web-process.mjs'

test('`npm start` runs Node with all options of a web process; a Node without one of them would not start', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const [node, setup, ...startArgs] = scripts.start.split(' ')
  expect([node, startArgs.at(-1)]).toEqual(['node', 'lib/server/start.ts'])
  const folder = mkdtempSync(join(tmpdir(), 'web-process-'))
  const modulePath = join(folder, 'told.mjs')
  writeFileSync(modulePath, 'console.log(JSON.stringify({ options: process.execArgv, env: process.env }))')
  const args = [setup, '--no-env-file', ...startArgs.slice(0, -1), modulePath]
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !(name in WEB.env)))
  const out = execFileSync(process.execPath, args, { encoding: 'utf8', env: env as NodeJS.ProcessEnv })
  const { options, env: got } = JSON.parse(out)
  expect(options).toEqual(expect.arrayContaining(WEB.options))
  expect(got).toMatchObject(WEB.env)
  rmSync(folder, { recursive: true })
})

test('the image runs a web process with the same options', () => {
  const dockerfile = readFileSync('Dockerfile', 'utf8')
  const { NODE_COMPILE_CACHE: _, ...env } = WEB.env
  const expected = [
    ...WEB.options.map((option) => `"${option}"`),
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
  ]
  expect(expected.filter((text) => !dockerfile.includes(text))).toEqual([])
})

test('a web process starts without what draws PDFs, which takes memory that most processes never need', () => {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = new Set()
    registerHooks({
      load(url, context, next) {
        loaded.add(/node_modules\\/([^/]+)/.exec(url)?.[1])
        return next(url, context)
      },
    })
    const { loadApi } = await import('#lib/server/api.ts')
    await import('#lib/server/application.ts')
    await loadApi()
    console.log(JSON.stringify([...loaded]))
    process.exit()`
  const args = ['--conditions=react-server', '--input-type=module', '-e', script]
  const out = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const packages = JSON.parse(out)
  expect(packages).toContain('zod')
  for (const name of ['pdfkit', 'fontkit', 'brotli']) expect(packages).not.toContain(name)
}, 60_000)
