import { readFileSync } from 'node:fs'
import { z } from 'zod'

// Schemas of common kinds of settings, and the console's own settings. Each module declares its settings with them, and
// reads them by lib/platform/runtime/env.ts.

export const text = z.string().trim().min(1)

/** Secret from which keys are derived. */
export const secret = z.string().min(32, 'must have at least 32 characters')

const PORT_RANGE = 'must be a whole number from 0 to 65535'
export const port = z.coerce.number(PORT_RANGE).int(PORT_RANGE).min(0, PORT_RANGE).max(65_535, PORT_RANGE)

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const isPrivate = (url: string) =>
  !URL.canParse(url) || url.startsWith('https:') || LOOPBACK.includes(new URL(url).hostname)

/** URL to which secrets are sent: https, or http on this machine. */
export const privateAddress = z.url({ protocol: /^https?$/ }).refine(isPrivate, 'must be https')

/** Returns whether a URL has no path. Invalid URLs are left to another check. */
export function hasNoPath(url: string): boolean {
  return !URL.canParse(url) || new URL(url).pathname === '/'
}

export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

/** Schema of the console's own settings. */
export const settings = z.object({
  HOST: text.default('127.0.0.1'),
  PORT: port.default(3000),
  BASE_URL: z
    .url({ protocol: /^https?$/ })
    .refine(hasNoPath, 'must have no path')
    .optional(),
  ALLOWED_HOSTS: text.optional(),
  TRUST_PROXY: z.enum(['0', '1']).default('0'),
  DATA_DIR: text.default('.data'),
  SESSION_SECRET: secret.optional(),
  INIT_CWD: text.optional(),
  LOG_LEVEL: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('info'),
})

/** Returns the accepted Host headers: the public one, the local ones, and a comma-separated list. */
export function allowedHosts(baseUrl: string, serverPort: number, more: string | undefined): string[] {
  const loopbackHosts = LOOPBACK.map((name) => `${name}:${serverPort}`)
  const listed = (more ?? '').split(',').map((name) => name.trim().toLowerCase())
  return [new URL(baseUrl).host, ...loopbackHosts, ...listed].filter(Boolean)
}

export const DAY_SECONDS = 24 * 60 * 60

/** Whole seconds, at least one. */
export const seconds = z.coerce.number().int().min(1)

/** Most calls per minute. Fewer than five would leave no reserve for people. */
export const callsPerMinute = z.coerce.number().int().min(5).max(1_000_000)

type Present<Values> = { [Name in keyof Values]: NonNullable<Values[Name]> }

/**
 * Parses settings that are valid only together.
 * @returns undefined if one is missing; if others are set, each missing one is an issue of `context`
 */
export function together<Values extends Record<string, unknown>>(
  values: Values,
  context: z.RefinementCtx,
): Present<Values> | undefined {
  const missing = Object.keys(values).filter((name) => values[name] === undefined)
  if (missing.length === 0) return values as Present<Values>
  if (missing.length === Object.keys(values).length) return undefined
  for (const name of missing) context.addIssue({ code: 'custom', path: [name], message: 'is required, too' })
  return undefined
}

/** Settings whose value may be in a file instead, which the setting with this suffix names. */
const SECRET_SETTING = /_SECRET$|^DATABASE_(DIRECT_|READ_)?URL$|^SMTP_URL$/
const IN_FILE = '_FILE'

/** Returns a setting's name, and the one that names a file with its value if the setting is secret. */
export function variableNames(setting: string): string[] {
  return SECRET_SETTING.test(setting) ? [setting, setting + IN_FILE] : [setting]
}

/**
 * Returns a setting's value, from its file if it is secret and has one; undefined where it is absent or empty.
 * @throws Error if both are given, or the file can't be read or is empty
 */
export function settingValue(setting: string, environment: NodeJS.ProcessEnv): string | undefined {
  const [, fileSetting] = variableNames(setting)
  const value = environment[setting] || undefined
  const file = fileSetting && environment[fileSetting]
  if (!file) return value
  if (value !== undefined) throw new Error(`is given, and ${fileSetting}, too: give one of them`)
  const content = readSecret(file)
  if (!content) throw new Error(`the file of ${fileSetting} cannot be read, or is empty`)
  return content
}

function readSecret(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return undefined
  }
}

/** Returns the names of a schema's settings. */
export function namesIn(schema: z.ZodType): string[] {
  const inputSchema = schema instanceof z.ZodPipe ? schema.in : schema
  return inputSchema instanceof z.ZodObject ? Object.keys(inputSchema.shape) : []
}
