import { resolve } from 'node:path'
import type { z } from 'zod'
import { settings as factorSettings } from './access/factors/settings.ts'
import { settings as limitSettings } from './access/limits/settings.ts'
import { settings as signOnSettings } from './access/sign-on/settings.ts'
import { settings as apiSettings } from './api/openapi/settings.ts'
import { settings as databaseSettings } from './db/settings.ts'
import { settings as historySettings } from './history/settings.ts'
import { settings as keySettings } from './keys/settings.ts'
import { settings as mailSettings } from './notices/settings.ts'
import { settings as operatorSettings } from './operator-mail/settings.ts'
import { settings as exposureSettings } from './server/exposure/settings.ts'
import { settings as metricsSettings } from './server/metrics/settings.ts'
import { settings as traceSettings } from './server/traces/settings.ts'
import { settings as processSettings } from './server/workers/settings.ts'
import { allowedHosts, namesIn, settings as ownSettings, withoutSlash } from './settings.ts'
import type { VendorConfig } from './vendors/declaration.ts'
import { knownVendors } from './vendors/known-vendors.ts'
import { accountsSettings, settings as timeSettings } from './vendors/settings.ts'

/** Each part's settings, by the name under which `env()` has them. */
const PARTS = {
  own: ownSettings,
  database: databaseSettings,
  processes: processSettings,
  exposure: exposureSettings,
  /** Undefined where nothing is measured. */
  metrics: metricsSettings,
  /** Whether requests are traced. */
  traces: traceSettings,
  factors: factorSettings,
  limits: limitSettings,
  signOn: signOnSettings,
  history: historySettings,
  /** How long API keys may be valid. */
  keys: keySettings,
  vendorTimes: timeSettings,
  accounts: accountsSettings,
  /** Undefined where no notices are sent. */
  mail: mailSettings,
  /** Addresses of those who are told of changes that do not end by themselves. */
  operators: operatorSettings,
  /** Whom the API's description names. */
  apiInfo: apiSettings,
} as const
type Parts = { [Name in keyof typeof PARTS]: z.output<(typeof PARTS)[Name]> }

export type Env = Omit<Parts, 'own' | 'accounts'> & {
  host: string
  port: number
  /** Public address without a trailing slash; its scheme decides whether cookies are Secure. */
  baseUrl: string
  /** Host names (with port, where it is not the scheme's own) that requests may name. */
  allowedHosts: string[]
  trustProxy: boolean
  /** Absolute folder of the embedded database and the secrets. */
  dataDir: string
  sessionSecret: string | undefined
  logLevel: string
  /** Where the user stands, for file arguments: npm itself runs scripts from the project's folder. */
  callerDir: string
  /** By the vendor's name; absent where it is not set up. */
  vendors: Partial<Record<string, VendorConfig>>
  /** Absolute path of the file that names more accounts at vendors. */
  vendorAccountsFile: string | undefined
}

/**
 * Reads the configuration, where empty values count as absent: the only reader of process.env (see `.env.example`).
 * @throws Error that names each setting that is wrong
 */
export function env(): Env {
  if (last?.isFixed) return last.env
  const given = JSON.stringify(names().map((name) => process.env[name]))
  if (last?.given !== given) last = { given, env: read() }
  return last.env
}

/** As it was read last, which takes 50 µs. */
let last: { given: string; env: Env; isFixed?: true } | undefined

function names(): string[] {
  return [...Object.values(PARTS), ...knownVendors.map(({ settings }) => settings)].flatMap(namesIn)
}

function read(): Env {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''))
  const faults: string[] = []
  const read = <Settings>(schema: z.ZodType<Settings>): Settings | undefined => {
    const parsed = schema.safeParse(given)
    for (const { path, message } of parsed.error?.issues ?? []) faults.push(`${path.join('.')}: ${message}`)
    return parsed.data
  }
  const parts = Object.fromEntries(
    Object.entries(PARTS).map(([name, schema]) => [name, read<unknown>(schema)]),
  )
  const vendors = Object.fromEntries(knownVendors.map(({ name, settings }) => [name, read(settings)]))
  if (faults.length > 0) throw new Error(`Wrong configuration. ${faults.join('; ')}`)
  const { own, accounts, ...others } = parts as Parts
  const baseUrl = withoutSlash(own.BASE_URL ?? `http://localhost:${own.PORT}`)
  return {
    ...others,
    host: own.HOST,
    port: own.PORT,
    baseUrl,
    allowedHosts: allowedHosts(baseUrl, own.PORT, own.ALLOWED_HOSTS),
    trustProxy: own.TRUST_PROXY === '1',
    dataDir: resolve(own.DATA_DIR),
    sessionSecret: own.SESSION_SECRET,
    logLevel: own.LOG_LEVEL,
    callerDir: own.INIT_CWD ?? process.cwd(),
    vendors,
    vendorAccountsFile: accounts.path,
  }
}

// For libraries that read process.env: React and Next their mode, next-auth where it leads to, which a proxy hides.
/** Makes this process a production one, before those are imported. */
export function enterProduction(): void {
  const { baseUrl } = env()
  const address = baseUrl.startsWith('https:') ? { NEXTAUTH_URL: baseUrl } : { AUTH_TRUST_HOST: '1' }
  delete process.env.NEXTAUTH_URL
  Object.assign(process.env, { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', ...address })
}

/** Whether `enterProduction` was called here, or by whoever started this process. */
export function isProduction(): boolean {
  return process.env.NODE_ENV === 'production'
}

/** With PORT=0 the system chose: from now on `env()` says which port it is. */
export function setPort(port: number): void {
  process.env.PORT = String(port)
}

/** From now on the settings are those of this moment: each look at process.env costs as much as a short answer does. */
export function fixSettings(): void {
  if (env() && last) last.isFixed = true
}
