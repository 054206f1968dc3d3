import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { readText } from './read-text.ts'

const folder = mkdtempSync(join(tmpdir(), 'licenses-invoices-read-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function read(name: string, content: Uint8Array | string): Promise<string> {
  const file = join(folder, name)
  writeFileSync(file, content)
  return textOf(file)
}

async function textOf(file: string): Promise<string> {
  let text = ''
  for await (const chunk of readText(file)) text += chunk
  return text
}

const long = 'línea €\n'.repeat(200_000)

describe('readText', () => {
  test.each([
    ['plain', 'a.csv', Buffer.from(long)],
    ['gzipped', 'a.csv.gz', gzipSync(long)],
    ['gzipped under another name', 'a.txt', gzipSync(long)],
    [
      'in two gzip members',
      'b.gz',
      Buffer.concat([gzipSync(long.slice(0, 77_777)), gzipSync(long.slice(77_777))]),
    ],
  ])('reads a file that is %s', async (_what, name, content) => {
    expect((await read(name, content)) === long).toBe(true)
  })

  test('drops a byte order mark', async () => {
    expect(await read('bom.csv', '\ufeffa,b\n')).toBe('a,b\n')
  })

  test.each([
    ['empty.csv', '', 'empty'],
    ['book.xlsx', 'PK\u0003\u0004....', 'ZIP archive'],
    ['data.parquet', 'PAR1....', 'Parquet'],
    ['wide.csv', Buffer.from('\ufeffabc', 'utf16le'), 'UTF-16'],
    ['cut.gz', gzipSync(long).subarray(0, 500), 'damaged'],
    ['broken.gz', Buffer.concat([gzipSync(long).subarray(0, 30), Buffer.alloc(100, 7)]), 'damaged'],
  ])('refuses %s', async (name, content, reason) => {
    await expect(read(name, content)).rejects.toMatchObject({
      name: 'ImportRefused',
      message: expect.stringContaining(reason),
    })
  })

  test.each([
    ['in the middle', Buffer.concat([Buffer.from('a\nb\nc'), Buffer.from([0xe9]), Buffer.from('d\n')]), 3],
    ['cut off at the end', Buffer.concat([Buffer.from('a\n'), Buffer.from([0xe2, 0x82])]), 2],
    [
      'far on',
      Buffer.concat([Buffer.from('ä\n'.repeat(500_000)), Buffer.from([0xff]), Buffer.from('\nb\n')]),
      500_001,
    ],
  ])('reports the line of invalid UTF-8, %s', async (_where, content, line) => {
    await expect(read('latin.csv', content)).rejects.toMatchObject({
      problems: [{ line, reason: 'is not UTF-8 text' }],
    })
  })

  test('refuses a missing file or a folder', async () => {
    await expect(textOf(join(folder, 'none.csv'))).rejects.toThrow('no such file')
    await expect(textOf(folder)).rejects.toThrow('is a folder')
  })

  test('refuses gzip of blanks, which would be read for hours', async () => {
    const file = join(folder, 'blanks.gz')
    writeFileSync(file, gzipSync(Buffer.alloc(80 * 1024 * 1024, '\n')))
    const read = async () => {
      for await (const _ of readText(file));
    }
    await expect(read()).rejects.toThrow('blanks.gz consists almost only of repetitions')
  })

  test('unpacks only the requested part', async () => {
    // 200 MB of zeros in 200 kB: a reader that stops early pays for a few chunks only.
    const file = join(folder, 'bomb.gz')
    writeFileSync(file, gzipSync(Buffer.alloc(200 * 1024 * 1024)))
    let seen = 0
    for await (const chunk of readText(file)) {
      seen += chunk.length
      if (seen > 1024 * 1024) break
    }
    expect(seen).toBeLessThan(3 * 1024 * 1024)
  })
})
