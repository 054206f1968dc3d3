import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
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

/** Runs files in order, each in its folder, and prints exit code and output of each, as a line of JSON. */
const TS_RUNNER = `
  import { readFileSync, writeFileSync } from 'node:fs'
  import { stripTypeScriptTypes } from 'node:module'
  import { dirname } from 'node:path'
  import { pathToFileURL } from 'node:url'
  const print = process.stdout.write.bind(process.stdout)
  for (const file of process.argv.slice(2)) {
    process.chdir(dirname(file))
    const script = file.replace(/mts$/, 'mjs')
    writeFileSync(script, stripTypeScriptTypes(readFileSync(file, 'utf8')))
    let [code, output] = [0, '']
    process.stdout.write = (text) => Boolean((output += text))
    try {
      await import(pathToFileURL(script))
    } catch (error) {
      code = 1
      output += error.stack
    }
    print(JSON.stringify({ code, output }) + '\\n')
  }`
const PYTHON_RUNNER = `
import contextlib, io, json, os, runpy, sys, traceback
for file in sys.argv[1:]:
    os.chdir(os.path.dirname(file))
    out, err = [io.TextIOWrapper(io.BytesIO(), 'utf-8', write_through=True) for _ in range(2)]
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            runpy.run_path(file, run_name='__main__')
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except BaseException:
            traceback.print_exc()
            code = 1
    texts = [part.buffer.getvalue().decode() for part in (out, err)]
    print(json.dumps({'code': code, 'output': texts[0] + ('' if code == 0 else texts[1])}))
`

/**
 * Programs that run the languages of the pages. Their absence fails the tests: an example that did not run is no
 * example. Most of the time of an interpreter is its start, so a runner runs all examples of its language.
 */
const PROGRAMS = {
  sh: { file: 'example.sh', command: ['sh'], check: ['curl', '--version'] },
  ts: {
    file: 'example.mts',
    command: [process.execPath],
    check: [process.execPath, '--version'],
    runner: { file: 'runner.mjs', text: TS_RUNNER },
  },
  python: {
    file: 'example.py',
    command: ['python3'],
    check: ['python3', '--version'],
    runner: { file: 'runner.py', text: PYTHON_RUNNER },
  },
} as const
type Language = keyof typeof PROGRAMS
type Ended = { code: number; output: string }

/** Address of the console where no call is made. */
const ANY_URL = 'https://console.example'

/** Languages of blocks that are no examples of calls: answers, headers, and programs that need packages of the registry. */
const NOT_RUN = ['json', 'http', 'console', 'typescript']

let database: TestDatabase
let folder = ''
const server = createServer()

async function open(): Promise<void> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  vi.stubEnv('BASE_URL', baseUrl())
  for (const name of ['VENDOR_READ_MS', 'VENDOR_WRITE_MS']) vi.stubEnv(name, '50')
  database = await testDatabase()
  vi.stubEnv('API_KEY', (await addExamples(database)).admin)
  const api = await loadApi()
  server.removeAllListeners('request')
  server.on('request', (req, res) => api(req, res, readTarget(req.url ?? '')))
  folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-samples-'))
}
async function close(): Promise<void> {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
  await database.close()
}

const baseUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

describe.each(Object.keys(PROGRAMS) as Language[])('the examples in %s', (language) => {
  const { check } = PROGRAMS[language]
  beforeAll(open)
  afterAll(close)

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
    for (const [index, { code, output }] of (await runAll(language, runs)).entries()) {
      const { page, heading, text } = runs[index] as Run
      const saved = readdirSync(folderOf(index)).filter((name) => !name.startsWith('example.'))
      const isAnswered =
        output !== '' || saved.some((name) => readFileSync(join(folderOf(index), name)).length > 0)
      // The example that sets the key does nothing else.
      const isKey = text.startsWith('export API_KEY=')
      if (code !== 0 || (!isAnswered && !isKey))
        failures.push(`${page}, ${heading}: ${code} ${output}\n${text}`)
    }
    expect(failures).toEqual([])
  }, 300_000)

  test('fail with the code of the problem where the request is refused', async () => {
    const name = { sh: 'curl', ts: 'TypeScript', python: 'Python' } as const
    const request = { method: 'GET', url: `${baseUrl()}/billing/v1/assets/none`, headers: {} }
    const text = sampleText(name[language], request)
    const { code, output } = await run(language, writeExample(language, text, 'refused'))
    expect(code).not.toBe(0)
    expect(output).toMatch(language === 'python' ? /404/ : /not_found/)
  })
})

test('the pages have no block of a language that nothing runs', () => {
  const languages = PAGES.flatMap((page) => parseMarkdown(page.markdown(ANY_URL))).flatMap((block) =>
    block.kind === 'code' ? [block.language] : [],
  )
  expect([...new Set(languages)].sort()).toEqual([...Object.keys(PROGRAMS), ...NOT_RUN].sort())
})

test('the pages as Markdown have neither ids nor forms', () => {
  const texts = PAGES.map((page) => exportedMarkdown(page.markdown(ANY_URL)))
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

const folderOf = (name: string | number) => join(folder, String(name))

/** Writes an example into a folder without other files, and returns its path. */
function writeExample(language: Language, text: string, name: string | number): string {
  mkdirSync(folderOf(name))
  const path = join(folderOf(name), PROGRAMS[language].file)
  writeFileSync(path, text)
  return path
}

/** Runs examples in order, each in an empty folder. */
async function runAll(language: Language, runs: readonly Run[]): Promise<Ended[]> {
  const files = runs.map(({ text }, index) => writeExample(language, text, index))
  const program = PROGRAMS[language]
  if (!('runner' in program)) {
    const ended: Ended[] = []
    for (const file of files) ended.push(await run(language, file))
    return ended
  }
  const { runner } = program
  writeFileSync(join(folder, runner.file), runner.text)
  const { code, output } = await run(language, join(folder, runner.file), files)
  expect([code, output.trim().split('\n').length], output.slice(-2000)).toEqual([0, files.length])
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Runs a program in its folder. Returns its exit code, and all that it prints. */
async function run(language: Language, path: string, args: readonly string[] = []): Promise<Ended> {
  const [program, ...options] = PROGRAMS[language].command
  // The server runs in this process, so it must not be blocked.
  return new Promise((resolve) => {
    const inFolder = { cwd: dirname(path), timeout: 240_000, maxBuffer: 2 ** 26 }
    execFile(program, [...options, path, ...args], inFolder, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0
      resolve({ code, output: `${stdout}${code === 0 ? '' : stderr}` })
    })
  })
}
