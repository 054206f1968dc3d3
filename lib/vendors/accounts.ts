import 'server-only'
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { log } from '#lib/platform/runtime/log.ts'
import { namesIn, text } from '#lib/platform/runtime/settings.ts'
import type { VendorConfig } from './declaration.ts'
import { vendorDeclarations } from './declarations.ts'
import { accountsSettings, vendorSettings } from './settings.ts'

// The accounts of the reseller at vendors: one per vendor by the environment, and those of a file, which may be changed
// while the service runs.

/** An account of the reseller at a vendor, as rows and imports name it. */
export type Account = { vendor: string; vendorAccount: string }

/** The account of the environment's settings, and that of an asset that names none. */
export const DEFAULT_ACCOUNT = 'default'

/** How often the file is looked at, at most, in milliseconds. */
const CHECK_INTERVAL_MS = 1000

type LoadedFile = {
  path: string
  lookedAt: number
  signature: string
  file: AccountsFile
  /** What is wrong with the file by now, as the log has it. */
  issue?: string | undefined
}
let last: LoadedFile | undefined

/** The accounts that are set up. */
export function accounts(): Account[] {
  const vendors = vendorSettings()
  const configured = vendorDeclarations.filter(({ name }) => vendors[name])
  return [
    ...configured.map(({ name: vendor }) => ({ vendor, vendorAccount: DEFAULT_ACCOUNT })),
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
    // It may be another file that is missing: until all is right, each look reads all.
    Object.assign(loaded, { lookedAt: now, signature: '', fault: reason })
    return loaded.file
  }
  if (loaded) log().info({ accounts: read.file.accounts.length }, 'vendor accounts: read again')
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

/** A setting's value: as it stands there, a path that starts at the folder, or the content of such a file. */
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

/** What tells whether files have changed: their times and sizes, and that they are there. */
function signatureOf(paths: readonly string[]): string {
  return JSON.stringify(paths.map((path) => [path, ...signaturePart(path)]))
}

/** None where there is no such file, or where it can't be looked at: whatever keeps us from it is no fault of a request. */
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
