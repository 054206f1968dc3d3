import { Command, CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { GROUPS } from '#lib/admin/program.ts'
import { projectFiles, read } from './scan.ts'

const files = projectFiles()
const documents = files.filter((file) => file.endsWith('.md'))
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts

/** Command of a document: `whole` in a fenced block, from which a reader copies the line as it is. */
type Documented = { line: string; whole: boolean }

describe.each(documents.filter((document) => documented(read(document)).length > 0))('%s', (document) => {
  test('has commands with options, arguments and settings that exist', async () => {
    expect(await errorsIn(read(document))).toEqual([])
  })
})

test.each([
  ['```sh\nnpm run -s admin -- members list --customer sunbird   # who is there\n```', []],
  [
    '```sh\nnpm run -s admin -- members list --customer sunbird --custmer b\n```',
    ["unknown option '--custmer'"],
  ],
  ['```sh\nnpm run -s admin -- members lst\n```', ["unknown command 'lst'"]],
  ['```sh\nnpm run -s admin -- payments assign BANK-17 \\\n  --customer sunbird\n```', ['--invoice <id']],
  ['```sh\nnpm run -s admin -- changes show\n```', ["missing required argument 'id'"]],
  ['one calls `npm run -s admin -- changes show`, or `npm run -s admin -- changes shw`', ['shw']],
  ['one calls `npm run admin -- changes list --all --older-than 1h`', ['--all']],
  ['`npm run unit -- lib/gone` and `npm run e2e -- statement`', ['lib/gone']],
  ['`npm run floods -- --all --only pages --fast`', ['--fast']],
  ['`DRAIN_SECONDS=1 DEEP=1 SPEED=9 npm start`', ['SPEED']],
])('in %j exactly %j are reported', async (text, expected) => {
  const errors = await errorsIn(text)
  expect(errors).toHaveLength(expected.length)
  for (const [index, error] of expected.entries()) expect(errors[index]).toContain(error)
})

test('the documents contain commands', () => {
  const lines = documents.flatMap((document) => documented(read(document)))
  expect(lines.filter(({ whole }) => whole).length).toBeGreaterThan(50)
  expect(lines.filter(({ whole }) => !whole).length).toBeGreaterThan(50)
})

/** Returns the npm commands of a document, without comments and continued lines joined. */
function documented(text: string): Documented[] {
  const fenced = [...text.matchAll(/^( *)```[\s\S]*?^\1```/gm)].map(([block]) => block)
  const rest = fenced.reduce((left, block) => left.replace(block, ''), text)
  const lines = fenced.flatMap((block) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'))
  const spans = [...rest.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  const command = (line: string) => /(?:[A-Z_]+=\S+ +)*npm (?:run|test|start)\b.*/.exec(line)?.[0]
  const asDocumented = (whole: boolean) => (line: string) => {
    const match = command(line.replace(/(^|\s)#\s.*/, ''))
    return match === undefined ? [] : [{ line: match.split(/ [|>&] ?/)[0]?.trim() ?? '', whole }]
  }
  return [...lines.flatMap(asDocumented(true)), ...spans.flatMap(asDocumented(false))]
}

async function errorsIn(text: string): Promise<string[]> {
  const errors: string[] = []
  for (const { line, whole } of documented(text)) {
    const [call = '', tail = ''] = line.split(/ --(?= |$)/)
    const args = [...tail.matchAll(/"[^"]*"|\S+/g)].map(([arg]) => arg.replaceAll('"', ''))
    const script = /npm run (?:-s )?([\w:-]+)/.exec(call)?.[1]
    errors.push(...settingErrors(call))
    if (script === 'admin') errors.push(...(await adminErrors(args, whole && !tail.includes('…'))))
    else if (script !== undefined) errors.push(...scriptErrors(script, args))
  }
  return errors
}

/** Returns the assigned settings that no file of the project reads. */
function settingErrors(call: string): string[] {
  const names = [...call.matchAll(/([A-Z][A-Z_]+)=/g)].map(([, name = '']) => name)
  const sources = files.filter((file) => /\.(ts|mjs)$/.test(file) && !file.endsWith('commands.test.ts'))
  return names.filter(
    (name) =>
      !read('.env.example').includes(`# ${name}=`) &&
      !sources.some((file) => new RegExp(`\\b${name}\\b`).test(read(file))),
  )
}

/** Returns the errors of an operator's command; a `whole` one is parsed, and only its work is left out. */
async function adminErrors(args: readonly string[], whole: boolean): Promise<string[]> {
  const group = GROUPS.find(({ name }) => name === args[0])
  if (!group) return args.length === 0 || args[0]?.startsWith('<') ? [] : [`unknown group ${args[0]}`]
  const parent = new Command(group.name).exitOverride().configureOutput({ writeErr: () => {} })
  ;(await group.load())(parent)
  if (!whole) return mentionErrors(parent, args.slice(1))
  for (const leaf of leavesOf(parent)) leaf.action(() => {})
  try {
    await parent.parseAsync(args.slice(1), { from: 'user' })
    return []
  } catch (error) {
    if (error instanceof CommanderError) return [error.message]
    throw error
  }
}

/** Returns the first arg of a mention that names no command, and its unknown options. */
function mentionErrors(parent: Command, args: readonly string[]): string[] {
  let command = parent
  for (const arg of args) {
    if (command.commands.length === 0 || !/^[a-z][a-z-]*$/.test(arg)) break
    const next = command.commands.find((sub) => sub.name() === arg)
    if (!next) return [`unknown command ${arg}`]
    command = next
  }
  const options = leavesOf(command).flatMap((leaf) => leaf.options.map(({ long }) => long))
  return args.filter((arg) => arg.startsWith('--') && !options.includes(arg.split('=')[0]))
}

function leavesOf(command: Command): Command[] {
  return command.commands.length === 0
    ? [command]
    : command.commands.flatMap((sub) => leavesOf(sub as Command))
}

/** Returns the options and paths of a script's command that its source and the project don't have. */
function scriptErrors(name: string, args: readonly string[]): string[] {
  const script = scripts[name] ?? ''
  if (script.startsWith('vitest') || script.startsWith('playwright')) {
    const tests = files.filter((file) => /\.(test|spec)\.ts$/.test(file))
    const filters = args.filter((arg) => !arg.startsWith('-') && !/[<…]/.test(arg))
    return filters.filter((filter) => !tests.some((file) => file.includes(filter)))
  }
  const file = /([\w/-]+\.ts)\b(?! .*\.ts)/.exec(script)?.[1]
  if (!file) return []
  const options = args.filter((arg) => /^--[a-z]/.test(arg)).map((arg) => arg.slice(2).split('=')[0])
  const source = read(file)
  return options
    .filter((option) => !new RegExp(`(^|[\\s{'])(--)?${option}('|:)`, 'm').test(source))
    .map((option) => `--${option}`)
}
