import { basename } from 'node:path'
import { parseSync } from 'oxc-parser'
import { isTest, projectFiles, read } from './scan.ts'

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

/**
 * The names of one source file (properties and methods apart, which may be names on the wire), its comments and test
 * titles, and its texts: string literals and JSX, which people read on screens, in mails and in errors.
 */
export type Source = { identifiers: string[]; members: string[]; prose: string[]; texts: string[] }

/** Names on the wire, in the database and in settings, which keep their spelling: property keys of these files. */
const NAMING = /(^|\/)(contract|shapes|schemas|settings|[a-z-]+-shapes)\.ts$|^lib\/platform\/db\/schema\//
/** Generated SQL and tables, and this list itself. */
const NOT_READ = /^(lib\/platform\/db\/migrations\/|test\/architecture\/words)/

type Node = { type: string; [key: string]: unknown }

/**
 * Returns the identifiers, comments, test titles and texts of a source file.
 * @throws where the text is not valid TypeScript
 */
export function parse(file: string, text: string): Source {
  const { program, comments, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const identifiers: string[] = []
  const members: string[] = []
  const prose = comments.map(({ value }) => value)
  const texts: string[] = []
  const visit = (node: Node, isMember = false): void => {
    if (/^(JSX|Private)?Identifier$/.test(node.type)) {
      const names = isMember ? members : identifiers
      names.push(node.name as string)
    }
    const written = textOf(node)
    if (written) texts.push(written)
    const title = titleOf(node)
    if (title) prose.push(title)
    for (const [key, child] of childrenOf(node)) {
      visit(child, (key === 'key' || key === 'property') && node.computed !== true)
    }
  }
  visit(program as unknown as Node)
  return { identifiers, members, prose, texts }
}

/** Returns the child nodes of `node`, each with the name of its property. */
function childrenOf(node: Node): [string, Node][] {
  // A shorthand property holds one identifier twice: as its key and as its value.
  const isShorthand = node.type === 'Property' && node.shorthand === true
  return Object.entries(node).flatMap(([key, value]) => {
    if (isShorthand && key === 'key') return []
    return [value].flat().flatMap((child): [string, Node][] => (isNode(child) ? [[key, child]] : []))
  })
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** Returns the text of a string literal, of a part of a template and of JSX. */
function textOf({ type, value }: Node): string | undefined {
  if (type === 'TemplateElement') return (value as { cooked: string }).cooked
  return (type === 'Literal' || type === 'JSXText') && typeof value === 'string' ? value : undefined
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

/** Splits an identifier or a file name into its words, in lower case: `toldOf` and `told-of` are `told` and `of`. */
export function split(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

/**
 * Returns the uses of a row in one file, as they are written.
 * @param wire names that keep their spelling as properties
 */
export function usesIn(row: Row, file: string, source: Source, wire: ReadonlySet<string>): string[] {
  if (row.except?.test(file) || row.only?.test(file) === false) return []
  const { identifiers, members, prose } = source
  const names = [...identifiers, ...members.filter((name) => !wire.has(name))]
  const fileName = basename(file).replace(/(\.deep)?(\.test|\.spec)?\.tsx?$/, '')
  const uses: string[] = []
  if (row.words) {
    const words = new Set(row.words.split(' '))
    uses.push(...[...names, fileName].filter((name) => split(name).some((word) => words.has(word))))
  }
  if (row.identifiers) uses.push(...names.filter((name) => row.identifiers?.test(name)))
  if (row.files?.test(fileName)) uses.push(fileName)
  const pattern = row.prose && new RegExp(row.prose, 'gi')
  if (pattern) for (const text of prose) uses.push(...[...text.matchAll(pattern)].map(([match]) => match))
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
