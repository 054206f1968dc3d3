import 'server-only'
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { log } from '#lib/platform/runtime/log.ts'
import { namesIn, text } from '#lib/platform/runtime/settings.ts'
import type { VendorConfig } from './declaration.ts'
import { vendorDeclarations } from './declarations.ts'
import { accountsSettings, vendorSettings } from './settings.ts'

// Reseller's accounts at vendors: one per vendor in the environment, and those of a file, which may be changed while
// the service runs.

/** Reseller's account at a vendor, as named in rows and imports. */
export type Account = { vendor: string; vendorAccount: string }

/** Name of the environment's account, and default of an asset's. */
export const DEFAULT_ACCOUNT = 'default'

/** Shortest interval between checks of the file, in milliseconds. */
const CHECK_INTERVAL_MS = 1000

type LoadedFile = {
  path: string
  lookedAt: number
  signature: string
  file: AccountsFile
  /** Current error of the file, as logged. */
  issue?: string | undefined
}
let last: LoadedFile | undefined

/** Returns the configured accounts. */
export function accounts(): Account[] {
  const vendors = vendorSettings()
  const configured = vendorDeclarations.filter(({ name }) => vendors[name])
  return [
    ...configured.map(({ name: vendor }) => ({ vendor, vendorAccount: DEFAULT_ACCOUNT })),
    ...file().accounts.map(({ vendor, name: vendorAccount }) => ({ vendor, vendorAccount })),
  ]
}

/** Returns whether an account is configured. */
export function hasAccount(vendor: string, vendorAccount: string): boolean {
  return configOf({ vendor, vendorAccount }) !== undefined
}

/** Returns the configuration of an account; undefined if there is none. */
export function configOf({ vendor, vendorAccount }: Account): VendorConfig | undefined {
  const named = file().accounts.find((one) => one.vendor === vendor && one.name === vendorAccount)
  return named?.config ?? (vendorAccount === DEFAULT_ACCOUNT ? vendorSettings()[vendor] : undefined)
}

/**
 * Returns the accounts of the file, which is checked once a second. A file that has become invalid is logged and
 * changes nothing.
 * @throws Error with all errors if the file was never valid
 */
function file(): AccountsFile {
  const { path } = accountsSettings()
  const vendors = vendorSettings()
  if (path === undefined) return { accounts: [], secretFiles: [] }
  const loaded = last?.path === path ? last : undefined
  const now = Date.now()
  if (loaded && now - loaded.lookedAt < CHECK_INTERVAL_MS) return loaded.file
  const signature = signatureOf([path, ...(loaded?.file.secretFiles ?? [])])
  if (loaded?.signature === signature) {
    loaded.lookedAt = now
    return loaded.file
  }
  const read = readAccountsFile(path, (vendor) => vendors[vendor] !== undefined)
  if (read.kind === 'faults') {
    const reason = `${path}: ${read.issues.join('; ')}`
    if (!loaded) throw new Error(`Wrong configuration. ${reason}`)
    if (loaded.issue !== reason)
      log().error({ reason }, 'vendor accounts: the file is wrong, and those from before stay')
    // Another file may be missing: until all are valid, each check reads all.
    Object.assign(loaded, { lookedAt: now, signature: '', fault: reason })
    return loaded.file
  }
  if (loaded) log().info({ accounts: read.file.accounts.length }, 'vendor accounts: read again')
  // The signature was taken before the read: a concurrent write is noticed at the next check, and so are secret files
  // that the previous signature did not cover.
  last = { path, lookedAt: now, signature, file: read.file }
  return read.file
}

