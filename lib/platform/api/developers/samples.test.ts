import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { loadApi } from '#lib/server/api.ts'
import { readTarget } from '#lib/server/target.ts'
import { PAGES } from '../../../../app/developers/content.ts'
import { addExamples } from '../test-examples.ts'
import { exportedMarkdown, parseMarkdown } from './markdown.ts'
import { sampleText } from './samples.ts'

// Runs each example of the pages for developers in its language, as a reader would: the text of the page, the key in the
// environment, and nothing else.

type Run = { page: string; heading: string; text: string }

/** Programs that run the languages of the pages. Their absence fails the tests: an example that did not run is no example. */
const PROGRAMS = {
  sh: { file: 'example.sh', command: ['sh'], check: ['curl', '--version'] },
  ts: {
    file: 'example.ts',
    command: [process.execPath],
    check: [process.execPath, '--version'],
  },
  python: { file: 'example.py', command: ['python3'], check: ['python3', '--version'] },
} as const
type Language = keyof typeof PROGRAMS

/** Languages of blocks that are no examples of calls: answers, headers, and programs that need packages of the registry. */
const NOT_RUN = ['json', 'http', 'console', 'typescript']

let database: TestDatabase
let folder = ''
const server = createServer()

beforeEach(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  vi.stubEnv('BASE_URL', baseUrl())
  for (const name of ['VENDOR_READ_MS', 'VENDOR_WRITE_MS']) vi.stubEnv(name, '50')
  database = await testDatabase()
  vi.stubEnv('API_KEY', (await addExamples(database)).admin)
  const api = await loadApi()
  server.removeAllListeners('request')
  server.on('request', (req, res) => api(req, res, readTarget(req.url ?? '')))
  folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-samples-'))
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
  await database.close()
})

const baseUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

describe.each(Object.keys(PROGRAMS) as Language[])('the examples in %s', (language) => {
  const { check } = PROGRAMS[language]

  test(`have their program, ${check[0]}, on this machine`, () => {
    const { status } = spawnSync(check[0], check.slice(1))
    expect(
      status,
      `${check[0]} is missing: install it, because the examples cannot be tested without it`,
    ).toBe(0)
  })

  test('run as they are, and print or save an answer', async () => {
    const runs = examplesIn(language)
    expect(runs.length).toBeGreaterThan(50)
    const failures: string[] = []
    for (const each of runs) {
      const { code, output } = await run(language, each.text)
      const saved = readdirSync(folder).filter((name) => !name.startsWith('example.'))
      const isAnswered = output !== '' || saved.some((name) => readFileSync(join(folder, name)).length > 0)
      // The example that sets the key does nothing else.
      const isKey = each.text.startsWith('export API_KEY=')
      if (code !== 0 || (!isAnswered && !isKey))
        failures.push(`${each.page}, ${each.heading}: ${code} ${output}\n${each.text}`)
      for (const name of saved) rmSync(join(folder, name))
    }
    expect(failures).toEqual([])
  }, 300_000)

  test('fail with the code of the problem where the request is refused', async () => {
    const name = { sh: 'curl', ts: 'TypeScript', python: 'Python' } as const
    const request = { method: 'GET', url: `${baseUrl()}/billing/v1/assets/none`, headers: {} }
    const { code, output } = await run(language, sampleText(name[language], request))
    expect(code).not.toBe(0)
    expect(output).toMatch(language === 'python' ? /404/ : /not_found/)
  })
})

test('the pages have no block of a language that nothing runs', () => {
  const languages = PAGES.flatMap((page) => parseMarkdown(page.markdown(baseUrl()))).flatMap((block) =>
    block.kind === 'code' ? [block.language] : [],
  )
  expect([...new Set(languages)].sort()).toEqual([...Object.keys(PROGRAMS), ...NOT_RUN].sort())
})

test('the pages as Markdown have neither ids nor forms', () => {
  const texts = PAGES.map((page) => exportedMarkdown(page.markdown(baseUrl())))
  expect(texts.length).toBeGreaterThan(20)
  for (const text of texts) expect(text).not.toMatch(/\{#|^::/m)
})

/** Returns the examples of all pages in a language; those that read come before those that change something. */
function examplesIn(language: Language): Run[] {
  const runs = PAGES.flatMap((page) => {
    let heading = page.title
    return parseMarkdown(page.markdown(baseUrl())).flatMap((block): Run[] => {
      if (block.kind === 'heading' && block.level === 2) heading = block.id
      return block.kind === 'code' && block.language === language
        ? [{ page: page.title, heading, text: block.text }]
        : []
    })
  })
  const isChange = ({ text }: Run) => Number(/\b(POST|PUT|PATCH|DELETE)\b/.test(text))
  return runs.toSorted((one, other) => isChange(one) - isChange(other))
}

/** Runs a program in an empty folder. Returns its exit code, and all that it prints. */
async function run(language: Language, text: string): Promise<{ code: number; output: string }> {
  const { file, command } = PROGRAMS[language]
  writeFileSync(join(folder, file), text)
  const [program, ...options] = command
  // The server runs in this process, so it must not be blocked.
  return new Promise((resolve) => {
    execFile(program, [...options, file], { cwd: folder, timeout: 30_000 }, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0
      resolve({ code, output: `${stdout}${code === 0 ? '' : stderr}` })
    })
  })
}
