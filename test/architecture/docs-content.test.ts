import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { adminProgram, GROUPS } from '#lib/admin/program.ts'
import { projectFiles, read } from './scan.ts'

// Commands and numbers in the documents. Documents of the past and of measurements are left out: they repeat numbers.

const PAST =
  /^(CHANGELOG\.md|docs\/(evidence|decisions)\/|docs\/api-changelog\.md|docs\/develop\/row-level-security\.md)/
const documents = projectFiles().filter((file) => file.endsWith('.md') && !PAST.test(file))

const settings = [...read('.env.example').matchAll(/^# ([A-Z][A-Z_0-9]*)=/gm)].map(([, name = '']) => name)
/** First parts of the settings' names. */
const prefixes = new Set(settings.filter((name) => name.includes('_')).map((name) => name.split('_')[0]))
/** Variables of examples. */
const SAMPLE_VARIABLES = ['KEY_ID', 'API_KEY', 'CONSOLE', 'WEBHOOK_SECRET']

const groups = await Promise.all(
  GROUPS.map(async ({ name }) =>
    (await adminProgram(name)).commands.filter((command) => command.name() === name),
  ),
)
const commands = new Map(groups.flat().flatMap((command) => withSubcommands(command)))

describe('operator commands in the documents', () => {
  test('exist, with their options', () => {
    const named = documents.flatMap((file) => commandLines(read(file)).map((line) => ({ file, line })))
    expect(named.length).toBeGreaterThan(50)
    expect(
      named.flatMap(({ file, line }) => commandFaults(line).map((fault) => `${file}: ${fault}`)),
    ).toEqual([])
  })

  test.each([
    ['customers list', []],
    ['customers lists', ['customers lists']],
    ['import focus costs --customer sunbird --dry-run', []],
    ['import focus costs --customers sunbird', ['import focus --customers']],
    ['members add --customer sunbird --name "Ana --mails" --mail', []],
  ])('of "%s" the faults are %j', (line, faults) => {
    expect(commandFaults(line)).toEqual(faults)
  })

  test('are found in fences, continued lines and spans', () => {
    const text =
      '```sh\nnpm run -s admin -- sign-on set --customer a \\\n  --issuer b   # why\n```\n`npm run -s admin -- keys list`, `changes list --open`'
    expect(commandLines(text)).toEqual([
      'sign-on set --customer a --issuer b',
      'keys list',
      'changes list --open',
    ])
  })
})

describe('settings in the documents', () => {
  const readerPages = documents.filter((file) => !file.startsWith('deploy/'))

  test('exist', () => {
    expect(
      readerPages.flatMap((file) => unknownSettings(read(file)).map((name) => `${file}: ${name}`)),
    ).toEqual([])
    expect(SAMPLE_VARIABLES.filter((name) => !readerPages.some((file) => read(file).includes(name)))).toEqual(
      [],
    )
  })

  test('that do not exist are reported', () => {
    const text =
      '`RATE_LIMIT_SIGNS`, `DATABASE_URL=…`, `GOOGLE_KEY_FILE`, `PAST_DUE`, `OTEL_SERVICE_NAME`, $API_KEY'
    expect(unknownSettings(text)).toEqual(['RATE_LIMIT_SIGNS'])
  })
})

describe('a number', () => {
  test('with a unit of size or count is stated in one document', () => {
    // The other files of a recipe have the numbers of its trials.
    const pages = documents.filter((file) => !file.startsWith('deploy/'))
    expect(repeated(new Map(pages.map((file) => [file, read(file)])))).toEqual([])
  })

  test('that is the default of a setting is stated with the other settings only', () => {
    const faults = documents.flatMap((file) =>
      [...read(file).matchAll(/`[A-Z_]{4,}`,? \(?\d[\d,]*\)/g)].map(([span]) => `${file}: ${span}`),
    )
    expect(faults).toEqual([])
    expect('at most `KEY_DAYS` (365)').toMatch(/`[A-Z_]{4,}`,? \(?\d[\d,]*\)/)
  })

  test('that two documents state is found', () => {
    const pages = new Map([
      ['a.md', 'At most 500 invoices, and 16 KiB.\n```\n9 MB\n```'],
      ['b.md', 'A ZIP has 500 invoices. `9 MB`'],
    ])
    expect(repeated(pages)).toEqual(['500 invoices: a.md, b.md'])
    expect(repeated(new Map([['a.md', '500 invoices, 500 invoices']]))).toEqual([])
  })
})

/** Returns names that begin like a setting and are none, of a file with its value, or a variable of OpenTelemetry or an example. */
function unknownSettings(text: string): string[] {
  return [...text.matchAll(/(?<![\w…-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)]
    .map(([name]) => name)
    .filter((name) => prefixes.has(name.split('_')[0]) && !name.startsWith('OTEL_'))
    .filter((name) => ![name, name.replace(/_FILE$/, '')].some((one) => settings.includes(one)))
    .filter((name) => !SAMPLE_VARIABLES.includes(name))
}

/** Returns a command and those below it, by their full names. */
function withSubcommands(command: Command, before = ''): [string, Command][] {
  const name = `${before}${command.name()}`
  return [[name, command], ...command.commands.flatMap((sub) => withSubcommands(sub, `${name} `))]
}

/** Returns the command lines in a document, without the program before them. */
function commandLines(text: string): string[] {
  const joined = text.replaceAll(/\\\n\s*/g, '')
  const called = [...joined.matchAll(/npm run (?:-s )?admin -- ([^\n`]+)/g)].map(([, line = '']) => line)
  const spans = [...joined.matchAll(/`([a-z][a-z-]+ [a-z-]+ [^`\n]*--[^`\n]*)`/g)]
    .map(([, line = '']) => line)
    .filter((line) => commands.has(line.split(' ').slice(0, 2).join(' ')))
  return [...called, ...spans]
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter((line) => !line.startsWith('<'))
}

/** Returns the unknown command, or the unknown options, of a command line. */
function commandFaults(line: string): string[] {
  const tokens = line.replaceAll(/"[^"]*"/g, 'text').split(/\s+/)
  const name = [3, 2, 1].map((length) => tokens.slice(0, length).join(' ')).find((one) => commands.has(one))
  const command = commands.get(name ?? '')
  if (!command) return [tokens.slice(0, 2).join(' ')]
  const next = tokens[name?.split(' ').length ?? 0]
  const isUnknown = command.commands.length > 0 && /^[a-z]/.test(next ?? '')
  const options = tokens
    .filter((token) => /^--[a-z]/.test(token))
    .map((token) => token.replace(/[^a-z-].*$/, ''))
  const optionNames = new Set(command.options.flatMap(({ long }) => long ?? []))
  return isUnknown
    ? [`${name} ${next}`]
    : options
        .filter((option) => !optionNames.has(option) && option !== '--help')
        .map((option) => `${name} ${option}`)
}

/** Returns the sizes and counts that more than one document states in its text. */
function repeated(pages: ReadonlyMap<string, string>): string[] {
  const stated = [...pages].flatMap(([file, text]) => {
    const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '')
    const matches = prose.matchAll(
      /(?<![\w.,-])(\d[\d,.]*\d{1}) (KiB|MiB|GiB|kB|MB|GB|TB|invoices|lines|assets|product files|files|requests|operations|passwords|subscriptions)\b/g,
    )
    return [...new Set([...matches].map(([phrase]) => phrase))].map((phrase) => ({ phrase, file }))
  })
  return [...Map.groupBy(stated, ({ phrase }) => phrase)]
    .filter(([, entries]) => entries.length > 1)
    .map(([phrase, entries]) => `${phrase}: ${entries.map(({ file }) => file).join(', ')}`)
}
