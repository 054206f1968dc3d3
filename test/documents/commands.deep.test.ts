import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Catcher, startCatcher } from '../fakes/mail/catcher.ts'
import { type Clone, cloneProject, isOfDevelopers } from './clone.ts'
import { commandsInTables, commandsOf, DOCUMENTS, fencesOf, isShell } from './fences.ts'
import { reasonNotToRun } from './not-run.ts'
import { PAGES, type Page } from './pages.ts'

// Runs every command of the documents as written in a fresh clone. fences.test.ts checks that no block is left out.

const LIMIT_MS = 60 * 60_000
const KEY = /lic_[0-9A-Za-z]{36}/

let clone: Clone
let mail: Catcher

beforeAll(async () => {
  mail = await startCatcher()
  clone = await cloneProject({ SMTP_URL: mail.url, MAIL_FROM: 'Billing <billing@console.example>' })
}, LIMIT_MS)

afterAll(async () => {
  await clone?.close()
  await mail?.close()
}, LIMIT_MS)

/** Returns the block of a page that begins with a text. */
function inputOf({ file }: Page, start: string): string {
  return fencesOf(file).find(({ text }) => text.startsWith(start))?.text ?? ''
}

/**
 * Returns the value of `id` in the first row of a command's JSON. Of imports that is the one of FOCUS files: one of assets
 * can't be undone, and later commands use the imported invoices.
 */
async function newestId(command: string): Promise<string> {
  const rows: { id: string; kind?: string }[] = JSON.parse(await clone.run(command))
  return rows.find(({ kind = 'focus' }) => kind === 'focus')?.id ?? ''
}

/** Issues the API key that the commands take from their environment. */
async function setKey(): Promise<void> {
  const printed = await clone.run(
    'npm run -s admin -- keys issue --customer sunbird --role admin --role it-manager --role finance-user --name documents',
  )
  const key = KEY.exec(printed)?.[0] ?? ''
  const { keys } = JSON.parse(
    await clone.run(`curl -H "Authorization: Bearer ${key}" "$CONSOLE/billing/v1/keys"`),
  )
  Object.assign(clone.env, { API_KEY: key, KEY_ID: keys[0].id })
}

/** Returns the API key that the demo prints. */
async function printedKey(): Promise<string> {
  await expect.poll(() => clone.output(), { timeout: 60_000 }).toMatch(KEY)
  return KEY.exec(clone.output())?.[0] ?? ''
}

/** Returns the commands of a page that have no reason not to be run. */
function commandsToRun({ file }: Page): string[] {
  const isToRun = (text: string) => reasonNotToRun(file, text) === undefined
  const blocks = fencesOf(file).filter((fence) => isShell(fence) && isToRun(fence.text))
  return [...blocks.flatMap(commandsOf), ...commandsInTables(file)].filter(isToRun)
}

async function runCommand(command: string, { answers = {}, ids = {} }: Page): Promise<void> {
  // A developer's command works on the files that a server reads.
  if (isOfDevelopers(command)) await clone.stop()
  if (command.includes('$API_KEY')) await setKey()
  let line = command
  for (const [id, list] of Object.entries(ids))
    if (line.includes(id)) line = line.replace(id, await newestId(list))
  const question = Object.keys(answers).find((start) => line.startsWith(start) && !line.includes('--dry-run'))
  await clone.run(line, question && answers[question])
  if (command === 'npm run demo') clone.env.KEY = await printedKey()
}

async function runPage(page: Page): Promise<string[]> {
  const { files = {}, before = [] } = page
  for (const [name, text] of Object.entries(files))
    clone.write(name, typeof text === 'string' ? text : inputOf(page, text.input))
  for (const command of before) await clone.run(command)
  const commands = commandsToRun(page)
  for (const command of commands) await runCommand(command, page)
  for (const name of [...Object.keys(files), ...before.flatMap(createdBy)]) clone.remove(name)
  return commands
}

/** Returns the paths that a command before a page creates in the clone's root. */
function createdBy(command: string): string[] {
  const [, folders = ''] = /^mkdir -p (.+)$/.exec(command) ?? []
  const [, target = ''] = /^(?:cp \S+|python3 -m zipfile -c) (\S+)/.exec(command) ?? []
  return [...folders.split(' '), target].filter((path) => path !== '')
}

describe('the commands of', () => {
  test.each(PAGES)('$file run as written', { timeout: LIMIT_MS }, async (page) => {
    expect(await runPage(page)).not.toEqual([])
  })
})

test.each(DOCUMENTS.flatMap((file) => fencesOf(file)).filter(({ language }) => language === 'python'))(
  'the Python of $file runs as written',
  async ({ text }) => {
    clone.write('out/example.py', text)
    await clone.run('python3 out/example.py')
  },
)

test('a mail left', () => {
  expect(mail.mails.length).toBeGreaterThan(0)
})

test('afterwards the clone has no change and no file that git does not ignore', async () => {
  await clone.stop()
  expect(await clone.run('git status --porcelain')).toBe('')
})
