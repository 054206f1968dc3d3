import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

// A zone with a misspelt pattern forbids nothing and reports nothing, so each zone gets a planted breach.
const FORBIDDEN: Record<string, string[]> = {
  'app/(console)/assets/page.tsx': [
    'drizzle-orm',
    'drizzle-orm/pg-core',
    'pg',
    '../../../lib/platform/runtime/env.ts',
  ],
  'app/billing/v1/assets/[asset_id]/route.ts': [
    '#lib/licenses/assets/store.ts',
    '#lib/licenses/license-changes/store/changes.ts',
    '#lib/platform/db/scope.ts',
  ],
  'components/assets/list.tsx': [
    '#lib/licenses/assets/operations.ts',
    '#lib/platform/api/endpoint.ts',
    '#lib/platform/runtime/env.ts',
    '../../lib/platform/runtime/env.ts',
    '#app/layout.tsx',
  ],
  'components/ui/button.tsx': [
    '#lib/licenses/assets/rules.ts',
    '#components/assets/list.tsx',
    '../assets/list.tsx',
  ],
  'lib/licenses/assets/rules.ts': ['zod', './contract.ts', 'node:fs', '#lib/billing/invoices/serialize.ts'],
}

const ALLOWED: Record<string, string[]> = {
  'app/(console)/assets/page.tsx': ['#lib/licenses/assets/operations.ts', '../frame.tsx', 'react'],
  'components/assets/list.tsx': [
    '#lib/licenses/client.ts',
    '#lib/licenses/license-lists/targets.ts',
    '#lib/platform/api/client.ts',
    '#lib/platform/values/days.ts',
    '#lib/platform/values/money.ts',
    '#lib/platform/values/numbers.ts',
    '#lib/platform/values/platforms.ts',
    '#components/ui/button.tsx',
    '#lib/identity/client.ts',
  ],
  'components/ui/button.tsx': ['./icon.tsx', 'react', '#components/ui/icon.tsx'],
  'lib/licenses/assets/rules.ts': [
    '#lib/platform/caller/rules.ts',
    '#lib/platform/values/days.ts',
    '#lib/platform/values/decimals.ts',
    '#lib/platform/values/money.ts',
  ],
}

test.each(Object.entries(FORBIDDEN))('Biome refuses every planted import in %s', (file, specifiers) => {
  expect(violations(file, specifiers)).toEqual(specifiers)
})

test.each(Object.entries(ALLOWED))('Biome allows the imports that %s needs', (file, specifiers) => {
  expect(violations(file, specifiers)).toEqual([])
})

test.each([
  ['refuses modules that import each other', '', ['env.ts', 'log.ts']],
  ['allows modules whose types refer to each other, because types vanish in the build', 'type ', []],
])('Biome %s', (_, type, expected) => {
  const folder = 'lib/platform/runtime'
  const cycle = {
    [`${folder}/log.ts`]: `import ${type}{ Env } from './env.ts'\n\nexport class Log { env?: Env }\n`,
    [`${folder}/env.ts`]: `import ${type}{ Log } from './log.ts'\n\nexport class Env { log?: Log }\n`,
  }
  const files = linted(cycle, 'suspicious/noImportCycles').map(({ file }) => file)
  expect(files.sort()).toEqual(expected.map((name) => `${folder}/${name}`))
})

/** Returns the `specifiers` that the Biome configuration refuses in a file at that path. */
function violations(file: string, specifiers: string[]): string[] {
  const text = specifiers.map((specifier) => `import '${specifier}'\n`).join('')
  return linted({ [file]: text }, 'style/noRestrictedImports').map(({ line }) => specifiers[line - 1] ?? '')
}

/** Returns the lines where a rule of the Biome configuration reports a fault, for texts by their paths. */
function linted(files: Record<string, string>, rule: string): { file: string; line: number }[] {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'licenses-invoices-lint-')))
  try {
    copyFileSync('biome.jsonc', join(folder, 'biome.jsonc'))
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    const biome = join(process.cwd(), 'node_modules/@biomejs/biome/bin/biome')
    const options = ['lint', `--only=${rule}`, '--reporter=github', '--vcs-enabled=false']
    const { stdout, status } = spawnSync(process.execPath, [biome, ...options, ...Object.keys(files)], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 20_000,
    })
    const diagnostics = [...stdout.matchAll(/title=lint\/(\w+\/\w+).*?,file=([^,]+),line=(\d+),/g)]
    // Exit code 0 means that Biome has checked the files: without it, an empty result would mean nothing.
    expect(status).toBe(diagnostics.length > 0 ? 1 : 0)
    return diagnostics.map(([, , file = '', line]) => ({ file: relative(folder, file), line: Number(line) }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
