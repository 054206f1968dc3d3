import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

// A zone whose pattern is misspelt forbids nothing and says nothing: so each gets a breach planted.
const REFUSED: Record<string, string[]> = {
  'app/(console)/assets/page.tsx': ['drizzle-orm', 'drizzle-orm/pg-core', 'pg', '../../../lib/env.ts'],
  'app/billing/v1/assets/[asset_id]/route.ts': [
    '#lib/assets/store.ts',
    '#lib/license-changes/store/find.ts',
    '#lib/db/scope.ts',
  ],
  'components/assets/list.tsx': [
    '#lib/assets/operations.ts',
    '#lib/api/endpoint.ts',
    '#lib/env.ts',
    '../../lib/env.ts',
    '#app/layout.tsx',
  ],
  'components/ui/button.tsx': ['#lib/assets/rules.ts', '#components/assets/list.tsx', '../assets/list.tsx'],
  'lib/api/endpoint.ts': ['#lib/assets/contract.ts', '../invoices/rules.ts'],
  'lib/assets/store.ts': ['#lib/invoices/store.ts', '../invoices/rules.ts', '#app/page.tsx'],
  'lib/invoices/operations.ts': ['#lib/assets/rules.ts', '#components/ui/button.tsx'],
  'lib/assets/rules.ts': ['zod', './contract.ts', 'node:fs', '#lib/invoices/rules.ts'],
}

const ALLOWED: Record<string, string[]> = {
  'app/(console)/assets/page.tsx': ['#lib/assets/operations.ts', '../frame.tsx', 'react'],
  'components/assets/list.tsx': [
    '#lib/assets/queries.ts',
    '#lib/license-lists/targets.ts',
    '#lib/api/client.ts',
    '#components/ui/button.tsx',
  ],
  'components/ui/button.tsx': ['./icon.tsx', 'react', '#components/ui/icon.tsx'],
  'lib/api/endpoint.ts': ['#lib/access/authenticate.ts', './problem.ts'],
  'lib/assets/store.ts': ['#lib/db/schema.ts', '#lib/access/rules.ts', './rules.ts', 'drizzle-orm'],
  'lib/assets/rules.ts': ['#lib/access/rules.ts'],
}

test.each(Object.entries(REFUSED))('Biome refuses every planted import in %s', (file, specifiers) => {
  expect(refused(file, specifiers)).toEqual(specifiers)
})

test.each(Object.entries(ALLOWED))('Biome allows what %s needs', (file, specifiers) => {
  expect(refused(file, specifiers)).toEqual([])
})

/** Those of `specifiers` that our Biome configuration refuses in a file at that path. */
function refused(file: string, specifiers: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-lint-'))
  try {
    copyFileSync('biome.jsonc', join(folder, 'biome.jsonc'))
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    writeFileSync(join(folder, file), specifiers.map((specifier) => `import '${specifier}'\n`).join(''))
    const biome = join(process.cwd(), 'node_modules/@biomejs/biome/bin/biome')
    const options = ['lint', '--only=style/noRestrictedImports', '--reporter=github', '--vcs-enabled=false']
    const { stdout, status } = spawnSync(process.execPath, [biome, ...options, file], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 20_000,
    })
    const lines = [...stdout.matchAll(/title=lint\/style\/noRestrictedImports.*?,line=(\d+),/g)]
    // 0 says that Biome has looked at the file: without it, nothing refused would mean nothing.
    expect(status).toBe(lines.length > 0 ? 1 : 0)
    return lines.map(([, line]) => specifiers[Number(line) - 1] ?? '')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
