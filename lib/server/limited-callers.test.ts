import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addCharges } from '#lib/billing/charges/test-rows.ts'
import { readKinds } from '#lib/billing/invoices/sums/kinds.ts'
import { recipientOf } from '#lib/billing/parties/recipient.ts'
import { comparableInvoices, invoiceBefore, newestInvoices } from '#lib/costs/comparisons/compared.ts'
import { newestMonth } from '#lib/costs/explanations/read.ts'
import { hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { signInFrom } from '#lib/identity/access/test-sign-in.ts'
import { findKeyCaller } from '#lib/platform/caller/authenticate.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { sessionSecret } from '#lib/platform/caller/session.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addKey, addMember, addProfile } from '#lib/platform/db/test-rows.ts'
import { legible } from '#lib/platform/files/test-workbook.ts'
import { PAGE_TOKENS } from '#lib/platform/lists/paging.ts'
import { unseal } from '#lib/platform/runtime/secrets.ts'
import { importsOf, projectFiles, read } from '../../test/architecture/scan.ts'

// A caller limited to one billing profile gets the same response, byte by byte, as if no other existed: for every
// contract with the invoice permission. The expected response is that of a customer without the other profile.

type Contract = { name: string; method: string; path: string; permission: string }
type Case = {
  /** Query strings or path ends whose responses contain the other profile for a caller who may see it. */
  shows?: string[]
  /** Requests for the caller's own invoices only: their response is the same for all callers. */
  visible?: string[]
  /** Requests that refer to the other profile, {id} or {profile}: answered as if it did not exist. */
  names?: string[]
}

const SELECTIONS = [
  '',
  '?filter=platform:cloud-platform',
  '?filter=status:OPEN|PAST%20DUE|PAID',
  '?search=own-2',
  '?minCreationTime=1790726400',
  '?maxCreationTime=1790812800',
  '?filter=dueDate:1793232000000',
]
const ORDERS = ['?orderBy=totalAmount', '?orderBy=balanceAmount%20desc', '?orderBy=dueDate%20asc&search=OWN']
const ONE_BY_ONE = ['?maxResults=1', '?maxResults=2&orderBy=totalAmount']

// Files of both kinds.
const EXPORTED: Case = {
  shows: [
    ...SELECTIONS,
    ...ORDERS,
    '?lines=true',
    '?lines=true&orderBy=dueDate',
    '?lines=true&columns=words',
  ],
  names: ['?search={id}', '?search={id}&lines=true', '?search={id}&lines=true&columns=words'],
}
const COMPARED: Case = {
  visible: ['?from=OWN-1&to=OWN-2'],
  names: ['?from={id}&to=OWN-2', '?from=OWN-1&to={id}'],
}
const EXPLAINED: Case = {
  shows: ['?month=2026-08', '?month=2026-06'],
  names: ['?month=2026-08&filter=billingProfile:{profile}'],
}
const OPEN: Case = {
  shows: ['', '?filter=platform:cloud-platform|currency:USD'],
  names: ['?filter=billingProfile:{profile}'],
}

const PAID: Case = {
  shows: ['', '?filter=kind:reported', '?filter=currency:USD', '?filter=state:recorded'],
  names: ['?filter=invoice:{id}'],
}

const ACCOUNT: Case = {
  shows: ['?minDate=1767225600', '?minDate=1767225600&filter=currency:USD'],
  names: ['?minDate=1767225600&filter=billingProfile:{profile}'],
}

/** Cases by the name of the contract. A new contract needs a case here. */
const CASES: Record<string, Case> = {
  listInvoices: { shows: [...SELECTIONS, ...ORDERS, ...ONE_BY_ONE], names: ['?search={id}'] },
  exportInvoices: EXPORTED,
  exportInvoicesXlsx: EXPORTED,
  readInvoice: { visible: ['/OWN-1', '/OWN-3'], names: ['/{id}'] },
  readInvoiceFile: {
    visible: ['/OWN-2/file', '/OWN-2/file?kind=drawn', '/OWN-2/file?kind=copy'],
    names: ['/{id}/file', '/{id}/file?kind=drawn', '/{id}/file?kind=copy'],
  },
  listCharges: {
    visible: [
      '/OWN-1/charges',
      '/OWN-1/charges?maxResults=1',
      '/OWN-1/charges?withoutLine=true',
      '/OWN-2/charges',
    ],
    names: ['/{id}/charges', '/{id}/charges?withoutLine=true'],
  },
  exportCharges: { visible: ['/OWN-1/charges.csv'], names: ['/{id}/charges.csv'] },
  exportChargesXlsx: { visible: ['/OWN-1/charges.xlsx'], names: ['/{id}/charges.xlsx'] },
  exportInvoiceFiles: {
    shows: [...SELECTIONS, '?orderBy=totalAmount'],
    names: ['?ids={id}', '?ids=OWN-1|{id}', '?search={id}'],
  },
  summarizeInvoices: { shows: SELECTIONS, names: ['?search={id}'] },
  compareInvoices: {
    visible: ['?from=OWN-1&to=OWN-2', '?from=OWN-2&to=OWN-3'],
    names: ['?from={id}&to=OWN-2', '?from=OWN-1&to={id}', '?from={id}&to={id}'],
  },
  exportComparison: COMPARED,
  exportComparisonXlsx: COMPARED,
  explainMonth: {
    shows: ['?month=2026-08', '?month=2026-06', '?month=2026-09&filter=platform:cloud-platform'],
    names: ['?month=2026-08&filter=billingProfile:{profile}'],
  },
  exportExplanation: EXPLAINED,
  exportExplanationXlsx: EXPLAINED,
  readBilledProducts: {
    shows: ['?product=compute', '?product=compute&filter=currency:USD'],
    names: ['?product=compute&filter=billingProfile:{profile}'],
  },
  readBillingProfile: { visible: ['/emea'], names: ['/{profile}'] },
  readStatement: {
    shows: ['', '?maxResults=1', '?filter=platform:cloud-platform', '?filter=currency:USD'],
    names: ['?filter=billingProfile:{profile}', '?filter=billingProfile:{profile}|currency:USD'],
  },
  listPayments: { ...PAID, shows: ['?maxResults=1', ...(PAID.shows ?? [])] },
  exportPayments: PAID,
  exportPaymentsXlsx: PAID,
  readAccount: ACCOUNT,
  exportAccount: ACCOUNT,
  exportAccountXlsx: ACCOUNT,
  exportAccountPdf: ACCOUNT,
  exportStatement: OPEN,
  exportStatementXlsx: OPEN,
  exportStatementPdf: OPEN,
}

/** Queries of invoices by pages, outside of operations. */
const PAGE_QUERIES: Record<string, (caller: Caller, id: string) => Promise<unknown>> = {
  compared: async (caller, id) => [
    await invoiceBefore(caller, id),
    await comparableInvoices(caller, id),
    await newestInvoices(caller),
  ],
  read: (caller) => newestMonth(caller, { filter: { issuer: ['Issuer of other'] } }, '2026-09-15'),
  recipient: recipientOf,
  'sums/kinds': (caller) => readKinds(caller),
}
/** Modules without queries, which only use their arguments. */
const PURE = ['contract', 'itemization', 'operations', 'rules', 'total-to-balance']

const NOBODYS = { '{id}': 'NOBODYS', '{profile}': 'nobodys' }
const OTHERS = { '{id}': 'OWN-25', '{profile}': 'other' }

let database: TestDatabase
/** Callers limited to one of several profiles: a key by its member, a key by itself, and a session. */
const limited: Record<string, Record<string, string>> = {}
/** Responses of the same customer with and without the other profile, to callers who see all of it. */
const whole: Record<'both' | 'alone', Record<string, string>> = { both: {}, alone: {} }
const callers = {} as Record<'limited' | 'both' | 'alone', Caller>

beforeAll(async () => {
  database = await testDatabase()
  for (const customer of ['both', 'alone'] as const) {
    await addCustomer(customer)
    for (const id of ['emea', 'other']) await addProfile(customer, id)
    await addInvoices(customer, 'emea', 1)
    whole[customer] = bearer(await addKey(customer, ['finance-user']))
  }
  await addInvoices('both', 'other', 5)
  const password = 'correct horse battery'
  const [mail, billingProfiles] = ['ana@both.example', ['emea']]
  const passwordHash = await hashPassword(password)
  const member = await addMember('both', {
    roles: ['finance-user'],
    email: mail,
    passwordHash,
    billingProfiles,
  })
  const sid = await signInFrom({ email: mail, password }, '192.0.2.1')
  const cookie = await encode({ token: { sid }, secret: sessionSecret() })
  const ofMember = await addKey('both', ['finance-user'], { issuedBy: member })
  limited.member = bearer(ofMember)
  limited.key = bearer(await addKey('both', ['finance-user'], { billingProfiles }))
  limited.session = { Cookie: `console-session=${cookie}` }
  callers.limited = await callerBehind(ofMember)
  for (const customer of ['both', 'alone'] as const)
    callers[customer] = await callerBehind(await addKey(customer, ['finance-user']))
})
afterAll(() => database.close())

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })
const callerBehind = async (key: string) => (await findKeyCaller(digestOf(key))) as Caller

