import { expect, test } from 'vitest'
import { unmatched } from './scan.ts'
import { parse, type Row, readProject, split, usesIn } from './words.ts'

// Private words for which the field has a standard term, counted in identifiers and file names; the last rows are counted
// in comments and test titles. A ceiling may only fall. Not counted: properties with a name of the wire, the database or the
// settings, and the files and senses that a row excepts (an account statement, OpenTelemetry's traces, an injected fault).

/** Modules whose names change when they are written again. */
const REWRITTEN_LATER = /^(lib\/licenses\/renewal-orders\/|lib\/billing\/parties\/|lib\/admin\/issuers)/
const ROWS: (Row & { ceiling: number })[] = [
  { name: 'given', words: 'given givens', ceiling: 1990 },
  { name: 'own', words: 'own owns owned', ceiling: 2718 },
  { name: 'told', words: 'told tell tells telling', ceiling: 1172 },
  { name: 'ask', words: 'ask asks asked asking', ceiling: 1804 },
  { name: 'refused', words: 'refuse refuses refused refusal refusals', ceiling: 1177 },
  { name: 'found', words: 'found', ceiling: 1339 },
  { name: 'of', identifiers: /^of$/, ceiling: 494 },
  { name: 'place', words: 'place places', ceiling: 744 },
  {
    name: 'fault',
    words: 'fault faults',
    except: /^test\/|^lib\/vendors\/.*test|^e2e\/|bench\//,
    ceiling: 583,
  },
  {
    name: 'MOST',
    identifiers: /^(MOST|LONGEST|PATIENCE|USUAL|FIRST|SLOWEST|LEAST|FEWEST|SHORTEST)(_|$)/,
    ceiling: 749,
  },
  { name: 'kept', words: 'kept keep keeps keeping', ceiling: 621 },
  { name: 'shown', words: 'shown', ceiling: 673 },
  { name: 'turn', words: 'turn turns', ceiling: 229 },
  { name: 'way', words: 'way ways', ceiling: 299 },
  {
    name: 'order',
    identifiers: /^(?!.*([Rr]enewal|[Pp]urchase|orderBy|ORDER_BY)).*([Oo]rder([A-Z_]|s|$))/,
    except: /renewal|vendors|order/,
    ceiling: 294,
  },
  { name: 'statement', words: 'statement statements', except: /statement|costs|idle/, ceiling: 423 },
  { name: 'trace', words: 'trace traces', except: /traces/, ceiling: 299 },
  { name: 'reading', words: 'reading readings', ceiling: 429 },
  { name: 'settle', words: 'settle settles settled settling unsettled', ceiling: 483 },
  { name: 'word', words: 'word words', ceiling: 439 },
  { name: 'words.ts', files: /^([a-z-]+-)?words$/, ceiling: 13 },
  { name: 'look', words: 'look looks', ceiling: 543 },
  { name: 'head', words: 'head heads', ceiling: 1219 },
  { name: 'wanted', words: 'wanted want wants', ceiling: 345 },
  { name: 'known', words: 'known', ceiling: 967 },
  { name: 'reach', words: 'reach reaches reached', ceiling: 226 },
  { name: 'standing', words: 'standing stands stand', ceiling: 227 },
  { name: 'take', words: 'take takes taken taking', ceiling: 540 },
  { name: 'door', words: 'door doors', ceiling: 218 },
  { name: 'wall', words: 'wall walls', ceiling: 29 },
  { name: 'flight', words: 'flight flights', ceiling: 113 },
  {
    name: 'last words',
    identifiers: /[lL]astWord|leaveToTheEnd|LAST_WORD/,
    files: /^last-words$/,
    ceiling: 22,
  },
  { name: 'visit', words: 'visit visits', except: /^test\/architecture/, ceiling: 119 },
  { name: 'visitor', words: 'visitor visitors', ceiling: 206 },
  { name: 'stranger', words: 'stranger strangers', ceiling: 139 },
  { name: 'crew', words: 'crew crews farewell farewells answering', ceiling: 185 },
  { name: 'going', words: 'going begun', identifiers: /[uU]nderWay|useAhead/, ceiling: 198 },
  { name: 'later', words: 'later meanwhile ahead', ceiling: 255 },
  { name: 'late', words: 'late soon', ceiling: 685 },
  { name: 'books', words: 'books book', ceiling: 180 },
  { name: 'foresee', words: 'foresee foreseen foretell foresees', ceiling: 88 },
  { name: 'judge', words: 'judge judges judged', except: /^test\/fuzz/, ceiling: 10 },
  { name: 'proof', words: 'proof proofs proven', ceiling: 363 },
  { name: 'fate', words: 'fate fates', ceiling: 95 },
  { name: 'verdict', words: 'verdict verdicts', except: /^test\/fuzz/, ceiling: 119 },
  { name: 'outlook', words: 'outlook outlooks', ceiling: 29 },
  { name: 'figure', words: 'figure figures', ceiling: 309 },
  { name: 'paper', words: 'paper papers', ceiling: 237 },
  { name: 'draw', words: 'draw draws drawn drawing drawings', ceiling: 209 },
  { name: 'holding', words: 'holding holdings held', ceiling: 406 },
  { name: 'beside', words: 'beside besides', ceiling: 156 },
  { name: 'apart', words: 'apart', ceiling: 87 },
  { name: 'anew', words: 'anew', ceiling: 49 },
  { name: 'letterhead', words: 'letterhead', ceiling: 5 },
  { name: 'deed', words: 'deed deeds doings doing', ceiling: 47 },
  { name: 'spread', words: 'spread everywhere', ceiling: 148 },
  { name: 'departed', words: 'departed departure departures gone', ceiling: 188 },
  { name: 'upkeep', words: 'upkeep', ceiling: 1 },
  {
    name: 'oddity',
    words: 'oddity oddities misfit misfits lacking aligned gathered collected',
    ceiling: 128,
  },
  {
    name: 'pour',
    words: 'pour pours delivered',
    identifiers: /heldScripts|pressAgain|PressAgain/,
    ceiling: 32,
  },
  { name: 'pace', words: 'pace patience slowest', except: /^bench\//, ceiling: 142 },
  { name: 'spend', words: 'spend spent spends mercy forgive', ceiling: 56 },
  { name: 'spare', words: 'spare', ceiling: 30 },
  { name: 'hints', words: 'hints hint mark marks', ceiling: 306 },
  { name: 'look-ups', identifiers: /[lL]ookUps?|LOOK_UPS?/, files: /look-ups?/, ceiling: 107 },
  { name: 'originals', words: 'originals original planned', ceiling: 80 },
  { name: 'finder', words: 'finder wish wishes', identifiers: /walkRows|keyReader/, ceiling: 49 },
  { name: 'Pick', identifiers: /^Pick$|[pP]ickMenu|^picks?$/, ceiling: 295 },
  { name: 'fold', words: 'fold folds folded fact facts crumb crumbs ticked copied dimmed', ceiling: 635 },
  { name: 'say', words: 'say says said saying', ceiling: 342 },
  { name: 'onGo', identifiers: /^on(Go|Moved|Near|Point|GoOn|New|Told)$/, ceiling: 187 },
  { name: 'worth', words: 'worth lasting dearest', ceiling: 89 },
  { name: 'shapes.ts', files: /^([a-z-]+-)?shapes$/, ceiling: 7 },
  { name: 'calls.ts', files: /^calls$/, ceiling: 1 },
  { name: 'queries.ts', files: /^queries$/, ceiling: 1 },
  { name: 'noun', words: 'noun nouns house landmark landmarks breach breaches', ceiling: 52 },
  { name: 'stand-ins', words: 'desk harbor invented wiretap trial trials', ceiling: 247 },
  { name: 'fuzz', words: 'weather scenery sceneries naive', ceiling: 130 },
  { name: 'warden', words: 'warden wardens', ceiling: 157 },
  {
    name: 'e2e names',
    files: /^(hands|crew|looks|line|gate|openers|ways|going|clerk|people)$/,
    only: /^e2e\//,
    ceiling: 10,
  },
  { name: 'e2e specs', files: /^(press-again|paper|later|debt|open)$/, only: /^e2e\//, ceiling: 5 },
  { name: 'whoever', prose: /\b(whoever|whomever|whosever|somebody|nobody|anybody)\b/, ceiling: 1062 },
  { name: 'what', prose: /\bwhat\b/, ceiling: 3524 },
  {
    name: 'adverbs',
    prose: /\b(anew|meanwhile|besides?|alone|apart|such an?|of which|by which|at once|so that no)\b/,
    ceiling: 1124,
  },
  {
    name: 'verbs',
    prose: /\b(told|tells?|says?|said|stands?|stood|comes? to|becomes? of|came to)\b/,
    ceiling: 2191,
  },
  { name: 'The same', prose: /^\W*The same (of|after|as|for|in|with|but|where|when)\b/, ceiling: 59 },
]

const project = readProject()
const sources = [...project.sources].filter(([file]) => !REWRITTEN_LATER.test(file))

test.each(ROWS)('“$name” is used at most $ceiling times', ({ ceiling, ...row }) => {
  const uses = sources.flatMap(([file, source]) => usesIn(row, file, source, project.wire))
  expect(uses.length).toBeLessThanOrEqual(ceiling)
})

test('each path in a row matches a file', () => {
  const paths = ROWS.flatMap(({ except, only }) => [except, only].filter((path) => path !== undefined))
  expect(unmatched([...paths, REWRITTEN_LATER], [...project.sources.keys()])).toEqual([])
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
