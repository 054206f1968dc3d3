import 'server-only'
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { namesIn, text } from '#lib/platform/runtime/settings.ts'
import type { VendorConfig } from '../declaration.ts'
import { knownVendors } from '../known-vendors.ts'
import { DEFAULT_ACCOUNT } from './account.ts'

/** What a file of accounts came to. */
export type AccountsFile = {
  accounts: { vendor: string; name: string; config: VendorConfig }[]
  /** Files from which a setting's value was taken. */
  secretFiles: string[]
}

const Shape = z.strictObject({
  accounts: z.array(
    z.strictObject({
      vendor: text,
      name: z
        .string()
        .regex(/^[a-z0-9][a-z0-9-]{0,59}$/, 'must be of small letters, digits and hyphens, 60 at most'),
      settings: z.record(z.string(), text),
    }),
  ),
})

const FROM_FILE = '_FILE'

/**
 * Reads a file of accounts: JSON, with the settings of each by the names that they have in the environment. A name that
 * ends in `_FILE` and is no setting itself names a file whose content is the value; paths start at the file's folder.
 * @param isInEnvironment whether a vendor's default account is set up there already
 */
export function readAccountsFile(
  path: string,
  isInEnvironment: (vendor: string) => boolean,
): { kind: 'read'; file: AccountsFile } | { kind: 'faults'; faults: string[] } {
  const content = contentOf(path)
  if (content === undefined) return { kind: 'faults', faults: ['cannot be read'] }
  const json = jsonOf(content)
  if (json === undefined) return { kind: 'faults', faults: ['is no JSON'] }
  const parsed = Shape.safeParse(json)
  if (!parsed.success) return { kind: 'faults', faults: faultsOf(parsed.error) }
  const given = parsed.data.accounts
  const names = given.map(({ vendor, name }) => JSON.stringify([vendor, name]))
  const read = given.map((one, at) => {
    const { faults, ...account } = accountOf(one, dirname(path))
    const isTwice = names.indexOf(names[at] ?? '') !== at
    const isThere = one.name === DEFAULT_ACCOUNT && isInEnvironment(one.vendor)
    const twice = isTwice ? ['is given twice'] : []
    const there = isThere ? ['the environment has it already'] : []
    return { ...account, faults: [...twice, ...there, ...faults] }
  })
  const faults = read.flatMap((one, at) =>
    one.faults.map((fault) => `accounts[${at}] (${given[at]?.vendor}, ${given[at]?.name}): ${fault}`),
  )
  if (faults.length > 0) return { kind: 'faults', faults }
  const accounts = read.flatMap(({ account }) => account ?? [])
  return { kind: 'read', file: { accounts, secretFiles: read.flatMap(({ files }) => files) } }
}

type Given = z.output<typeof Shape>['accounts'][number]
type Read = { account?: AccountsFile['accounts'][number]; faults: string[]; files: string[] }

function accountOf({ vendor, name, settings }: Given, folder: string): Read {
  const declared = knownVendors.find((one) => one.name === vendor)
  if (!declared) return { faults: ['there is no such vendor'], files: [] }
  const known = namesIn(declared.settings)
  const values = Object.entries(settings).map(([given, value]) => givenValue(given, value, known, folder))
  const files = values.flatMap(({ file }) => file ?? [])
  const unread = values.flatMap(({ fault }) => fault ?? [])
  if (unread.length > 0) return { faults: unread, files }
  const config = declared.settings.safeParse(Object.fromEntries(values.map((one) => [one.name, one.value])))
  if (!config.success) return { faults: faultsOf(config.error), files }
  if (!config.data) return { faults: ['its settings do not say how it is reached'], files }
  return { account: { vendor, name, config: config.data }, faults: [], files }
}

/** A setting's value: as it stands there, a path that starts at the folder, or the content of such a file. */
function givenValue(given: string, value: string, known: readonly string[], folder: string) {
  const isPath = given.endsWith(FROM_FILE)
  if (known.includes(given)) return { name: given, value: isPath ? resolve(folder, value) : value }
  const name = isPath ? given.slice(0, -FROM_FILE.length) : given
  if (!known.includes(name)) return { name, fault: `${given}: is no setting of this vendor` }
  const file = resolve(folder, value)
  const content = contentOf(file)?.trim()
  if (!content) return { name, file, fault: `${given}: the file ${file} cannot be read, or is empty` }
  return { name, file, value: content }
}

/** What tells whether files have changed: their times and sizes, and that they are there. */
export function signatureOf(paths: readonly string[]): string {
  return JSON.stringify(paths.map((path) => [path, ...looksOf(path)]))
}

/** None where there is no such file, or where it can't be looked at: whatever keeps us from it is no fault of a request. */
function looksOf(path: string): number[] {
  try {
    const { mtimeMs, size, ino } = statSync(path)
    return [mtimeMs, size, ino]
  } catch {
    return []
  }
}

function faultsOf(error: z.ZodError): string[] {
  return error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`)
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function jsonOf(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}
