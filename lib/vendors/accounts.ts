import 'server-only'
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { log } from '#lib/platform/runtime/log.ts'
import { namesIn, text } from '#lib/platform/runtime/settings.ts'
import type { VendorConfig } from './declaration.ts'
import { knownVendors } from './known-vendors.ts'
import { accountsSettings, vendorSettings } from './settings.ts'

// The accounts of the reseller at vendors: one per vendor by the environment, and those of a file, which may be changed
// while the service runs.

/** An account of the reseller at a vendor, as rows and imports name it. */
export type Account = { vendor: string; vendorAccount: string }

/** The account of the environment's settings, and that of an asset that names none. */
export const DEFAULT_ACCOUNT = 'default'

/** How often the file is looked at, at most, in milliseconds. */
const LOOK_EVERY = 1000

type Known = {
  path: string
  lookedAt: number
  signature: string
  file: AccountsFile
  /** What is wrong with the file by now, as the log has it. */
  fault?: string | undefined
}
let last: Known | undefined

/** The accounts that are set up. */
export function accounts(): Account[] {
  const vendors = vendorSettings()
  const own = knownVendors.filter(({ name }) => vendors[name])
  return [
    ...own.map(({ name: vendor }) => ({ vendor, vendorAccount: DEFAULT_ACCOUNT })),
    ...file().accounts.map(({ vendor, name: vendorAccount }) => ({ vendor, vendorAccount })),
  ]
}

/** Whether an account is set up. */
export function hasAccount(vendor: string, vendorAccount: string): boolean {
  return configOf({ vendor, vendorAccount }) !== undefined
}

/** How an account is reached; undefined where it is not set up. */
export function configOf({ vendor, vendorAccount }: Account): VendorConfig | undefined {
  const named = file().accounts.find((one) => one.vendor === vendor && one.name === vendorAccount)
  return named?.config ?? (vendorAccount === DEFAULT_ACCOUNT ? vendorSettings()[vendor] : undefined)
}

/**
 * The file as it is, looked at again once a second. One that has become wrong changes nothing, and is told of in the log.
 * @throws Error that names each fault, where it was never right
 */
function file(): AccountsFile {
  const { path } = accountsSettings()
  const vendors = vendorSettings()
  if (path === undefined) return { accounts: [], secretFiles: [] }
  const known = last?.path === path ? last : undefined
  const now = Date.now()
  if (known && now - known.lookedAt < LOOK_EVERY) return known.file
  const signature = signatureOf([path, ...(known?.file.secretFiles ?? [])])
  if (known?.signature === signature) {
    known.lookedAt = now
    return known.file
  }
  const read = readAccountsFile(path, (vendor) => vendors[vendor] !== undefined)
  if (read.kind === 'faults') {
    const reason = `${path}: ${read.faults.join('; ')}`
    if (!known) throw new Error(`Wrong configuration. ${reason}`)
    if (known.fault !== reason)
      log().error({ reason }, 'vendor accounts: the file is wrong, and those from before stay')
    // It may be another file that is missing: until all is right, each look reads all.
    Object.assign(known, { lookedAt: now, signature: '', fault: reason })
    return known.file
  }
  if (known) log().info({ accounts: read.file.accounts.length }, 'vendor accounts: read again')
  // As it was before it was read: what is written meanwhile is read with the next look, as is the first time what a
  // secret's file has that was not known of.
  last = { path, lookedAt: now, signature, file: read.file }
  return read.file
}

/** What a file of accounts came to. */
type AccountsFile = {
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
function readAccountsFile(
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
function signatureOf(paths: readonly string[]): string {
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
