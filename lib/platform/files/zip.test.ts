import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { unzip } from './test-zip.ts'
import { isOverpacked, isZip, uniqueNames, withZip, type ZipEntry, type ZippedFile, zip } from './zip.ts'

describe('unzip', () => {
  const BOUNDS = { files: 10, bytes: 1_000_000 }

  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'unzip-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const packed = async (files: Record<string, string | Uint8Array>) =>
    Buffer.concat(
      await Array.fromAsync(
        zip(
          Object.entries(files).map(([name, content]) => ({
            name,
            day: '2026-09-30',
            read: async () => Buffer.from(content as string),
          })),
        ),
      ),
    )
  async function saved(bytes: Uint8Array): Promise<string> {
    const path = join(folder, `${crypto.randomUUID()}.zip`)
    await writeFile(path, bytes)
    return path
  }
  const texts = (files: ZippedFile[]) =>
    Promise.all(files.map(async (file) => [file.name, (await buffer(await file.read())).toString()]))
  const unpack = async (bytes: Uint8Array, bounds = BOUNDS) => withZip(await saved(bytes), bounds, texts)
  const rejection = (bytes: Uint8Array, bounds = BOUNDS) =>
    unpack(bytes, bounds).then(
      () => 'nothing was wrong',
      (error: Error) => error.message,
    )

  describe('an archive', () => {
    it('yields its files in order, re-readable, without hidden files of operating systems', async () => {
      const archive = await packed({
        '2026/b.csv': 'bbb',
        'a.csv': 'a',
        'é 請求書.csv': '',
        '__MACOSX/._a.csv': 'x',
        '2026/.DS_Store': 'x',
      })
      const expected = [
        ['2026/b.csv', 'bbb'],
        ['a.csv', 'a'],
        ['é 請求書.csv', ''],
      ]
      const path = await saved(archive)
      const twice = await withZip(path, BOUNDS, async (files) => [await texts(files), await texts(files)])
      expect(twice).toEqual([expected, expected])
    })

    it('is unpacked while it is read', async () => {
      const path = await saved(await packed({ 'big.csv': Buffer.alloc(50_000_000) }))
      const first = await withZip(path, { files: 1, bytes: 50_000_000 }, async ([file]) => {
        for await (const chunk of (await file?.read()) ?? []) return chunk.length
      })
      expect(first).toBeGreaterThan(0)
      expect(first).toBeLessThan(1_000_000)
    })

    it('is recognized by its first bytes', async () => {
      expect(isZip(await packed({ 'a.csv': 'a' }))).toBe(true)
      expect(isZip(await packed({}))).toBe(true)
      expect(isZip(Buffer.from('PK'))).toBe(false)
      expect(isZip(Buffer.from('%PDF-1.7'))).toBe(false)
    })
  })

  describe('refused archives', () => {
    it('of blanks would be read for hours', async () => {
      const archive = await packed({ 'blanks.csv': Buffer.alloc(80 * 1024 * 1024, ' \n') })
      const bounds = { files: 10, bytes: 2 ** 37 }
      expect(await rejection(archive, bounds)).toBe('blanks.csv consists almost only of repetitions.')
    })

    it('an archive with more files or more bytes than allowed', async () => {
      const archive = await packed({ 'a.csv': 'aaaa', 'b.csv': 'bbbb' })
      expect(await rejection(archive, { files: 1, bytes: 100 })).toBe('The archive has more than 1 files.')
      expect(await rejection(archive, { files: 2, bytes: 7 })).toMatch(
        'more than 7 bytes when it is unpacked',
      )
      expect(await rejection(archive, { files: 2, bytes: 8 })).toBe('nothing was wrong')
    })

    it('a file that is longer than the directory declares', async () => {
      const archive = await packed({ 'bomb.csv': Buffer.alloc(5_000_000) })
      const directory = archive.lastIndexOf(Buffer.from('PK\x01\x02'))
      archive.writeUInt32LE(10, directory + 24)
      expect(await rejection(archive)).toMatch(/^bomb.csv is no whole ZIP file: too many bytes/)
    })

    it('a file that does not match its checksum', async () => {
      const archive = await packed({ 'a.csv': 'a' })
      const directory = archive.lastIndexOf(Buffer.from('PK\x01\x02'))
      archive.writeUInt32LE(7, directory + 16)
      expect(await rejection(archive)).toBe('a.csv is damaged: its check sum does not fit.')
    })

    it('an encrypted file', async () => {
      const archive = await packed({ 'a.csv': 'a' })
      const directory = archive.lastIndexOf(Buffer.from('PK\x01\x02'))
      archive.writeUInt16LE(archive.readUInt16LE(directory + 8) | 1, directory + 8)
      expect(await rejection(archive)).toBe('a.csv is encrypted. Unpack the archive first.')
    })

    it.each([
      ['no archive', () => Buffer.from('a,b\n1,2\n')],
      ['half of one', async () => (await packed({ 'a.csv': 'a' })).subarray(0, 60)],
      ['an empty file', () => Buffer.alloc(0)],
      ['a name that climbs', () => packed({ '..-a.csv': 'a' }).then((zip) => renamed(zip, '..-a', '../a'))],
    ])('%s', async (_, make) => {
      expect(await rejection(await make())).toMatch(/^The file is no whole ZIP file: /)
    })

    it('a missing file is an error of the operating system, not a bad archive', async () => {
      await expect(withZip(join(folder, 'none.zip'), BOUNDS, texts)).rejects.toMatchObject({ code: 'ENOENT' })
    })
  })

  function renamed(archive: Buffer, from: string, to: string): Buffer {
    return Buffer.from(archive.toString('latin1').replaceAll(from, to), 'latin1')
  }
})

