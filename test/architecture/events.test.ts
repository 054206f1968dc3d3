import { describe, expect, test } from 'vitest'
import { KIND_NAMES, kindsOf } from '#lib/identity/audit-events/rules.ts'
import { isTest, projectFiles, read } from './scan.ts'

// docs/operate/history.md names exactly the recorded events, each with its kind.

const RECORDS = /\b(record(Audit|OperatorAction|Standalone|Rejection)|owner\.addEvent|taskFor)\(/
/** A name of one letter is an alias in SQL, and a name that ends in `.json` is a file. */
const WHOLE = /'([a-z]{2,}(?:-[a-z]+)*\.(?!json')[a-z]+(?:-[a-z]+)*)'/g
/** A verb that comes from another place, such as a change's state: the thing represents all of its events. */
const THING = /`([a-z]+(?:-[a-z]+)*)\.\$\{/g

function recordedIn(text: string): string[] {
  if (!RECORDS.test(text)) return []
  const whole = [...text.matchAll(WHOLE)].map(([, action = '']) => action)
  return [...whole, ...[...text.matchAll(THING)].map(([, thing]) => `${thing}.…`)]
}

const files = projectFiles('lib').filter((file) => file.endsWith('.ts') && !isTest(file))
const recorded = [...new Set(files.flatMap((file) => recordedIn(read(file))))]
const rows = read('docs/operate/history.md')
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

describe('the documents name', () => {
  test('each event that is recorded', () => {
    expect(recorded.length).toBeGreaterThan(20)
    expect(missing(recorded, named)).toEqual([])
  })

  test('only events that are recorded', () => {
    expect(missing(named, recorded)).toEqual([])
  })

  test('each event under the kinds that find it', () => {
    expect(rows.map(([kind]) => kind)).toEqual(KIND_NAMES)
    for (const [kind, ...actions] of rows)
      for (const action of actions)
        expect([kind, action, kindsOf(action)]).toEqual([kind, action, expect.arrayContaining([kind])])
    for (const action of named) expect([action, kindsOf(action)]).not.toEqual([action, []])
  })
})

test('an event that no source records is found', () => {
  expect(missing(named, [])).toEqual(named)
  expect(named.length).toBeGreaterThan(20)
})

test('an undocumented event is found', () => {
  const text = "await recordOperatorAction(tx, id, disabled ? 'member.shut-out' : 'member.enabled', id)"
  expect(missing(recordedIn(text), named)).toEqual(['member.shut-out'])
  expect(missing(recordedIn('const action = `planet.$' + '{what}`; recordAudit(tx)'), named)).toEqual([
    'planet.…',
  ])
  expect(missing(['member.shut-out'], recorded)).toEqual(['member.shut-out'])
})
