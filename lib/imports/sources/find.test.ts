import { execFileSync } from 'node:child_process'
import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { zip } from '#lib/platform/files/zip.ts'
import { fileRecords } from './digests.ts'
import { withSources } from './find.ts'
import { textOf } from './read-text.ts'

const root = mkdtempSync(join(tmpdir(), 'licenses-invoices-find-'))
afterAll(() => rmSync(root, { recursive: true }))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'))
})

type Files = Record<string, string | Uint8Array>

function write(files: Files, into = folder) {
  mkdirSync(into, { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(join(into, name), content)
}

async function packed(files: Files): Promise<Uint8Array> {
  const entries = Object.entries(files).map(([name, content]) => {
    return { name, day: '2026-09-30', read: async () => Buffer.from(content) }
  })
  return Buffer.concat(await Array.fromAsync(zip(entries)))
}

/** Returns the sources at these paths with their texts, and the skipped names. */
const find = (...paths: string[]) =>
  withSources(paths, { folder }, async ({ sources, leftOut }) => {
    const records = await fileRecords(sources)
    const texts = await Promise.all(
      sources.map(async (source) => (await Array.fromAsync(textOf(source))).join('')),
    )
    return { texts: Object.fromEntries(sources.map(({ name }, at) => [name, texts[at]])), leftOut, records }
  })

describe('withSources', () => {
  test('returns files in argument order, and those of a folder by name', async () => {
    write({ 'b.csv': 'b', 'a.txt': 'a' })
    write(
      { '2.csv': 'two', '10.ndjson': 'ten', '1.csv.gz': gzipSync('one'), 'note.md': 'n' },
      join(folder, 'in'),
    )
    write({ '.hidden.csv': 'h', 'deep.csv': 'd' }, join(folder, 'in', 'more'))
    const { texts, leftOut } = await find('b.csv', 'in', 'a.txt')
    expect(Object.entries(texts)).toEqual([
      ['b.csv', 'b'],
      ['in/1.csv.gz', 'one'],
      ['in/10.ndjson', 'ten'],
      ['in/2.csv', 'two'],
      ['a.txt', 'a'],
    ])
    expect(leftOut).toEqual(['in/more/', 'in/note.md'])
  })

  test('takes the files of an archive, also gzipped ones, and of an archive in a folder', async () => {
    const files = { 'x/2.csv': 'two', '1.csv.gz': gzipSync('one'), 'readme.txt': 'r' }
    write({ 'all.zip': await packed(files) }, join(folder, 'in'))
    const { texts, leftOut } = await find('in')
    expect(Object.entries(texts)).toEqual([
      ['in/all.zip/1.csv.gz', 'one'],
      ['in/all.zip/x/2.csv', 'two'],
    ])
    expect(leftOut).toEqual(['in/all.zip/readme.txt'])
  })

  test('returns size and digest of each file as received', async () => {
    write({ 'a.csv': 'abc' })
    expect((await find('a.csv')).records).toEqual([
      { name: 'a.csv', bytes: 3, sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
    ])
  })

  test('spools sources that can be read only once, and removes the spool', async () => {
    const aside = join(folder, 'tmp')
    mkdirSync(aside)
    vi.stubEnv('TMPDIR', aside)
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const writing = createWriteStream(pipe)
    writing.end('a,b\n')
    expect((await find('pipe')).texts).toEqual({ pipe: 'a,b\n' })
    expect(readdirSync(aside)).toEqual([])
    vi.unstubAllEnvs()
  })

  test.each<[string, string[], string]>([
    ['is not there', ['a.csv', 'none.csv'], 'none.csv: there is no such file'],
    ['is a folder without any', ['empty'], 'empty is a folder without any'],
    ['is empty', ['a.csv', 'nothing.csv'], 'nothing.csv is empty'],
    ['is no archive but begins as one', ['cut.zip'], 'cut.zip: '],
    ['is a workbook', ['book.xlsx'], 'book.xlsx is a ZIP archive (or a workbook) without any'],
    ['is damaged inside an archive', ['bad.zip'], 'bad.zip/1.csv.gz is a damaged gzip file'],
    [
      'is an archive in an archive',
      ['nested.zip'],
      'nested.zip is a ZIP archive (or a workbook) without any',
    ],
    ['comes twice', ['a.csv', 'b.csv', 'a.csv'], 'a.csv and a.csv have the same content'],
    ['comes under two names', ['a.csv', 'b.csv', 'same.csv'], 'a.csv and same.csv have the same content'],
    ['comes packed and not', ['a.csv', 'a.csv.gz'], 'a.csv and a.csv.gz have the same content'],
    ['comes in an archive, too', ['a.zip', 'a.csv'], 'a.zip/a.csv and a.csv have the same content'],
  ])('refuses a path that %s', async (_what, paths, reason) => {
    const whole = await packed({ 'a.csv': 'a' })
    write({ 'a.csv': 'a', 'b.csv': 'b', 'same.csv': 'a', 'a.csv.gz': gzipSync('a'), 'nothing.csv': '' })
    write({ 'a.zip': whole, 'cut.zip': whole.subarray(0, 60) })
    write({
      'book.xlsx': await packed({ 'xl/workbook.xml': 'x' }),
      'nested.zip': await packed({ 'a.zip': whole }),
    })
    write({ 'bad.zip': await packed({ '1.csv.gz': gzipSync('some text').subarray(0, 15) }) })
    mkdirSync(join(folder, 'empty'))
    await expect(find(...paths)).rejects.toMatchObject({
      name: 'ImportRefused',
      message: expect.stringContaining(reason),
    })
  })

  test('stops on its signal', async () => {
    write({ 'a.csv': 'a' })
    const signal = AbortSignal.abort(new Error('Interrupted'))
    const stopped = withSources(['a.csv'], { folder, signal }, ({ sources }) =>
      fileRecords(sources, undefined, signal),
    )
    await expect(stopped).rejects.toThrow()
  })
})
