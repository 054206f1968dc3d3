import { describe, expect, test } from 'vitest'
import { isTest, projectFiles, read } from './scan.ts'

// Compares the claims of docs/operate/security.md and docs/operate/data-and-keys.md about routes, settings, tables, secrets and keys with the
// code, in both directions.

type Pages = { security: string; data: string }

const pages: Pages = {
  security: read('docs/operate/security.md'),
  data: read('docs/operate/data-and-keys.md'),
}
const files = projectFiles()
const product = files.filter((file) => /^(lib|app|components)\/.*\.tsx?$/.test(file) && !isTest(file))
const SETTINGS = [...read('.env.example').matchAll(/^# ([A-Z][A-Z_0-9]*)=/gm)].map(([, name = '']) => name)
/** Settings of Node and npm. */
const OTHERS = ['NODE_EXTRA_CA_CERTS', 'INIT_CWD']

const TABLES = [...read('docs/develop/row-level-security.md').matchAll(/^### `([a-z_]+)`$/gm)].map(
  ([, name = '']) => name,
)
/** Settings that hold a secret, and settings of connections. */
const SECRETS = SETTINGS.filter((name) =>
  /(_SECRET|_KEY_FILE|_ACCOUNTS_FILE)$|^(SMTP|DATABASE.*)_URL$/.test(name),
)
const ADDRESSES = SETTINGS.filter(
  (name) =>
    /^(HOST|PORT)$|_(URL|PORT|HOST|DNS|ENDPOINT|PRIVATE_HOSTS)$/.test(name) && name !== 'API_LICENSE_URL',
)
const PURPOSES = product.flatMap((file) =>
  [
    ...read(file).matchAll(
      /(?:(?:PURPOSE|CONFIRMATION) = |purpose: |hkdfSync\('sha256', secret, '', )'([a-z -]+)'/g,
    ),
  ].map(([, purpose = '']) => purpose),
)
const OPEN = await openPaths()

test('tables, settings, keys and paths are found in the code', () => {
  expect(TABLES).toEqual(expect.arrayContaining(['members', 'webhook_endpoints']))
  expect(SECRETS).toEqual(expect.arrayContaining(['SESSION_SECRET', 'FACTOR_SECRET', 'DATABASE_URL']))
  expect(ADDRESSES).toEqual(expect.arrayContaining(['PORT', 'GOOGLE_URL', 'WEBHOOK_PRIVATE_HOSTS']))
  expect(PURPOSES).toEqual(expect.arrayContaining(['page tokens', 'links in notices']))
  expect(OPEN).toEqual(expect.arrayContaining(['/auth/v1/links', '/reset/[secret]', '/calendar/{secret}']))
})

test('the pages name everything that exists, and nothing else', () => {
  expect(faultsOf(pages)).toEqual([])
})

test('no request starts a program: only the embedded database is started', () => {
  const starters = product.filter((file) => file.startsWith('lib/') && /node:child_process/.test(read(file)))
  expect(starters.length).toBeGreaterThan(0)
  expect(starters.filter((file) => !file.startsWith('lib/platform/db/embedded/'))).toEqual([])
})

test('no weak digest is used but in the codes of apps, as RFC 6238 has it', () => {
  const weak = product.filter((file) => /['"](md5|sha1|SHA1|MD5)['"]/.test(read(file)))
  expect(weak).toEqual(['lib/identity/access/factors/totp.ts'])
})

describe('a false claim is found', () => {
  test.each<[string, (pages: Pages) => Pages, string]>([
    ['a table that does not exist', inData('`members` |', '`members`, `member_ghosts` |'), 'member_ghosts'],
    ['a table that is missing', inData('`webhook_attempts`, ', ''), 'webhook_attempts'],
    ['a secret that does not exist', inData('| `SMTP_URL` | by', '| `SMTP_SECRET` | by'), 'SMTP_SECRET'],
    ['a secret that is missing', inData('| `FACTOR_SECRET` |', '| `SESSION_SECRET` |'), 'FACTOR_SECRET'],
    [
      'a setting that does not exist',
      inData('`RATE_LIMIT_SIGN_INS`', '`RATE_LIMIT_SIGNS`'),
      'RATE_LIMIT_SIGNS',
    ],
    ['a connection that is missing', inData('`GOOGLE_TOKEN_URL`', 'a token'), 'GOOGLE_TOKEN_URL'],
    ['a key that does not exist', inData('`page tokens`', '`page marks`'), 'page marks'],
    ['a key that is missing', inData('`webhook secrets`', 'others'), 'webhook secrets'],
    ['a path that does not exist', inSecurity('`/livez`', '`/alive`'), '/alive'],
    ['a path that is missing', inSecurity('`/auth/v1/leaked-keys`', 'keys'), '/auth/v1/leaked-keys'],
  ])('%s', (_, change, fault) => {
    const changed = change(pages)
    expect(changed).not.toEqual(pages)
    expect(faultsOf(changed).join('\n')).toContain(fault)
  })
})

function inData(old: string, changed: string): (pages: Pages) => Pages {
  return ({ security, data }) => ({ security, data: data.replace(old, changed) })
}

function inSecurity(old: string, changed: string): (pages: Pages) => Pages {
  return ({ security, data }) => ({ security: security.replace(old, changed), data })
}

function faultsOf({ security, data }: Pages): string[] {
  const named = (text: string, pattern: RegExp) =>
    [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span).filter((span) => pattern.test(span))
  const SETTING = /^[A-Z]+(_[A-Z]+)+$|^(HOST|PORT)$/
  const unknown = named(security + data, SETTING).filter((name) => ![...SETTINGS, ...OTHERS].includes(name))
  const [tables, secrets, keys, connections] = [
    '### Tables',
    '## Secrets',
    '### Keys from secrets',
    '## Connections',
  ].map((heading) => rowsBelow(data, heading))
  return [
    ...unknown.map((name) => `${name} is no setting`),
    ...differences('table', named(firstCells(tables), /^[a-z_]+$/), TABLES),
    ...differences('secret', named(firstCells(secrets), SETTING), SECRETS),
    ...differences('key', named(firstCells(keys), /./), PURPOSES),
    ...ADDRESSES.filter((name) => !connections?.includes(`\`${name}\``)).map(
      (name) => `connection ${name} is missing`,
    ),
    ...differences('path', named(firstCells(rowsBelow(security, '### What needs no caller')), /^\//), OPEN),
  ]
}

function differences(kind: string, claimed: readonly string[], existing: readonly string[]): string[] {
  return [
    ...claimed.filter((name) => !existing.includes(name)).map((name) => `${kind} ${name} does not exist`),
    ...existing.filter((name) => !claimed.includes(name)).map((name) => `${kind} ${name} is missing`),
  ]
}

/** Returns the table of a section, up to the next heading. */
function rowsBelow(text: string, heading: string): string {
  const [, section = ''] = text.split(`\n${heading}\n`)
  return (section.split(/^#/m)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n')
}

function firstCells(rows = ''): string {
  return rows
    .split('\n')
    .map((row) => row.split('|')[1] ?? '')
    .join('\n')
}

/** Returns the paths that are answered without a key, session or token. */
async function openPaths(): Promise<string[]> {
  const contracts = files.filter((file) => /^lib\/.*\/contract\.ts$/.test(file))
  const modules = await Promise.all(
    contracts.map((file) => import(/* @vite-ignore */ `../../${file}`) as Promise<Record<string, unknown>>),
  )
  const calls = modules
    .flatMap((module) => Object.values(module) as { path?: string; permission?: string }[])
    .filter((value) => value?.permission === 'none')
    .map(({ path = '' }) => path)
  // Folders that begin with a dot are not listed.
  const routes = [...files, 'app/.well-known/security.txt/route.ts'].filter((file) =>
    /^app\/(\.well-known|api|auth\/sign-on|developers|billing\/v1\/openapi\.json)\/.*route\.ts$|^app\/billing\/v1\/openapi\.json\/route\.ts$/.test(
      file,
    ),
  )
  const screens = files.filter((file) => /^app\/(?!\(console\)).*page\.tsx$/.test(file))
  for (const route of routes) expect(read(route)).toContain('export')
  const health = [...read('lib/server/target.ts').matchAll(/\(livez\|healthz\|readyz\)/g)].length
  return [
    ...new Set([
      ...calls,
      ...[...routes, ...screens].map((file) => file.replace(/^app|\/(route\.ts|page\.tsx)$/g, '')),
      ...(health ? ['/livez', '/healthz', '/readyz'] : []),
    ]),
  ]
}
