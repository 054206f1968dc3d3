import { globSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importsOf, isTest, projectFiles, read, resolveImport } from './scan.ts'

const README_LINES = 100
const DECISION_LINES = 25
/** The last number of the decisions that were merged by subject: each one up to here is a file, or in the list. */
const NEWEST_MERGED = 135
const STATUS = /^# .+\n\nAccepted, \d{4}-\d{2}-\d{2}(; revised \d{4}-\d{2}-\d{2})?\./
const HEAD = '# 1. A\n\nAccepted, 2026-11-22.\n\n'
const HEADINGS = ['## Context', '## Decision', '## Alternatives', '## Consequences']

const files = [...projectFiles(), '.env.example', '.ci/run']
const documents = files.filter((file) => file.endsWith('.md'))
const decisions = documents.filter((file) => /^docs\/decisions\/\d/.test(file))
/** Files that the operator writes. */
const NOT_OURS = ['deploy/settings.env', 'deploy/owner.env', 'deploy/secrets/']
/** Folders of the root: a word in a document that begins with one of them is a path. */
const FOLDERS = [
  ...new Set(projectFiles().flatMap((file) => (file.includes('/') ? (file.split('/')[0] ?? []) : []))),
]
const scripts: string[] = ['test', 'start', ...Object.keys(JSON.parse(read('package.json')).scripts)]

test('the folders of the root and the documents in them are found', () => {
  expect(FOLDERS).toEqual(expect.arrayContaining(['app', 'deploy', 'docs', 'lib']))
  expect(documents).toEqual(expect.arrayContaining(['CONTRIBUTING.md', 'docs/develop/architecture.md']))
  const text = documents.map(read).join()
  expect(NOT_OURS.filter((path) => !text.includes(path))).toEqual([])
})

test(`README has at most ${README_LINES} lines`, () => {
  expect(lines(read('README.md'))).toBeLessThanOrEqual(README_LINES)
})

describe.each(documents)('%s', (document) => {
  test('names paths, commands and links that exist', () => {
    expect(faults(document, read(document))).toEqual([])
  })
})

test.each([
  [
    'README.md',
    'see `lib/licenses/assets/rules.ts`, `lib/platform/db/` and `lib/<domain>/<noun>/{store,rules}.ts`',
    [],
  ],
  ['README.md', 'see `lib/licenses/assets/ruls.ts`', ['`lib/licenses/assets/ruls.ts`']],
  ['README.md', 'see `deploy/gone.yml` and `deploy/settings.env`', ['`deploy/gone.yml`']],
  ['README.md', 'see `lib/<domain>/<noun>/{store,helpers}.ts`', ['`lib/<domain>/<noun>/{store,helpers}.ts`']],
  ['README.md', '```\nlib/gone/begin.ts\n```', ['`lib/gone/begin.ts`']],
  ['README.md', '`npm run -s admin -- keys` and `npm run nothing`', ['npm run nothing']],
  ['docs/use/invoices.md', '[a](exports.md) [b](../../README.md#develop) [c](https://example.com/x)', []],
  ['docs/use/invoices.md', '[a](/webhooks) [b](/webhoks)', ['/webhoks']],
  [
    'docs/use/invoices.md',
    '[a](export.md) [b](../../README.md#no-such-place)',
    ['export.md', '../../README.md#no-such-place'],
  ],
])('in %s, of %j exactly %j are found', (document, text, expected) => {
  expect(faults(document, text)).toEqual(expected)
})

