import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

// Modules that a command line loads, measured by their list instead of time.

const NOTES_MODULES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  import { writeSync } from 'node:fs'
  const loaded = new Set()
  registerHooks({ load: (url, context, next) => { loaded.add(url); return next(url, context) } })
  process.on('exit', () => writeSync(1, '\\nLOADED ' + JSON.stringify([...loaded])))
`)}`

function modulesOf(...args: string[]): string[] {
  const program = [
    '--conditions=react-server',
    '--no-warnings',
    '--import',
    NOTES_MODULES,
    'lib/admin/main.ts',
  ]
  const out = execFileSync(process.execPath, [...program, ...args], { encoding: 'utf8' })
  return JSON.parse(out.slice(out.lastIndexOf('\nLOADED ') + '\nLOADED '.length))
}

const packagesOf = (modules: string[]) =>
  new Set(modules.flatMap((url) => /\/node_modules\/(@[^/]+\/[^/]+|[^/]+)\//.exec(url)?.[1] ?? []))

test.each([[['--help']], [['help']]])(
  '%j loads the names of the commands, without database or settings',
  (args) => {
    const modules = modulesOf(...args)
    expect([...packagesOf(modules)]).toEqual(['commander'])
    expect(modules.filter((url) => url.includes('/lib/admin/'))).not.toEqual([])
  },
)

test('A command of one group loads no other group', () => {
  const modules = modulesOf('keys', '--help')
  const named = (name: string) => modules.some((url) => url.includes(`/lib/admin/${name}`))
  expect(['keys.ts', 'imports/', 'audit/', 'notices.ts', 'customers/'].filter(named)).toEqual(['keys.ts'])
})