/**
 * Adds the invoices of a profile: each kind of status, two platforms and currencies, consecutive months, with numbers
 * between those of the other profile.
 */
async function addInvoices(customer: string, profile: string, digit: number): Promise<void> {
  const add = (month: number, overrides: Parameters<typeof addInvoice>[2]) => {
    const [invoiceDate, dueDate] = [`2026-0${month}-30`, digit === 1 ? `2026-1${month - 7}-29` : '2026-10-29']
    const terms = { billingProfileId: profile, issuer: `Issuer of ${profile}`, invoiceDate, dueDate }
    const totalAmount = `${month * 10}.0${digit}`
    return addInvoice(
      customer,
      numberOf(month, digit),
      { ...terms, totalAmount, balanceAmount: totalAmount, ...overrides },
      [
        { description: `Compute for ${profile}`, price: `${digit}.11`, qty: String(month) },
        { description: 'Support' },
      ],
    )
  }
  await add(7, { platform: 'cloud-platform' })
  for (const month of [7, 8])
    await addCharges(customer, { issuer: `Issuer of ${profile}`, number: numberOf(month, digit) }, [
      { cost: '7.00', service: `Compute for ${profile}` },
      { cost: '3.01' },
    ])
  await add(8, { platform: 'cloud-platform', balanceAmount: '0' })
  await add(9, { platform: 'cloud-platform', balanceAmount: '-1.5' })
  await add(6, { platform: 'cloud-platform', dueDate: '2099-10-29' })
  await add(5, { platform: 'web-services', currency: 'EUR', dueDate: '2026-10-29' })
}