describe('decisions', () => {
  test.each(decisions)('%s is short, dated and has its four headings', (file) => {
    expect(decisionFault(read(file))).toBe('')
  })

  test.each([
    [`${HEAD}## Context\n\na\n\n## Decision\n\na\n\n## Alternatives\n\na`, '## Consequences'],
    [`${HEAD}## Context\n\n## Decision\n\na\n\n## Alternatives\n\na\n\n## Consequences\n\na`, '## Context'],
    ['# 1. A\n\n## Context\n\na', 'status'],
    [`${HEAD}${HEADINGS.map((heading) => `${heading}\na${'\n'.repeat(9)}`).join('\n')}a`, 'lines'],
  ])('a faulty decision is found: %#', (text, fault) => {
    expect(decisionFault(text)).toContain(fault)
  })

  test('are named after their number and title, and listed', () => {
    const list = read('docs/decisions/README.md')
    expect(decisions.length).toBeGreaterThan(0)
    for (const file of decisions) {
      const [, number = '', title = ''] = /^# (\d+)\. (.+)\n/.exec(read(file)) ?? []
      expect(posix.basename(file)).toBe(`${number.padStart(4, '0')}-${fileSlug(title)}.md`)
      expect(list).toContain(`[${title}](${posix.basename(file)})`)
    }
  })

  test('have each number once, and the list has the file of each merged number', () => {
    const list = read('docs/decisions/README.md')
    const numbers = decisions.map((file) => Number(/\d{4}/.exec(file)?.[0]))
    const merged = [...list.matchAll(/^\| ([\d, ]+) \| \[(\d+)\]/gm)].flatMap(([, former = '', target]) => {
      expect(numbers).toContain(Number(target))
      return former.split(', ').map(Number)
    })
    expect(merged.length).toBeGreaterThan(0)
    const all = [...numbers, ...merged].sort((a, b) => a - b)
    expect(all).toEqual([...new Set(all)])
    expect(missing(all).filter((number) => number <= NEWEST_MERGED)).toEqual([])
  })

  test.each(documents)('are named by their own number in %s', (document) => {
    const links = [...read(document).matchAll(/\[decision\s+(\d+)\]\([^)]*?(\d{4})-/g)]
    expect(links.filter(([, number, file]) => Number(number) !== Number(file))).toEqual([])
  })
})

describe('settings', () => {
  // A schema may be declared in any folder; each setting is on a line by itself.
  const declared = files
    .filter((file) => /^lib\/(platform\/runtime\/env|(.+\/)?settings)\.ts$/.test(file) && !isTest(file))
    .flatMap(settingsOf)
  const documented = new Map(
    [...withoutComments(read('docs/operate/configuration.md')).matchAll(/^\| `([A-Z_]+)` \|(.*?)\|/gm)].map(
      ([, name = '', cell = '']) => [name, cell.trim()],
    ),
  )
  const example = new Map(
    [...read('.env.example').matchAll(/^# ([A-Z_]+)=(.*)$/gm)].map(([, name = '', text = '']) => [
      name,
      text,
    ]),
  )
  // npm sets it to the user's working directory.
  const names = [...new Set(declared.map(({ name }) => name))].filter((name) => name !== 'INIT_CWD').sort()

  test('are equal in the schemas, docs/operate/configuration.md and .env.example', () => {
    expect(names).toContain('DATABASE_URL')
    expect([...documented.keys()].sort()).toEqual(names)
    expect([...example.keys()].sort()).toEqual(names)
  })

  test('are checked at the start, in whichever module they are declared', () => {
    const list = 'lib/server/check-settings.ts'
    const checked = importsOf(read(list)).map(({ specifier }) => resolveImport(list, specifier))
    const modules = files.filter(
      (file) => file !== 'lib/platform/runtime/env.ts' && !isTest(file) && declares(file),
    )
    expect(modules).toContain('lib/platform/db/settings.ts')
    expect(modules.filter((file) => !checked.includes(file))).toEqual([])
    // Each exported reader is in the list, and a missing one is found.
    const readers = [...modules, 'lib/platform/runtime/env.ts'].flatMap((file) => readersIn(read(file)))
    expect(readers).toEqual(expect.arrayContaining(['env', 'vendorTimes', 'vendorSettings']))
    expect(readers.filter((name) => !new RegExp(`^  ${name},$`, 'm').test(read(list)))).toEqual([])
    expect(readersIn('export const newSettings = defineSettings(')).toEqual(['newSettings'])
  })

  test('have the default of both documents', () => {
    const present = declared.filter(({ value }) => value !== undefined)
    expect(present.length).toBeGreaterThan(10)
    for (const { name, value } of present) {
      expect([name, documented.get(name)]).toEqual([name, `\`${value}\``])
      expect([name, example.get(name)]).toEqual([name, value])
    }
  })
})

function withoutComments(text: string): string {
  return text.replace(/<!--[\s\S]*?-->/g, '')
}

