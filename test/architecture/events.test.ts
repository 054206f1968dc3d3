import { describe, expect, test } from 'vitest'
import { KIND_NAMES, kindsOf } from '#lib/identity/audit-events/rules.ts'
import { isTest, projectFiles, read } from './scan.ts'

// docs/history.md names each event that is recorded, by its kind, and no other.

const RECORDS = /\b(record(Audit|Deed|Standalone|Rejection)|owner\.addEvent|partOf)\(/
/** A name of one letter is an alias in SQL, and one that ends in `.json` a file. */
const WHOLE = /'([a-z]{2,}(?:-[a-z]+)*\.(?!json')[a-z]+(?:-[a-z]+)*)'/g
/** Where the verb comes from elsewhere, such as a change's state: the thing stands for all of its events. */
const THING = /`([a-z]+(?:-[a-z]+)*)\.\$\{/g

function recordedIn(text: string): string[] {
  if (!RECORDS.test(text)) return []
  const whole = [...text.matchAll(WHOLE)].map(([, action = '']) => action)
  return [...whole, ...[...text.matchAll(THING)].map(([, thing]) => `${thing}.…`)]
}

const files = projectFiles('lib').filter((file) => file.endsWith('.ts') && !isTest(file))
const recorded = [...new Set(files.flatMap((file) => recordedIn(read(file))))]
const rows = read('docs/history.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, name]) => name as string))
const named = [...new Set(rows.flatMap(([, ...actions]) => actions))]

const thingOf = (action: string) => action.split('.')[0]
const missing = (actions: readonly string[], listed: readonly string[]) =>
  actions.filter((action) => {
    const isThere = (one: string) =>
      one === action || ((one.endsWith('…') || action.endsWith('…')) && thingOf(one) === thingOf(action))
    return !listed.some(isThere)
  })

describe('the papers name', () => {
  test('each event that is recorded', () => {
    expect(recorded.length).toBeGreaterThan(20)
    expect(missing(recorded, named)).toEqual([])
  })

  test('no event that is not', () => {
    expect(missing(named, recorded)).toEqual([])
  })

  test('each by the kind that it is looked for by', () => {
    expect(rows.map(([kind]) => kind)).toEqual(KIND_NAMES)
    for (const [kind, ...actions] of rows)
      for (const action of actions)
        expect([kind, action, kindsOf(action)]).toEqual([kind, action, expect.arrayContaining([kind])])
    for (const action of named) expect([action, kindsOf(action)]).not.toEqual([action, []])
  })
})

test('nothing to read is found', () => {
  expect(missing(named, [])).toEqual(named)
  expect(named.length).toBeGreaterThan(20)
})

test('an event that is forgotten is found', () => {
  const text = "await recordDeed(tx, id, disabled ? 'member.shut-out' : 'member.enabled', id)"
  expect(missing(recordedIn(text), named)).toEqual(['member.shut-out'])
  expect(missing(recordedIn('const action = `planet.$' + '{what}`; recordAudit(tx)'), named)).toEqual([
    'planet.…',
  ])
  expect(missing(['member.shut-out'], recorded)).toEqual(['member.shut-out'])
})
