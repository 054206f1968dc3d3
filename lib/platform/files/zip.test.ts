import { spawnSync } from 'node:child_process'
import { expect, it, test } from 'vitest'
import { unzip } from './test-zip.ts'
import { uniqueNames, type ZipEntry, zip } from './zip.ts'

const entry = (name: string, given: Partial<ZipEntry> = {}): ZipEntry => ({
  name,
  day: '2026-09-30',
  read: async () => Buffer.from(`This is ${name}.`),
  ...given,
})
const packed = async (entries: ZipEntry[]) => Buffer.concat(await Array.fromAsync(zip(entries)))

it('holds the files in their order', async () => {
  const names = ['b.pdf', 'a.pdf', '請求書 é.pdf']
  const files = unzip(await packed(names.map((name) => entry(name))))
  expect(files.map(({ name, bytes }) => [name, bytes.toString()])).toEqual(
    names.map((name) => [name, `This is ${name}.`]),
  )
})

it('makes one file at a time, and none that nobody takes', async () => {
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
  /** As long as it takes to make all files of such an archive. */
  const meanwhile = async () => {
    const others: number[] = []
    await packed(entries(others))
    expect(others).toHaveLength(50)
  }
  const archive = zip(entries(made))
  let size = 0
  while (size < 100_000) size += (await archive.next()).value?.length ?? 0
  await meanwhile()
  expect(made.length).toBeLessThan(6)
  await archive.return()
  await meanwhile()
  expect(made.length).toBeLessThan(7)
})

it('breaks off where a file can not be made', async () => {
  const failing = entry('b.pdf', { read: () => Promise.reject(new Error('no paper')) })
  await expect(packed([entry('a.pdf'), failing, entry('c.pdf')])).rejects.toThrow('no paper')
})

test('the bytes are the same in every zone', () => {
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

test('names that a file system takes for the same are told apart', () => {
  expect(uniqueNames(['A-1', 'a-1', 'a-1 (2)', 'Ａ-1', 'b'], 'pdf')).toEqual([
    'A-1.pdf',
    'a-1 (2).pdf',
    'a-1 (2) (2).pdf',
    'Ａ-1 (3).pdf',
    'b.pdf',
  ])
})
