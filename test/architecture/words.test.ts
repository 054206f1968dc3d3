import { expect, test } from 'vitest'
import { unmatched } from './scan.ts'
import { parse, type Row, readProject, split, usesIn } from './words.ts'

// Private words for which the field has a standard term, counted in identifiers and file names; the last rows are counted
// in comments and test titles. A ceiling may only fall. Not counted: properties with a name of the wire, the database or the
// settings, and the files and senses that a row excepts (an account statement, OpenTelemetry's traces, an injected fault, the facts of a decision).

const ROWS: (Row & { ceiling: number })[] = [
  { name: 'given', words: 'given givens', ceiling: 16 },
  { name: 'own', words: 'own owns owned', ceiling: 31 },
  { name: 'told', words: 'told tell tells telling', ceiling: 9 },
  { name: 'ask', words: 'ask asks asked asking', ceiling: 95 },
  { name: 'refused', words: 'refuse refuses refused refusal refusals', ceiling: 46 },
  { name: 'found', words: 'found', ceiling: 105 },
  { name: 'of', identifiers: /^of$/, ceiling: 6 },
  { name: 'place', words: 'place places', ceiling: 95 },
  {
    name: 'fault',
    words: 'fault faults',
    except: /^test\/|^lib\/vendors\/.*test|^e2e\/|bench\//,
    ceiling: 60,
  },
  {
    name: 'MOST',
    identifiers: /^(MOST|LONGEST|PATIENCE|USUAL|FIRST|SLOWEST|LEAST|FEWEST|SHORTEST)(_|$)/,
    ceiling: 22,
  },
  { name: 'kept', words: 'kept keep keeps keeping', ceiling: 61 },
  { name: 'shown', words: 'shown', ceiling: 52 },
  { name: 'turn', words: 'turn turns', ceiling: 20 },
  { name: 'way', words: 'way ways', ceiling: 23 },
  {
    name: 'order',
    identifiers:
      /^(?!.*([Rr]enewal|[Pp]urchase|orderBy|ORDER_BY|[rR]ecorder|[bB]order)).*([Oo]rder([A-Z_]|s|$))/,
    except: /renewal|vendors|order|fuzz|fakes|operator-mail|due-work|service-stats|lib\/admin\/status/,
    ceiling: 66,
  },
  { name: 'statement', words: 'statement statements', except: /statement|costs|idle/, ceiling: 97 },
  { name: 'trace', words: 'trace traces', except: /traces/, ceiling: 45 },
  { name: 'reading', words: 'reading readings', ceiling: 68 },
  {
    name: 'settle',
    identifiers:
      /^(?!settleWithin$|allSettled$|SETTLE_|settleMs$|settleTime$|settledAt$).*([sS]ettl(e|ing)|SETTL)/,
    ceiling: 90,
  },
  { name: 'word', words: 'word words', ceiling: 13 },
  { name: 'words.ts', files: /^([a-z-]+-)?words$/, ceiling: 0 },
  { name: 'look', words: 'look looks', ceiling: 105 },
  {
    name: 'head',
    identifiers: /^(?!.*(chain|Chain|CHAIN|writeHead|HEAD$)).*([hH]eads?([A-Z_]|$)|^HEADS?_)/,
    ceiling: 60,
  },
  { name: 'wanted', words: 'wanted want wants', ceiling: 39 },
  { name: 'known', words: 'known', ceiling: 73 },
  { name: 'reach', words: 'reach reaches reached', ceiling: 29 },
  { name: 'standing', words: 'standing stands stand', ceiling: 6 },
  { name: 'take', words: 'take takes taken taking', ceiling: 40 },
  { name: 'door', words: 'door doors', ceiling: 0 },
  { name: 'wall', words: 'wall walls', ceiling: 0 },
  { name: 'flight', words: 'flight flights', ceiling: 2 },
  {
    name: 'last words',
    identifiers: /[lL]astWord|leaveToTheEnd|LAST_WORD/,
    files: /^last-words$/,
    ceiling: 0,
  },
  { name: 'visit', words: 'visit visits', except: /^test\/architecture/, ceiling: 0 },
  { name: 'visitor', words: 'visitor visitors', ceiling: 0 },
  { name: 'stranger', words: 'stranger strangers', ceiling: 4 },
  { name: 'crew', words: 'crew crews farewell farewells answering', ceiling: 2 },
  { name: 'going', words: 'going begun', identifiers: /[uU]nderWay|useAhead/, ceiling: 6 },
  { name: 'later', words: 'later meanwhile ahead', ceiling: 17 },
  { name: 'late', words: 'late soon', ceiling: 78 },
  { name: 'books', words: 'books book', ceiling: 22 },
  { name: 'foresee', words: 'foresee foreseen foretell foresees', ceiling: 14 },
  { name: 'judge', words: 'judge judges judged', except: /^test\/fuzz/, ceiling: 0 },
  { name: 'proof', words: 'proof proofs proven', ceiling: 84 },
  { name: 'fate', words: 'fate fates', ceiling: 0 },
  { name: 'verdict', words: 'verdict verdicts', except: /^test\/fuzz/, ceiling: 2 },
  { name: 'outlook', words: 'outlook outlooks', ceiling: 0 },
  { name: 'figure', words: 'figure figures', ceiling: 0 },
  { name: 'paper', words: 'paper papers', ceiling: 8 },
  { name: 'draw', words: 'draw draws drawn drawing drawings', ceiling: 11 },
  { name: 'holding', words: 'holding holdings held', ceiling: 36 },
  { name: 'beside', words: 'beside besides', ceiling: 4 },
  { name: 'apart', words: 'apart', ceiling: 18 },
  { name: 'anew', words: 'anew', ceiling: 0 },
  { name: 'letterhead', words: 'letterhead', ceiling: 0 },
  { name: 'deed', words: 'deed deeds doings doing', ceiling: 0 },
  { name: 'spread', words: 'spread everywhere', ceiling: 10 },
  { name: 'departed', words: 'departed departure departures gone', ceiling: 32 },
  { name: 'upkeep', words: 'upkeep', ceiling: 0 },
  { name: 'oddity', words: 'oddity oddities misfit misfits lacking aligned gathered collected', ceiling: 20 },
  {
    name: 'pour',
    words: 'pour pours delivered',
    identifiers: /heldScripts|pressAgain|PressAgain/,
    ceiling: 0,
  },
  { name: 'pace', words: 'pace patience slowest', except: /^bench\//, ceiling: 4 },
  { name: 'spend', words: 'spend spent spends mercy forgive', ceiling: 2 },
  { name: 'spare', words: 'spare', ceiling: 0 },
  { name: 'hints', words: 'hints hint mark marks', ceiling: 71 },
  { name: 'look-ups', identifiers: /[lL]ookUps?|LOOK_UPS?/, files: /look-ups?/, ceiling: 1 },
  { name: 'originals', words: 'originals original planned', ceiling: 0 },
  { name: 'finder', words: 'finder wish wishes', identifiers: /walkRows|keyReader/, ceiling: 7 },
  { name: 'Pick', identifiers: /[pP]ickMenu|^picks?$/, ceiling: 8 },
  {
    name: 'fold',
    words: 'fold folds folded fact facts crumb crumbs ticked copied dimmed',
    except: /^lib\/licenses\/renewal-orders\/|^lib\/billing\/parties\//,
    ceiling: 5,
  },
  { name: 'say', words: 'say says said saying', ceiling: 19 },
  { name: 'onGo', identifiers: /^on(Go|Moved|Near|Point|GoOn|New|Told)$/, ceiling: 0 },
  { name: 'worth', words: 'worth lasting dearest', ceiling: 2 },
  { name: 'shapes.ts', files: /^([a-z-]+-)?shapes$/, ceiling: 0 },
  { name: 'calls.ts', files: /^calls$/, ceiling: 0 },
  { name: 'queries.ts', files: /^queries$/, only: /^(lib|components)\//, ceiling: 0 },
  { name: 'noun', words: 'noun nouns house landmark landmarks breach breaches', ceiling: 3 },
  { name: 'stand-ins', words: 'desk harbor invented wiretap trial trials', ceiling: 55 },
  { name: 'fuzz', words: 'weather scenery sceneries naive', ceiling: 19 },
  { name: 'warden', words: 'warden wardens', ceiling: 0 },
  {
    name: 'e2e names',
    files: /^(hands|crew|looks|line|gate|openers|ways|going|clerk|people)$/,
    only: /^e2e\//,
    ceiling: 0,
  },
  { name: 'e2e specs', files: /^(press-again|paper|later|debt|open)$/, only: /^e2e\//, ceiling: 0 },
  { name: 'whoever', prose: /\b(whoever|whomever|whosever|somebody|nobody|anybody)\b/, ceiling: 7 },
  { name: 'what', prose: /\bwhat\b/, ceiling: 163 },
  {
    name: 'adverbs',
    prose: /\b(anew|meanwhile|besides?|alone|apart|such an?|of which|by which|at once|so that no)\b/,
    ceiling: 139,
  },
  {
    name: 'verbs',
    prose: /\b(told|tells?|says?|said|stands?|stood|comes? to|becomes? of|came to)\b/,
    ceiling: 100,
  },
  { name: 'The same', prose: /^\W*The same (of|after|as|for|in|with|but|where|when)\b/, ceiling: 1 },
]

const project = readProject()
const sources = [...project.sources]

test.each(ROWS)('“$name” is used at most $ceiling times', ({ ceiling, ...row }) => {
  const uses = sources.flatMap(([file, source]) => usesIn(row, file, source, project.wire))
  expect(uses.length).toBeLessThanOrEqual(ceiling)
})

test('each path in a row matches a file', () => {
  const paths = ROWS.flatMap(({ except, only }) => [except, only].filter((path) => path !== undefined))
  expect(unmatched(paths, [...project.sources.keys()])).toEqual([])
})

test.each([
  ['const toldOf = 1', ['toldOf']],
  ['function f({ told }: { told: string }) { return told }', ['told', 'told', 'told']],
  ['const a = <Row told={1}>told</Row>', ['told']],
  ["import { a as TOLD_AT } from 'told'", ['TOLD_AT']],
  ['log({ onWire: b.onWire, untold: "told", toldy })', []],
])('the words of %j are counted in names, not in texts', (text, uses) => {
  const row = { name: 'told', words: 'told wire' }
  expect(usesIn(row, 'lib/a.tsx', parse('a.tsx', text), new Set(['onWire']))).toEqual(uses)
})

test.each([
  ['// whoever comes\nconst a = 1', 1],
  ['/** Whoever, and\n * nobody. */\nconst a = 1', 2],
  ["test.each([1])('nobody %s', () => {})", 1],
  ['describe(`whoever \u0024{a} nobody`, () => {})', 2],
  ["const a = 'nobody'", 0],
])('the prose of %j is counted in comments and test titles', (text, count) => {
  const row = { name: 'whoever', prose: /\b(whoever|nobody)\b/ }
  expect(usesIn(row, 'lib/a.ts', parse('a.ts', text), new Set())).toHaveLength(count)
})

test('a file name is counted by its words, and as a whole', () => {
  const source = parse('a.ts', '')
  expect(usesIn({ name: 'told', words: 'told' }, 'lib/told/what-told.test.ts', source, new Set())).toEqual([
    'what-told',
  ])
  expect(usesIn({ name: 'calls', files: /^calls$/ }, 'lib/keys/calls.ts', source, new Set())).toEqual([
    'calls',
  ])
})

test('names are split at capitals, hyphens and underscores', () => {
  expect(split('toldOfHTTPPath')).toEqual(['told', 'of', 'http', 'path'])
  expect(split('TOLD_AT')).toEqual(['told', 'at'])
  expect(split('told-of')).toEqual(['told', 'of'])
})
