import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')
const NOT_OURS = ['node_modules', 'test-results', 'playwright-report', 'blob-report', 'shots', 'dist', 'out']

/** An `import` or `export … from` of a source text. */
export type Import = { specifier: string; isType: boolean }

/** Returns every file of the project, by its path from the root with `/`, without installed and generated files. */
export function projectFiles(folder = ''): string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true })
  return entries.flatMap((entry) => {
    if (entry.name.startsWith('.') || NOT_OURS.includes(entry.name)) return []
    const path = posix.join(folder.split(sep).join('/'), entry.name)
    return entry.isDirectory() ? projectFiles(path) : [path]
  })
}

/** A node of a syntax tree. */
export type Node = { type: string; start: number; [key: string]: unknown }

/** Returns the nodes of a property of a node. */
export function nodesOf(value: unknown): Node[] {
  if (Array.isArray(value)) return value.filter(isNode)
  return isNode(value) ? [value] : []
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** Returns whether a file is a test, or only serves tests. */
export function isTest(file: string): boolean {
  return /(\.(test|spec)\.tsx?$|\/test-)/.test(file)
}

/**
 * Returns the patterns that match none of `names`, unchanged. A rule whose path has moved forbids nothing and passes,
 * so every rule with a path calls this.
 */
export function unmatched(patterns: readonly RegExp[], names: readonly string[]): string[] {
  return patterns.filter((pattern) => !names.some((name) => pattern.test(name))).map(String)
}

/** Returns the globs that match nothing, like `unmatched`; each of the choices in braces has to match. */
export function unmatchedGlobs(globs: readonly string[], names: readonly string[]): string[] {
  return globs.flatMap(expandBraces).filter((glob) => !names.some((name) => matchesGlob(name, glob)))
}

function expandBraces(glob: string): string[] {
  const [, before, choices, after] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(glob) ?? []
  if (choices === undefined) return [glob]
  return choices.split(',').flatMap((choice) => expandBraces(`${before}${choice}${after}`))
}

/** Returns the packages in package.json: an import of one leads out of the project. */
export function packageNames(): string[] {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'))
  return Object.keys({ ...dependencies, ...devDependencies })
}

const STATIC = /^\s*(?:import|export)\s+(type\s)?(?:[\w\s{},*$]*?\sfrom\s+)?['"]([^'"]+)['"]/gm
// Also matches a bundler's comment before the name, and a template without placeholders as the name.
const DYNAMIC = /\bimport\(\s*(?:\/\*[^*]*\*\/\s*)*['"`]([^'"`]+)['"`]/g

/** Returns the imports of a source text in order, the dynamic ones last. */
export function importsOf(text: string): Import[] {
  const fixed = [...text.matchAll(STATIC)].map(([, type, specifier = '']) => ({
    specifier,
    isType: Boolean(type),
  }))
  return [
    ...fixed,
    ...[...text.matchAll(DYNAMIC)].map(([, specifier = '']) => ({ specifier, isType: false })),
  ]
}

/** Returns the target of an import in the file at `path`: a path from the root, or the package's name unchanged. */
export function resolveImport(path: string, specifier: string): string {
  if (specifier.startsWith('#')) return specifier.slice(1)
  return specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier
}

/**
 * Returns the files that the starts load at their import, including themselves: neither types nor dynamic imports, nor
 * imports of `ends`.
 */
export function reachableFrom(starts: readonly string[], ends: readonly string[] = []): Set<string> {
  const reachable = new Set<string>()
  const rest = [...starts]
  for (let file = rest.pop(); file !== undefined; file = rest.pop()) {
    if (reachable.has(file)) continue
    reachable.add(file)
    if (!/^(lib|app)\//.test(file) || ends.includes(file)) continue
    const now = importsOf(read(file).replace(/\bimport\(/g, 'later(')).filter(({ isType }) => !isType)
    rest.push(...now.map(({ specifier }) => resolveImport(file ?? '', specifier)))
  }
  return reachable
}
