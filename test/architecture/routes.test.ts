import { describe, expect, test } from 'vitest'
import { importsOf, projectFiles, read, unmatched } from './scan.ts'

type Contract = { name: string; method: string; path: string }

const files = projectFiles()
const API = [/^app\/billing\/v1\//, /^app\/auth\/v1\//, /^app\/scim\/v2\//, /^app\/calendar\//]
const everyRoute = files.filter((file) => /^app\/.*route\.ts$/.test(file))
const routes = everyRoute.filter((file) => API.some((folder) => folder.test(file)))
/** Lists the contracts, and mounts none. */
const EXEMPT = ['app/billing/v1/openapi.json/route.ts']
/** Routes outside of the API: the fallback for unknown paths, redirects through a browser, its documentation, and assistants. */
const NO_API = /\/\[\[\.\.\.unknown\]\]\/|^app\/(\.well-known|api|auth\/sign-on|developers|mcp)\//
const HANDLERS = 'export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = '

const contracts = await load('contract', (value) => value as Contract)
const operations = await load('operations', (value) => (value as { contract?: Contract }).contract)

describe.each(routes.filter((file) => !EXEMPT.includes(file)))('%s', (file) => {
  const text = read(file)

  test('mounts operations and nothing else, for every method', () => {
    const imported = importsOf(text).map(({ specifier }) => specifier)
    const modules = imported.filter((specifier) => /^#lib\/[^/]+\/[^/]+\/operations\.ts$/.test(specifier))
    expect(modules.length).toBeGreaterThan(0)
    expect(imported.sort()).toEqual(['#lib/platform/api/endpoint.ts', ...modules].sort())
    expect(text).toContain(`${HANDLERS}route(`)
  })

  test("is at its contracts' paths", () => {
    const paths = mounted(file).map((contract) => contract.path)
    expect(paths.length).toBeGreaterThan(0)
    for (const path of paths) expect(fileOf(path)).toBe(file)
  })
})

test('every route belongs to the API or answers none of its calls, and a folder that has moved is found', () => {
  expect(everyRoute.filter((file) => !routes.includes(file) && !NO_API.test(file))).toEqual([])
  expect(unmatched(API, everyRoute)).toEqual([])
  expect(routes).toEqual(expect.arrayContaining(EXEMPT))
  const moved = everyRoute.map((file) => file.replace('app/scim/v2/', 'app/scim/v3/'))
  expect(unmatched(API, moved)).toEqual([String(API[2])])
})

test('every contract is mounted exactly once', () => {
  expect(contracts.size).toBeGreaterThan(0)
  const names = routes.flatMap((file) => mounted(file).map((contract) => contract.name))
  expect(names.sort()).toEqual([...contracts.values()].map(({ name }) => name).sort())
})

test('the OpenAPI document has exactly the mounted calls of /billing/v1, and the validation of keys', async () => {
  const { TAGS } = await import('../../app/billing/v1/openapi.json/tags.ts')
  const listed = TAGS.flatMap((tag) => tag.contracts.map(({ name }) => name))
  const ours = routes.flatMap(mounted).filter(({ path }) => path.startsWith('/billing/v1/'))
  expect(ours.length).toBeGreaterThan(50)
  expect(listed.sort()).toEqual(['validateKey', ...ours.map(({ name }) => name)].sort())
})

test.each([
  ['/billing/v1/assets', 'app/billing/v1/assets/route.ts'],
  ['/billing/v1/assets/{asset_id}', 'app/billing/v1/assets/[asset_id]/route.ts'],
])('the path %s belongs to %s', (path, file) => {
  expect(fileOf(path)).toBe(file)
})

function fileOf(path: string): string {
  return `app${path.replaceAll('{', '[').replaceAll('}', ']')}/route.ts`
}

/** Returns the contracts of the operations that the route file mounts. */
function mounted(file: string): Contract[] {
  return named(read(file), 'operations').map((name) => {
    const contract = operations.get(name)
    if (!contract) throw new Error(`${file} names ${name}, which is no operation.`)
    return contract
  })
}

/**
 * Returns the uses of `lib/<domain>/<noun>/<module>.ts` in a text, imported as a namespace under any name:
 * `<noun>.<export>`.
 */
function named(text: string, module: string): string[] {
  const imports = new RegExp(`import \\* as (\\w+) from '#lib/[^/]+/([^/]+)/${module}\\.ts'`, 'g')
  return [...text.matchAll(imports)].flatMap(([, alias, moduleName]) =>
    [...text.matchAll(new RegExp(`(?<![/\\w])${alias}\\.(\\w+)`, 'g'))].map(
      ([, name]) => `${moduleName}.${name}`,
    ),
  )
}

/** Returns the contract that `select` finds in each export of `lib/<domain>/<noun>/<module>.ts`, by `noun.export`. */
async function load(module: string, select: (value: unknown) => Contract | undefined) {
  const loaded = new Map<string, Contract>()
  for (const file of files) {
    const [lib, domain, moduleName, name, ...deeper] = file.split('/')
    if (lib !== 'lib' || name !== `${module}.ts` || deeper.length > 0) continue
    const exported: Record<string, unknown> = await import(
      /* @vite-ignore */ `../../lib/${domain}/${moduleName}/${name}`
    )
    for (const [key, value] of Object.entries(exported)) {
      const contract = value ? select(value) : undefined
      if (contract?.method && contract.path) loaded.set(`${moduleName}.${key}`, contract)
    }
  }
  return loaded
}
