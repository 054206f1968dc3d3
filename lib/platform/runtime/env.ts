import { resolve } from 'node:path'
import type { z } from 'zod'
import {
  allowedHosts,
  settings as consoleSettings,
  namesIn,
  settingValue,
  variableNames,
  withoutSlash,
} from './settings.ts'

// Only reader of process.env (see `.env.example`). Each module declares and reads its settings with it; shared settings
// are declared here. lib/server/check-settings.ts lists all settings, and validates them when a program starts.

/** Settings of one module: a call returns them, and takes 1 µs if nothing has changed. */
export type Settings<Values> = {
  /** @throws Error with the names of all invalid settings */
  (): Values
  /** Returns the invalid settings as `NAME: reason`, one entry per error. */
  issues(): string[]
  /** Returns the names that the environment may have. */
  names(): string[]
}

/** Parsed settings. Fixed settings are not parsed again. */
type ParsedSettings<Values> = {
  variables: string
  values: Values | undefined
  issues: string[]
  isFixed: boolean
}

/** Declares settings, of which empty values count as absent. The environment is read at the first call. */
export function defineSettings<Values>(schema: z.ZodType<Values>): Settings<Values> {
  const names = namesIn(schema)
  const possible = names.flatMap(variableNames)
  let last: ParsedSettings<Values> | undefined
  const current = (): ParsedSettings<Values> => {
    if (last?.isFixed) return last
    const variables = JSON.stringify(possible.map((name) => environment()[name]))
    if (last?.variables !== variables) last = { variables, isFixed: false, ...parsed(schema, names) }
    last.isFixed = snapshot !== undefined
    return last
  }
  const read = (): Values => {
    const { values, issues } = current()
    assertNoIssues(issues)
    return values as Values
  }
  return Object.assign(read, { issues: () => current().issues, names: () => possible })
}

function parsed<Values>(schema: z.ZodType<Values>, names: readonly string[]) {
  const unread: string[] = []
  const entries = names.flatMap((name) => {
    try {
      const value = settingValue(name, environment())
      return value === undefined ? [] : [[name, value] as const]
    } catch (error) {
      unread.push(`${name}: ${(error as Error).message}`)
      return []
    }
  })
  const { data, error } = schema.safeParse(Object.fromEntries(entries))
  const issues = (error?.issues ?? []).map((issue) => `${issue.path.join('.')}: ${messageOf(issue)}`)
  return { values: data, issues: [...unread, ...issues] }
}

/** Explains a value of the wrong type without the value. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_type' || issue.message.startsWith('must be')) return issue.message
  if (issue.expected === 'int') return 'must be a whole number'
  return issue.expected === 'number' ? 'must be a number' : issue.message
}

/** @throws Error with all issues, if there are any */
export function assertNoIssues(issues: readonly string[]): void {
  if (issues.length > 0) throw new Error(`Wrong configuration. ${issues.join('; ')}`)
}

/** Environment when the settings were fixed. */
let snapshot: NodeJS.ProcessEnv | undefined
const environment = (): NodeJS.ProcessEnv => snapshot ?? process.env

/** Fixes the settings at their current values: each access to process.env takes as long as a short answer. */
export function fixSettings(): void {
  snapshot = { ...process.env }
}

/** Settings of the console that concern all modules. */
export const env = defineSettings(
  consoleSettings.transform((values) => {
    const baseUrl = withoutSlash(values.BASE_URL ?? `http://localhost:${values.PORT}`)
    return {
      host: values.HOST,
      port: values.PORT,
      /** Public URL without a trailing slash; https makes cookies Secure. */
      baseUrl,
      /** Accepted Host headers (with port, unless it is the scheme's default). */
      allowedHosts: allowedHosts(baseUrl, values.PORT, values.ALLOWED_HOSTS),
      trustProxy: values.TRUST_PROXY === '1',
      /** Absolute folder of the embedded database and the secrets. */
      dataDir: resolve(values.DATA_DIR),
      sessionSecret: values.SESSION_SECRET,
      logLevel: values.LOG_LEVEL,
      /** Working directory of the user, for file arguments: npm runs scripts in the project's folder. */
      callerDir: values.INIT_CWD ?? process.cwd(),
    }
  }),
)

// For libraries that read process.env: React and Next read the mode, next-auth its URL, which a proxy hides.
/** Switches this process to production mode, before those libraries are imported. */
export function enterProduction(): void {
  const { baseUrl } = env()
  const address = baseUrl.startsWith('https:') ? { NEXTAUTH_URL: baseUrl } : { AUTH_TRUST_HOST: '1' }
  delete process.env.NEXTAUTH_URL
  Object.assign(process.env, { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1', ...address })
}

/** Returns whether `enterProduction` was called in this process or its parent. */
export function isProduction(): boolean {
  return process.env.NODE_ENV === 'production'
}

/** Sets the port that the system chose for PORT=0: from now on `env()` returns this port. */
export function setPort(port: number): void {
  process.env.PORT = String(port)
}
