import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

// CONTRIBUTING.md, "How we write": `kind(area): imperative verb …`. Older commits are not rewritten.

const LAST_UNCHECKED = '9d26655f'
const MAX_LENGTH = 72
const KINDS = ['feat', 'fix', 'refactor', 'perf', 'test', 'docs', 'build', 'chore']
/**
 * Matches a subject. The area may be omitted if a commit changes many; `!` marks a change that clients have to follow.
 */
const SUBJECT = new RegExp(
  `^(?:${KINDS.join('|')})(?:\\([a-z0-9-]+\\))?!?: ([a-z]+(?:-[a-z]+)*)(?: .*[^ .])?$`,
)
/** Endings of participles and of the third person: "added", "adding", "adds". */
const NOT_IMPERATIVE = /(?:[^e]ed|ing|[^s]s)$/
/** Imperatives with such an ending. */
const IMPERATIVES = ['bring', 'ping', 'string', 'embed', 'shed', 'focus', 'alias']

test('commit subjects have a kind, an area and an imperative verb', (context) => {
  const subjects = subjectsAfter(LAST_UNCHECKED)
  if (typeof subjects === 'string') return context.skip(subjects)
  expect(subjects.filter((subject) => fault(subject) !== undefined)).toEqual([])
})

test('a history without the commit is skipped with a reason', () => {
  expect(subjectsAfter('0000000000000000000000000000000000000000')).toContain('history')
})

test.each([
  'fix(license-changes): wait for the poll lease before resending',
  'refactor(renewal-orders)!: reconcile by a log of all requests',
  'refactor: load the log once',
  'docs(readme): focus on the first ten minutes',
  'test(focus-1-4): embed the expected rows',
  'fix(db): proceed without a replica',
  'perf(api): pass rows through',
  `docs: ${'a'.repeat(66)}`,
])('%j passes', (subject) => {
  expect(fault(subject)).toBeUndefined()
})

test.each([
  ['wip', 'form'],
  ['Add a check', 'form'],
  ['feature(api): add a check', 'form'],
  ['fix (api): add a check', 'form'],
  ['fix(API): add a check', 'form'],
  ['fix(): add a check', 'form'],
  ['fix(api):add a check', 'form'],
  ['fix(api): Add a check', 'form'],
  ['fix(api): add a check.', 'form'],
  ['fix(api): 3 checks', 'form'],
  ['fix(api): ', 'form'],
  ['fix(api): added a check', 'verb'],
  ['fix(api): adding a check', 'verb'],
  ['fix(api): adds a check', 'verb'],
  [`docs: ${'a'.repeat(67)}`, 'length'],
])('%j has a wrong %s', (subject, expected) => {
  expect(fault(subject)).toBe(expected)
})

/** Returns the subjects of all commits after `commit` that are not merges, or the reason why there is no history. */
function subjectsAfter(commit: string): string[] | string {
  try {
    if (git('rev-parse', '--is-shallow-repository').trim() !== 'false')
      return 'a shallow clone has no history'
    git('cat-file', '-e', `${commit}^{commit}`)
  } catch {
    return `there is no git history with the commit ${commit}`
  }
  return git('log', '--no-merges', '--format=%s', `${commit}..HEAD`).split('\n').filter(Boolean)
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

/** Returns which part of a subject is wrong. */
function fault(subject: string): 'length' | 'form' | 'verb' | undefined {
  if (subject.length > MAX_LENGTH) return 'length'
  const verb = SUBJECT.exec(subject)?.[1]
  if (verb === undefined) return 'form'
  return NOT_IMPERATIVE.test(verb) && !IMPERATIVES.includes(verb) ? 'verb' : undefined
}
