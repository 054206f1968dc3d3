import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { respond } from '#app/mcp/respond.ts'
import type { Respond } from '#lib/platform/api/endpoint.ts'
import { readBytes } from '#lib/platform/api/request.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { hasRegistry } from '../../../test/documents/clone.ts'
import { assistantsEndpoint } from './endpoint.ts'
import { suiteServer } from './test-conformance.ts'

// The protocol's conformance suite, from the registry: everything that the version requires of a server.

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'

/** Scenarios for parts of the protocol that the product does not offer, or for tools that the suite brings. */
const NOT_OFFERED = [
  ...['completion-complete', 'input-required-result-non-tool-request', 'tools-call-with-progress'],
  ...['resources-list', 'resources-read-text', 'resources-read-binary', 'resources-templates-read'],
  ...['simple', 'with-args', 'embedded-resource', 'with-image'].map((kind) => `prompts-get-${kind}`),
  'prompts-list',
  ...['prompts-list', 'resources-list', 'resources-templates-list'].map(
    (list) => `caching:sep-2549-${list}-caching-hints`,
  ),
  ...['simple-text', 'image', 'audio', 'embedded-resource', 'mixed-content', 'error'].map(
    (kind) => `tools-call-${kind}`,
  ),
  ...[
    'basic-elicitation',
    'basic-sampling',
    'basic-list-roots',
    'request-state',
    'multiple-input-requests',
  ].map((kind) => `input-required-result-${kind}`),
  ...['multi-round', 'result-type', 'tampered-state', 'capability-check'].map(
    (kind) => `input-required-result-${kind}`,
  ),
  ...[
    'server-rejects-undeclared-capability',
    'missing-capability-http-400',
    'http-server-no-independent-requests-on-stream',
    'server-no-log-without-loglevel',
  ].map((check) => `server-stateless:sep-2575-${check}`),
]

/** Scenarios that pass with a warning: they try a resource or a tool that is not there. */
const WARNED = [
  'sep-2164-resource-not-found',
  ...['missing-input-response', 'ignore-extra-params'].map((kind) => `input-required-result-${kind}`),
]

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-conformance-'))
let database: TestDatabase
let [key, url] = ['', '']
let serve: Respond = respond
const server = createServer(async (req, res) => {
  const { status, headers, body } = await serve({
    ...{ method: req.method ?? '', path: '/mcp', search: '' },
    // The suite sends no key.
    headers: {
      get: (name) => (name === 'authorization' ? `Bearer ${key}` : String(req.headers[name] ?? '') || null),
    },
    read: (limit, isAnonymous) => readBytes(req, limit, isAnonymous),
  })
  res.writeHead(status, headers).end(body)
})
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('own')
  key = await addKey('own', ['admin'])
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  vi.stubEnv('BASE_URL', url)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  server.close()
  rmSync(folder, { recursive: true })
  await database.close()
})

const hasSuite = hasRegistry()
if (!hasSuite) process.stderr.write(`Skipped: the registry, which ${SUITE} comes from, does not answer.\n`)
beforeEach(({ skip }) => skip(!hasSuite))

/** Runs the suite: its exit code is 0 where exactly the expected scenarios fail or warn. */
async function run(expected: readonly string[]) {
  const file = join(folder, 'expected.yml')
  writeFileSync(file, `server: ${JSON.stringify(expected)}\n`)
  const args = ['server', '--url', `${url}/mcp`, '--requirements', '2026-07-28']
  const child = execFile('npx', ['--yes', SUITE, ...args, '--expected-failures', file], { cwd: folder })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => {
      out += text
    })
  const [code] = await once(child, 'close')
  return { code, out }
}

test('everything passes that does not need a part of the protocol that is not offered', async () => {
  serve = respond
  const { code, out } = await run([...NOT_OFFERED, ...WARNED])
  expect(code, out).toBe(0)
})

test('everything passes where the suite’s tools, prompts and resources are served by the endpoint', async () => {
  serve = assistantsEndpoint(suiteServer)
  const { code, out } = await run([])
  expect(code, out).toBe(0)
})
