import { resolve } from 'node:path'
import type { z } from 'zod'
import { allowedHosts, settings as consoleSettings, namesIn, withoutSlash } from './settings.ts'

// The only reader of process.env (see `.env.example`). Each module declares its settings and reads them with it; those that
// concern all of them are here. lib/server/registry.ts has the list of all, and checks them when a program starts.

/** The settings of one module: calling it reads them, which costs 1 µs where nothing has changed. */
export type Settings<Values> = {
  /** @throws Error that names each of them that is wrong */
  (): Values
  /** Returns what is wrong with them as `NAME: reason`, one entry for each mistake. */
  issues(): string[]
}

/** What the environment came to. One that is fixed is not looked at again. */
type ParsedSettings<Values> = {
  variables: string
  values: Values | undefined
  issues: string[]
  isFixed: boolean
}

/** Declares settings, of which empty values count as absent. Nothing is read before the first call. */
export function defineSettings<Values>(schema: z.ZodType<Values>): Settings<Values> {
  const names = namesIn(schema)
  let last: ParsedSettings<Values> | undefined
  const current = (): ParsedSettings<Values> => {
    if (last?.isFixed) return last
    const variables = JSON.stringify(names.map((name) => environment()[name]))
    if (last?.variables !== variables) last = { variables, isFixed: false, ...parsed(schema, names) }
    last.isFixed = snapshot !== undefined
    return last
  }
  const read = (): Values => {
    const { values, issues } = current()
    assertNoIssues(issues)
    return values as Values
  }
  return Object.assign(read, { issues: () => current().issues })
}

function parsed<Values>(schema: z.ZodType<Values>, names: readonly string[]) {
  const entries = names.flatMap((name) => {
    const value = environment()[name]
    return value ? [[name, value] as const] : []
  })
  const { data, error } = schema.safeParse(Object.fromEntries(entries))
  const issues = (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`)
  return { values: data, issues }
}

/** @throws Error that names each of them, where there are any */
export function assertNoIssues(issues: readonly string[]): void {
  if (issues.length > 0) throw new Error(`Wrong configuration. ${issues.join('; ')}`)
}

/** The environment of the moment at which settings were fixed. */
let snapshot: NodeJS.ProcessEnv | undefined
const environment = (): NodeJS.ProcessEnv => snapshot ?? process.env

/** From now on the settings are those of this moment: each look at process.env costs as much as a short answer does. */
export function fixSettings(): void {
  snapshot = { ...process.env }
}

/** The console's own settings, which concern all modules. */
export const env = defineSettings(
  consoleSettings.transform((values) => {
    const baseUrl = withoutSlash(values.BASE_URL ?? `http://localhost:${values.PORT}`)
    return {
      host: values.HOST,
      port: values.PORT,
      /** Public address without a trailing slash; its scheme decides whether cookies are Secure. */
      baseUrl,
      /** Host names (with port, where it is not the scheme's own) that requests may name. */
      allowedHosts: allowedHosts(baseUrl, values.PORT, values.ALLOWED_HOSTS),
      trustProxy: values.TRUST_PROXY === '1',
      /** Absolute folder of the embedded database and the secrets. */
      dataDir: resolve(values.DATA_DIR),
      sessionSecret: values.SESSION_SECRET,
      logLevel: values.LOG_LEVEL,
      /** Where the user stands, for file arguments: npm itself runs scripts from the project's folder. */
      callerDir: values.INIT_CWD ?? process.cwd(),
    }
  }),
)

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