/** Parsed file of accounts. */
type AccountsFile = {
  accounts: { vendor: string; name: string; config: VendorConfig }[]
  /** Files that contain settings' values. */
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
 * Parses a file of accounts: JSON, with each account's settings under the names of the environment variables. A name
 * with the suffix `_FILE` that is not a setting itself names a file with the value; paths are relative to the file's
 * folder.
 * @param isInEnvironment whether a vendor's default account is configured there already
 */
function readAccountsFile(
  path: string,
  isInEnvironment: (vendor: string) => boolean,
): { kind: 'read'; file: AccountsFile } | { kind: 'faults'; issues: string[] } {
  const content = contentOf(path)
  if (content === undefined) return { kind: 'faults', issues: ['cannot be read'] }
  const json = jsonOf(content)
  if (json === undefined) return { kind: 'faults', issues: ['is no JSON'] }
  const parsed = Shape.safeParse(json)
  if (!parsed.success) return { kind: 'faults', issues: issuesOf(parsed.error) }
  const entries = parsed.data.accounts
  const names = entries.map(({ vendor, name }) => JSON.stringify([vendor, name]))
  const read = entries.map((one, at) => {
    const { issues, ...account } = accountOf(one, dirname(path))
    const isTwice = names.indexOf(names[at] ?? '') !== at
    const isThere = one.name === DEFAULT_ACCOUNT && isInEnvironment(one.vendor)
    const twice = isTwice ? ['is given twice'] : []
    const there = isThere ? ['the environment has it already'] : []
    return { ...account, faults: [...twice, ...there, ...issues] }
  })
  const issues = read.flatMap((one, at) =>
    one.faults.map((issue) => `accounts[${at}] (${entries[at]?.vendor}, ${entries[at]?.name}): ${issue}`),
  )
  if (issues.length > 0) return { kind: 'faults', issues }
  const accounts = read.flatMap(({ account }) => account ?? [])
  return { kind: 'read', file: { accounts, secretFiles: read.flatMap(({ files }) => files) } }
}

type AccountEntry = z.output<typeof Shape>['accounts'][number]
type Read = { account?: AccountsFile['accounts'][number]; issues: string[]; files: string[] }

function accountOf({ vendor, name, settings }: AccountEntry, folder: string): Read {
  const declared = vendorDeclarations.find((one) => one.name === vendor)
  if (!declared) return { issues: ['there is no such vendor'], files: [] }
  const settingNames = namesIn(declared.settings)
  const values = Object.entries(settings).map(([setting, value]) =>
    settingValue(setting, value, settingNames, folder),
  )
  const files = values.flatMap(({ file }) => file ?? [])
  const unread = values.flatMap(({ issue }) => issue ?? [])
  if (unread.length > 0) return { issues: unread, files }
  const config = declared.settings.safeParse(Object.fromEntries(values.map((one) => [one.name, one.value])))
  if (!config.success) return { issues: issuesOf(config.error), files }
  if (!config.data) return { issues: ['its settings do not say how it is reached'], files }
  return { account: { vendor, name, config: config.data }, issues: [], files }
}

/** Returns a setting's value: as written, as a path relative to the folder, or as the content of a secret file. */
function settingValue(setting: string, value: string, settingNames: readonly string[], folder: string) {
  const isPath = setting.endsWith(FROM_FILE)
  if (settingNames.includes(setting)) return { name: setting, value: isPath ? resolve(folder, value) : value }
  const name = isPath ? setting.slice(0, -FROM_FILE.length) : setting
  if (!settingNames.includes(name)) return { name, issue: `${setting}: is no setting of this vendor` }
  const file = resolve(folder, value)
  const content = contentOf(file)?.trim()
  if (!content) return { name, file, issue: `${setting}: the file ${file} cannot be read, or is empty` }
  return { name, file, value: content }
}

/** Returns a text that changes with the files: their existence, times and sizes. */
function signatureOf(paths: readonly string[]): string {
  return JSON.stringify(paths.map((path) => [path, ...signaturePart(path)]))
}

/** Returns no numbers for a missing or inaccessible file: an error here must not fail a request. */
function signaturePart(path: string): number[] {
  try {
    const { mtimeMs, size, ino } = statSync(path)
    return [mtimeMs, size, ino]
  } catch {
    return []
  }
}

function issuesOf(error: z.ZodError): string[] {
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