/**
 * Returns an invoice number: `OWN-1`, `OWN-2` and so on for own ones; those of the other profile sort between them:
 * `OWN-15`, `OWN-25`.
 */
function numberOf(month: number, digit: number): string {
  return `OWN-${month < 7 ? month : month - 6}${digit === 1 ? '' : digit}`
}

const contracts = await withPermission()
/** This contract lists the profiles themselves, of which each customer here has three, so it has a separate test. */
const PROFILES = contracts.find(({ name }) => name === 'listBillingProfiles') as Contract
contracts.splice(contracts.indexOf(PROFILES), 1)

test('the cases cover exactly the contracts on invoices', () => {
  expect(contracts.map(({ name }) => name).sort()).toEqual(Object.keys(CASES).sort())
  const empty = Object.entries(CASES).filter(
    ([, { shows = [], names = [] }]) => shows.length + names.length === 0,
  )
  expect(empty).toEqual([])
})

test('the list of billing profiles contains those that the caller sees', async () => {
  const listed = async (headers: Record<string, string>) => {
    const [{ body } = { body: '' }] = await answers(PROFILES, '', headers)
    return JSON.parse(body).billingProfiles.map(({ id }: { id: string }) => id)
  }
  expect(await listed(whole.both)).toEqual(['default', 'emea', 'other'])
  for (const headers of Object.values(limited)) expect(await listed(headers)).toEqual(['emea'])
})

test('each invoice query of pages has its case', () => {
  const appFiles = projectFiles('app')
    .flatMap((file) => importsOf(read(file)))
    .filter(({ isType }) => !isType)
    .map(
      ({ specifier }) =>
        /^#lib\/[^/]+\/(?:comparisons|explanations|invoice-files|invoices|parties|statements)\/(.+)\.ts$/.exec(
          specifier,
        )?.[1] ?? '',
    )
  const other = new Set(appFiles.filter((name) => name && !PURE.includes(name)))
  expect([...other].sort()).toEqual(Object.keys(PAGE_QUERIES).sort())
})

