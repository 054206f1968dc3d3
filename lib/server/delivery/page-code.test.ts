import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadPageCode } from './page-code.ts'

test('the code of pages is loaded, and that of routes is not', async () => {
  const built = mkdtempSync(join(tmpdir(), 'page-code-'))
  const server = join(built, 'server')
  mkdirSync(server)
  const entries = { '/(console)/assets/page': 'assets.js', '/billing/v1/assets/route': 'route.js' }
  writeFileSync(join(server, 'app-paths-manifest.json'), JSON.stringify(entries))
  for (const file of Object.values(entries)) writeFileSync(join(server, file), 'module.exports = {}')
  await loadPageCode(built)
  const loaded = Object.keys(createRequire(import.meta.url).cache).filter((file) => file.startsWith(server))
  expect(loaded).toEqual([join(server, 'assets.js')])
  rmSync(built, { recursive: true })
})
