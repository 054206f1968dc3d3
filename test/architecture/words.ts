import { basename } from 'node:path'
import { parseSync } from 'oxc-parser'
import { isTest, type Node, nodesOf, projectFiles, read } from './scan.ts'

/** One row of the vocabulary: words that the field has a standard term for, with the number of uses that is allowed. */
export type Row = {
  name: string
  /** Words of an identifier or a file name in camel, snake or kebab case: in lower case, with blanks between them. */
  words?: string
  /** Whole identifiers. */
  identifiers?: RegExp
  /** Names of files and folders with neither path nor ending. */
  files?: RegExp
  /** Texts of comments and test titles. */
  prose?: RegExp
  /** Files in which the words have a sense of their own and are not counted. */
  except?: RegExp
  /** The only files in which the row is counted. */
  only?: RegExp
}

/** Names with the number of their uses. */
type Counts = Map<string, number>

/** The names of one source file (properties and methods apart, which may be names on the wire) and its prose. */
export type Source = { identifiers: Counts; members: Counts; prose: string[] }

/** Names on the wire, in the database and in settings, which keep their spelling: property keys of these files. */
const NAMING = /(^|\/)(contract|shapes|schemas|settings|[a-z-]+-shapes)\.ts$|^lib\/platform\/db\/schema\//
/** Generated SQL and tables, and this list itself. */
const NOT_READ = /^(lib\/platform\/db\/migrations\/|test\/architecture\/words)/

/**
 * Returns the identifiers, comments and test titles of a source file.
 * @throws where the text is not valid TypeScript
 */
export function parse(file: string, text: string): Source {
  const { program, comments, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const identifiers: Counts = new Map()
  const members: Counts = new Map()
  const prose = comments.map(({ value }) => value)
  const visit = (node: Node, isMember = false): void => {
    if (/^(JSX|Private)?Identifier$/.test(node.type)) {
      const names = isMember ? members : identifiers
      const name = node.name as string
      names.set(name, (names.get(name) ?? 0) + 1)
    }
    const title = titleOf(node)
    if (title) prose.push(title)
    for (const [key, child] of childrenOf(node)) {
      visit(child, (key === 'key' || key === 'property') && node.computed !== true)
    }
  }
  visit(program as unknown as Node)
  return { identifiers, members, prose }
}

/** Returns the child nodes of `node`, each with the name of its property. */
function childrenOf(node: Node): [string, Node][] {
  // A shorthand property holds one identifier twice: as its key and as its value.
  const isShorthand = node.type === 'Property' && node.shorthand === true
  const children: [string, Node][] = []
  for (const key in node) {
    if (isShorthand && key === 'key') continue
    for (const child of nodesOf(node[key])) children.push([key, child])
  }
  return children
}

/** Returns the title of a call of `test`, `it` or `describe`, its variants included, and nothing for other nodes. */
function titleOf(node: Node): string | undefined {
  if (node.type !== 'CallExpression') return
  let callee = node.callee as Node
  while (callee.type === 'CallExpression' || callee.type === 'MemberExpression') {
    callee = (callee.callee ?? callee.object) as Node
  }
  if (callee.type !== 'Identifier' || !/^(test|it|describe)$/.test(callee.name as string)) return
  const [first] = node.arguments as Node[]
  if (first?.type === 'Literal' && typeof first.value === 'string') return first.value
  if (first?.type !== 'TemplateLiteral') return
  return (first.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…')
}

/** Results of `split`: most names are in many files. */
const splitNames = new Map<string, string[]>()

/** Splits an identifier or a file name into its words, in lower case: `toldOf` and `told-of` are `told` and `of`. */
export function split(name: string): string[] {
  const before = splitNames.get(name)
  if (before) return before
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
  splitNames.set(name, words)
  return words
}

/**
 * Returns the uses of a row in one file, as they are written.
 * @param wire names that keep their spelling as properties
 */
export function usesIn(row: Row, file: string, source: Source, wire: ReadonlySet<string>): string[] {
  if (row.except?.test(file) || row.only?.test(file) === false) return []
  const fileName = basename(file).replace(/(\.deep)?(\.test|\.spec)?\.tsx?$/, '')
  const uses: string[] = []
  const addNames = (isUse: (name: string) => boolean) => {
    const add = (name: string, count: number) => {
      if (isUse(name)) for (let n = 0; n < count; n++) uses.push(name)
    }
    for (const [name, count] of source.identifiers) add(name, count)
    for (const [name, count] of source.members) if (!wire.has(name)) add(name, count)
  }
  if (row.words) {
    const words = new Set(row.words.split(' '))
    const isUse = (name: string) => split(name).some((word) => words.has(word))
    addNames(isUse)
    if (isUse(fileName)) uses.push(fileName)
  }
  const { identifiers } = row
  if (identifiers) addNames((name) => identifiers.test(name))
  if (row.files?.test(fileName)) uses.push(fileName)
  const pattern = row.prose && new RegExp(row.prose, 'gi')
  if (pattern)
    for (const text of source.prose) uses.push(...[...text.matchAll(pattern)].map(([match]) => match))
  return uses
}

/** Returns every source of the project by its path, and the names that keep their spelling. */
export function readProject(): { sources: Map<string, Source>; wire: Set<string> } {
  const files = projectFiles().filter((file) => /\.tsx?$/.test(file) && !NOT_READ.test(file))
  const sources = new Map(files.map((file) => [file, parse(file, read(file))]))
  const wire = new Set<string>()
  for (const file of files) {
    if (!NAMING.test(file) || isTest(file)) continue
    for (const [, name = ''] of read(file).matchAll(/^\s+['"]?([A-Za-z_]\w*)['"]?:/gm)) wire.add(name)
    for (const [, name = ''] of read(file).matchAll(/['"]([A-Za-z_]\w*)['"]/g)) wire.add(name)
  }
  return { sources, wire }
}