const entry = (name: string, overrides: Partial<ZipEntry> = {}): ZipEntry => ({
  name,
  day: '2026-09-30',
  read: async () => Buffer.from(`This is ${name}.`),
  ...overrides,
})
const packed = async (entries: ZipEntry[]) => Buffer.concat(await Array.fromAsync(zip(entries)))

it('contains the files in order', async () => {
  const names = ['b.pdf', 'a.pdf', '請求書 é.pdf']
  const files = unzip(await packed(names.map((name) => entry(name))))
  expect(files.map(({ name, bytes }) => [name, bytes.toString()])).toEqual(
    names.map((name) => [name, `This is ${name}.`]),
  )
})

it('makes one file at a time, and only files that are read', async () => {
  const made: number[] = []
  const entries = (made: number[]) =>
    Array.from({ length: 50 }, (_, index) =>
      entry(`${index}.pdf`, {
        read: async () => {
          made.push(index)
          return crypto.getRandomValues(new Uint8Array(60_000))
        },
      }),
    )
  /** Counts event loop turns for as long as all files of such an archive take. */
  const countTicks = async () => {
    const others: number[] = []
    await packed(entries(others))
    expect(others).toHaveLength(50)
  }
  const archive = zip(entries(made))
  let size = 0
  while (size < 100_000) size += (await archive.next()).value?.length ?? 0
  await countTicks()
  expect(made.length).toBeLessThan(6)
  await archive.return()
  await countTicks()
  expect(made.length).toBeLessThan(7)
})

it('breaks off when a file fails', async () => {
  const failing = entry('b.pdf', { read: () => Promise.reject(new Error('no paper')) })
  await expect(packed([entry('a.pdf'), failing, entry('c.pdf')])).rejects.toThrow('no paper')
})

test('the bytes are equal in every time zone', () => {
  const program = `
    import { zip } from './lib/platform/files/zip.ts'
    const read = async () => Buffer.from('x')
    const entries = [{ name: 'a', day: '2026-01-01', read }, { name: 'b', day: '2026-07-31', read }, { name: 'c', day: '1969-12-31', read }]
    process.stdout.write(Buffer.concat(await Array.fromAsync(zip(entries))).toString('hex'))`
  const inZone = (TZ: string) =>
    spawnSync(
      process.execPath,
      ['--conditions=react-server', '--no-warnings', '--input-type=module', '-e', program],
      {
        env: { NODE_ENV: 'test', TZ },
        encoding: 'utf8',
      },
    ).stdout
  const zones = ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/New_York'].map(inZone)
  expect(unzip(Buffer.from(zones[0] ?? '', 'hex'))).toHaveLength(3)
  expect(new Set(zones).size).toBe(1)
})

test('names that a file system may confuse are made unique', () => {
  expect(uniqueNames(['A-1', 'a-1', 'a-1 (2)', 'Ａ-1', 'b'], 'pdf')).toEqual([
    'A-1.pdf',
    'a-1 (2).pdf',
    'a-1 (2) (2).pdf',
    'Ａ-1 (3).pdf',
    'b.pdf',
  ])
})

test.each([
  [100_000, 100_000_000, true],
  [400_000, 100_000_000, false],
  // A small file of repetitions is read in an instant.
  [1000, 1_000_000, false],
])('%i bytes that become %i are overpacked: %s', (packed, bytes, isBomb) => {
  expect(isOverpacked(packed, bytes)).toBe(isBomb)
})