/** Returns the names in a document that do not exist. */
function faults(document: string, whole: string): string[] {
  const text = withoutComments(whole)
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  const fenced = [...text.matchAll(/^```[\s\S]*?^```/gm)].flatMap(([block]) => block.split(/[\s,;]+/))
  const paths = [...spans, ...fenced]
    .filter(isPathLike)
    .filter((path) => !NOT_OURS.includes(path) && !exists(path))
  const commands = [...text.matchAll(/npm run (?:-s )?([a-z][\w:-]*)/g)]
    .filter(([, name = '']) => !scripts.includes(name))
    .map(([command]) => command)
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target) && !leads(document, target))
  return [...paths.map((path) => `\`${path}\``), ...commands, ...links]
}

/** Returns whether a text is a path from the root, to a file or a folder; `<noun>` is a placeholder for any name. */
function isPathLike(text: string): boolean {
  return new RegExp(`^(${FOLDERS.join('|')})/[\\w./()<>{},*\\[\\]-]*$`).test(text)
}

function exists(path: string): boolean {
  const plain = path.replace(/\/$/, '')
  if (files.some((file) => file === plain || file.startsWith(`${plain}/`))) return true
  const [, before, choices, after] = /^(.*?)\{([^}]*)\}(.*)$/.exec(plain) ?? []
  if (choices !== undefined) return choices.split(',').every((choice) => exists(`${before}${choice}${after}`))
  const pattern = plain.replace(/<[^>]*>/g, '*')
  return pattern.includes('*') && globSync(pattern).length > 0
}

function leads(document: string, target: string): boolean {
  // A screen of the console: pages for developers show some documents.
  if (target.startsWith('/')) return exists(`app/(console)${target}/page.tsx`)
  const [path = '', anchor] = target.split('#')
  const file = path ? posix.join(posix.dirname(document), path) : document
  if (!files.some((tracked) => tracked === file || tracked.startsWith(`${file}/`))) return false
  return (
    anchor === undefined || [...read(file).matchAll(/^#+ (.+)$/gm)].some(([, name]) => slug(name) === anchor)
  )
}

/** Returns the anchor that GitHub generates for a heading. */
function slug(heading = ''): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

/** Returns the name that a title gives a file. */
function fileSlug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll("'", '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** Returns the numbers from 1 on that a sorted list skips. */
function missing(numbers: number[]): number[] {
  return Array.from({ length: numbers.at(-1) ?? 0 }, (_, index) => index + 1).filter(
    (number) => !numbers.includes(number),
  )
}

function decisionFault(text: string): string {
  if (lines(text) > DECISION_LINES) return `${lines(text)} lines`
  if (!STATUS.test(text)) return 'no status with a date'
  const parts = text.split(/^(?=## )/m).slice(1)
  const missing = parts
    .filter((part) => part.split('\n').slice(1).join('').trim())
    .map((part) => part.split('\n')[0])
  return missing.join() === HEADINGS.join()
    ? ''
    : `not ${HEADINGS.filter((one) => !missing.includes(one)).join()}`
}

function declares(file: string): boolean {
  return file.startsWith('lib/') && file.endsWith('.ts') && /\bdefineSettings\(/.test(read(file))
}

/** Returns the names of a module's exports that read its settings. */
function readersIn(text: string): string[] {
  return [
    ...text.matchAll(/^export const (\w+)(?:: Settings<.*>)? = (?:defineSettings|Object\.assign)\(/gm),
  ].map(([, name = '']) => name)
}

/** Returns the settings that a file declares, each with its default if the default is a literal. */
function settingsOf(file: string): { name: string; value: string | undefined }[] {
  const parts = read(file).split(/^\s+(?=[A-Z][A-Z0-9_]+:)/m)
  return parts.slice(1).map((part) => {
    const [declaration = ''] = part.split(/,\n/)
    const [, text, number] = /\.default\((?:'([^']*)'|([\d_]+))\)/.exec(declaration) ?? []
    return { name: part.slice(0, part.indexOf(':')), value: text ?? number?.replaceAll('_', '') }
  })
}

function lines(text: string): number {
  return text.trimEnd().split('\n').length
}