describe.each(contracts)('$name', (contract) => {
  const { shows = [], visible = [], names = [] } = CASES[contract.name] ?? {}

  test.each(shows)('returns one profile as if no other existed: %j', async (end) => {
    const expected = await answers(contract, end, whole.alone)
    expect(expected[0]).toMatchObject({ status: 200 })
    for (const headers of Object.values(limited))
      expect(await answers(contract, end, headers)).toEqual(expected)
    // A caller who sees both gets another response, so the case can fail.
    expect(await answers(contract, end, whole.both)).not.toEqual(expected)
  })

  test.each(visible)('returns all of its own records: %j', async (end) => {
    const expected = await answers(contract, end, whole.alone)
    expect(expected[0]).toMatchObject({ status: 200 })
    for (const headers of Object.values(limited))
      expect(await answers(contract, end, headers)).toEqual(expected)
  })

  test.each(names)('answers the same for the other’s record and an unknown one: %j', async (end) => {
    const as = async (headers: Record<string, string>, named: typeof OTHERS) =>
      (await answers(contract, filled(end, named), headers)).map((answer) => ({ ...answer, asked: '' }))
    const expected = await as(whole.alone, NOBODYS)
    for (const headers of Object.values(limited)) {
      expect(await as(headers, OTHERS)).toEqual(expected)
      expect(await as(headers, NOBODYS)).toEqual(expected)
    }
    expect(await as(whole.both, OTHERS)).not.toEqual(expected)
  })
})

describe.each(Object.entries(PAGE_QUERIES))('%s, a query of pages', (_, pageQuery) => {
  test('returns one profile as if no other existed', async () => {
    for (const id of ['OWN-1', 'OWN-2', 'OWN-3', 'OWN-5', OTHERS['{id}']])
      expect(await pageQuery(callers.limited, id)).toEqual(await pageQuery(callers.alone, id))
    expect(await pageQuery(callers.both, 'OWN-25')).not.toEqual(await pageQuery(callers.alone, 'OWN-25'))
  })
})

/** Returns all pages of the response, byte by byte, with a constant request id. */
async function answers(contract: Contract, end: string, headers: Record<string, string>) {
  const { GET } = await import(/* @vite-ignore */ `../../${fileOf(contract.path)}`)
  const base = `http://console.example${contract.path.replace(/\/\{.*/, '')}`
  const responses = []
  let token: string | undefined = ''
  while (token !== undefined && responses.length < 30) {
    const more: string = token && `${end.includes('?') ? '&' : '?'}pageToken=${token}`
    const url: string = base + end + more
    const response: Response = await GET(
      new Request(url, { headers: { ...headers, 'Request-Id': 'always-the-same' } }),
    )
    const body = legible(await response.arrayBuffer(), response.headers.get('content-type'))
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    responses.push({ request: opened(more), status: response.status, ...comparable(response.headers, body) })
    token = isJson ? JSON.parse(body).pageToken : undefined
  }
  return responses
}

/** Decrypts a page token to its position, because the token also contains its list and is encrypted. */
function opened(text: string): string {
  return text.replace(/(ageToken(?:=|":"))([\w-]+)/g, (_, before: string, token: string) => {
    const [direction, , key] = JSON.parse(unseal(token, PAGE_TOKENS) ?? '[]')
    return `${before}${direction} ${key}`
  })
}

/** Removes headers that differ legitimately: Cache-Control of sessions, remaining requests, and the ETag where page tokens differ. */
function comparable(headers: Headers, body: string) {
  const { 'cache-control': _, ratelimit: __, etag, link, ...others } = Object.fromEntries(headers)
  const sent = { ...others, link: link && opened(link) }
  return opened(body) === body ? { headers: { ...sent, etag }, body } : { headers: sent, body: opened(body) }
}

function filled(end: string, named: Record<string, string>): string {
  return Object.entries(named).reduce(
    (text, [placeholder, value]) => text.replaceAll(placeholder, value),
    end,
  )
}

function fileOf(path: string): string {
  return `app${path.replaceAll('{', '[').replaceAll('}', ']')}/route.ts`
}

/** Returns every contract with the invoice permission. */
async function withPermission(): Promise<Contract[]> {
  const files = projectFiles('lib').filter((file) => /^lib\/[^/]+\/[^/]+\/contract\.ts$/.test(file))
  const modules: object[] = await Promise.all(files.map((file) => import(/* @vite-ignore */ `../../${file}`)))
  const exported = modules.flatMap((module) => Object.values(module) as Contract[])
  return exported.filter((value) => value?.permission === 'invoice-viewer')
}
