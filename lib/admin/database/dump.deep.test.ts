import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFile,
  chmod,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startEmbedded } from '#lib/platform/db/embedded.ts'
import { commandLine } from '../test-command.ts'
import { runHere } from '../test-run.ts'

// A dump during writes contains all data in another folder: rows, history, and values sealed by secrets.

const NODE = ['--conditions=react-server', '--no-warnings', '--input-type=module', '-e']
const module = (path: string) => JSON.stringify(new URL(`../../${path}`, import.meta.url).href)

let root: string
const at = (name: string) => join(root, name)
const { start } = commandLine(() => '', tmpdir())
/** Runs a command on the data in a folder as a separate process, with the folder's own secrets only. */
const separate = (folder: string, args: string, more: string[]) =>
  start(args, more, `DATA_DIR=${at(folder)}`).ended
/** Runs a command on the data in a folder. */
const admin = (folder: string, args: string, more: string[]) => {
  vi.stubEnv('DATABASE_URL', '')
  vi.stubEnv('DATA_DIR', at(folder))
  return runHere([...args.split(' '), ...more])
}

function begin(folder: string, text: string, more: string[] = []) {
  const settings = ['DATABASE_URL=', `DATA_DIR=${at(folder)}`, `TOTALS=${at('totals.csv')}`, ...more]
  return spawn('env', [...settings, process.execPath, ...NODE, PREAMBLE + text], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs a program on the data in a folder. @returns its output by lines */
async function program(folder: string, text: string, more?: string[]): Promise<string[]> {
  const child = begin(folder, text, more)
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(err)
  return out.trim().split('\n')
}

// A command disconnects from the database at its end, for its whole process.
const PREAMBLE = `
  import pg from 'pg'
  import { startDatabase } from ${module('platform/db/start.ts')}
  import { addAsset, addCustomer, addInvoice } from ${module('platform/db/test-rows.ts')}
  import { hashPassword } from ${module('identity/access/passwords/hash.ts')}
  import * as person from ${module('identity/access/factors/test-person.ts')}
  import { runCommand } from ${module('admin/program.ts')}
  const EMAIL = 'ana@alder.example'
  const { url } = await startDatabase()
  const count = async (table) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query('SELECT count(*)::int AS it FROM ' + table)
    await client.end()
    return rows[0].it
  }
  const tell = (what) => process.stdout.write(JSON.stringify(what) + '\\n')
`
const FILL = `
  await addCustomer('alder')
  await person.join('alder', EMAIL, { passwordHash: await hashPassword(person.PASSWORD) })
  const secret = await person.addApp(person.sidOf(await person.enter(EMAIL)))
  await addAsset('alder', 'workspace-suite-1', { purchased: 1 })
  for (let n = 0; n < 50; n++) await addInvoice('alder', 'I-' + n)
  const code = await runCommand(['licenses', 'apply', '--yes', '--customer', 'alder', process.env.TOTALS])
  tell({ secret, code })`
/** Adds invoices endlessly, and prints each committed one. */
const WRITE = `
  for (let n = 50; ; n++) {
    await addInvoice('alder', 'I-' + n)
    tell(n)
  }`
const PROBE = (secret: string) => `
  const sid = await person.enterWith(EMAIL, person.codeOf('${secret}', 1))
  const { name } = await person.callerOf(sid)
  const [invoices, lines, changes] = [await count('invoices'), await count('line_items'), await count('license_changes')]
  const codes = [await runCommand(['audit', 'verify']), await runCommand(['sums', 'verify'])]
  tell({ name, invoices, lines, changes, codes })`

/** Timeout in milliseconds: many programs are started, each of which starts a server. */
const TIMEOUT_MS = 300_000

let secret: string
beforeAll(async () => {
  // Of the programs that are started here.
  for (const name of ['SESSION_SECRET', 'DATABASE_SECRET']) vi.stubEnv(name, '')
  root = await mkdtemp(join(tmpdir(), 'dump-'))
  await chmod(root, 0o755)
  await appendFile(at('totals.csv'), 'asset,quantity\nworkspace-suite-1,7\n')
  const { secret: made, code } = JSON.parse((await program('first', FILL)).at(-1) ?? '')
  expect(code).toBe(0)
  secret = made
}, TIMEOUT_MS)
afterAll(() => rm(root, { recursive: true, force: true }))

test(
  'A dump taken during writes is complete in another folder, whose server the console uses by DATABASE_URL and both secrets',
  async () => {
    const writer = begin('first', WRITE)
    let written = 0
    writer.stdout.on('data', (chunk) => {
      written = Number(String(chunk).trim().split('\n').at(-1))
    })
    try {
      await expect.poll(() => written).toBeGreaterThan(60)
      const before = written
      const dumped = await separate('first', 'database dump', [at('dumps/one.tar.gz')])
      expect(dumped).toMatchObject({ code: 0, out: expect.stringMatching(/database-secret, session-secret/) })
      expect((await stat(at('dumps/one.tar.gz'))).mode & 0o777).toBe(0o600)
      expect((await admin('first', 'database dump', [at('dumps/one.tar.gz')])).err).toContain(
        'a file already',
      )
      const after = written
      expect(after).toBeGreaterThan(before)

      const restored = await separate('second', 'database restore', [at('dumps/one.tar.gz')])
      expect(restored).toMatchObject({ code: 0, out: expect.stringContaining(': 1 customer.') })
      const secretOf = (folder: string, name: string) => readFile(join(at(folder), `${name}-secret`), 'utf8')
      const secrets: string[] = []
      for (const name of ['session', 'database']) {
        const text = await secretOf('second', name)
        expect(text).toBe(await secretOf('first', name))
        secrets.push(`${name.toUpperCase()}_SECRET=${text}`)
      }
      const server = await startEmbedded(at('second'))
      try {
        const output = await program('elsewhere', PROBE(secret), [`DATABASE_URL=${server.url}`, ...secrets])
        expect(output).toContainEqual(expect.stringMatching(/^alder: verified/))
        const { invoices, ...others } = JSON.parse(output.at(-1) ?? '')
        expect(others).toEqual({ name: 'Ana at alder', lines: invoices, changes: 1, codes: [0, 0] })
        expect(invoices).toBeGreaterThan(before)
        expect(invoices).toBeLessThanOrEqual(after + 2)
      } finally {
        await server.release()
      }
      // With the restored secrets of its folder.
      expect(await separate('second', 'audit verify', [])).toMatchObject({ code: 0 })
      // Nothing of the data is here.
      expect(await readdir(at('elsewhere')).catch(() => [])).not.toContain('postgres')
    } finally {
      writer.kill('SIGKILL')
      await once(writer, 'close')
    }
  },
  TIMEOUT_MS,
)

test('An existing database is not overwritten by default, and moved aside on request', async () => {
  const result = await admin('second', 'database restore', [at('dumps/one.tar.gz')])
  expect(result).toMatchObject({ code: 1, err: expect.stringContaining('holds data (postgres, ') })
  const sessionSecret = await readFile(join(at('second'), 'session-secret'), 'utf8')
  await writeFile(join(at('second'), 'session-secret'), `${sessionSecret} of before`)
  const restored = await admin('second', 'database restore --replace', [at('dumps/one.tar.gz')])
  expect(restored).toMatchObject({ code: 0 })
  expect(await readFile(join(at('second'), 'session-secret'), 'utf8')).toBe(sessionSecret)
  const [aside = ''] = /\S+session-secret\.replaced-\w+/.exec(restored.err) ?? []
  expect(await readFile(aside, 'utf8')).toBe(`${sessionSecret} of before`)
})

test('A truncated or foreign file changes nothing', async () => {
  const { size } = await stat(at('dumps/one.tar.gz'))
  await truncate(at('dumps/one.tar.gz'), size - 100)
  for (const [file, reason] of [
    ['dumps/one.tar.gz', 'is not a whole dump'],
    ['totals.csv', 'is not a whole dump'],
  ] as const) {
    const result = await admin('third', 'database restore', [at(file)])
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining(reason) })
    expect(await readdir(at('third'))).toEqual([])
  }
})
