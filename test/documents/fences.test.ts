import { describe, expect, test } from 'vitest'
import { commandsInTables, commandsOf, DOCUMENTS, type Fence, fencesOf, isShell } from './fences.ts'
import { NOT_RUN, reasonNotToRun } from './not-run.ts'
import { PAGES } from './pages.ts'

// The commands themselves are run by commands.deep.test.ts.

const fences = DOCUMENTS.flatMap((file) => fencesOf(file))

/** Returns the fault of a block that neither the test of all commands uses, nor a reason exempts. */
function fault(fence: Fence): string[] {
  const { file, line, text } = fence
  if (reasonNotToRun(file, text) !== undefined) return []
  const page = PAGES.find((one) => one.file === file)
  const isInput = page?.inputs?.some((start) => text.startsWith(start))
  const isUsed = isShell(fence) ? page !== undefined : isInput || fence.language === 'python'
  return isUsed ? [] : [`${file}:${line}: ${text.split('\n')[0]}`]
}

test('each fenced block is run, is an input of such a run, or has a reason', () => {
  expect(fences.filter(isShell).length).toBeGreaterThan(25)
  expect(fences.flatMap(fault)).toEqual([])
})

test('each reason is of a block or a command that exists', () => {
  const texts = (file: string) => [
    ...fencesOf(file).flatMap((fence) => [fence.text, ...commandsOf(fence)]),
    ...commandsInTables(file),
  ]
  const unused = Object.entries(NOT_RUN).flatMap(([file, reasons]) =>
    reasons.filter(([start]) => !texts(file).some((text) => text.startsWith(start))).map(([start]) => start),
  )
  expect(unused).toEqual([])
})

test('each page that is run has commands, and each of its inputs exists', () => {
  for (const { file, inputs = [] } of PAGES) {
    const blocks = fencesOf(file)
    expect([file, blocks.some(isShell)]).toEqual([file, true])
    expect(inputs.filter((start) => !blocks.some(({ text }) => text.startsWith(start)))).toEqual([])
  }
})

describe('a document', () => {
  test('with a new block fails', () => {
    const [added] = fencesOf('README.md', 'a\n\n```text\nnew\n```\n')
    expect(added && fault(added)).toEqual(['README.md:3: new'])
    const [command] = fencesOf('SECURITY.md', '```sh\nnpm start\n```\n')
    expect(command && fault(command)).toEqual(['SECURITY.md:1: npm start'])
  })

  test('is read with continued lines, comments, prompts and indentation', () => {
    const commands = (text: string) => fencesOf('a.md', text).flatMap((fence) => commandsOf(fence))
    expect(
      commands("```sh\nnpm run demo    # with data\n# why\ncurl -d '{}' \\\n  http://a/#b\n```"),
    ).toEqual(['npm run demo', "curl -d '{}' http://a/#b"])
    expect(commands('1. a\n\n   ```\n   npm start\n   ```')).toEqual(['npm start'])
    expect(commands('```\n$ npm start\nListening\n\n$ npm test\n```')).toEqual(['npm start', 'npm test'])
  })

  test('has commands in its tables', () => {
    expect(commandsInTables('CONTRIBUTING.md')).toEqual(expect.arrayContaining(['npm run check']))
  })
})
