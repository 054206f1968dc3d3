import { ImportError, type ProblemList, problemList } from '../import-error.ts'
import { jsonValues } from '../json/objects.ts'
import { readText } from '../sources/read-text.ts'
import { quoted } from '../value-errors.ts'
import { readCsvPieces } from './csv.ts'
import { Customer, type CustomerInput, type Piece } from './schemas.ts'

/** Most characters, far above 100,000 rows. A file is checked completely before any write, and so held in memory. */
const MAX_LENGTH = 32 * 1024 * 1024

/**
 * Reads the customers of a file, CSV or JSON, optionally gzipped; `-` is the standard input.
 * @throws ImportError that lists the errors by line and column
 */
export async function readCustomers(file: string, signal?: AbortSignal): Promise<CustomerInput[]> {
  let text = ''
  for await (const chunk of readText(file, signal)) {
    text += chunk
    if (text.length > MAX_LENGTH)
      throw new ImportError([{ reason: 'The file has more than 32 million characters: give it in parts.' }])
  }
  const isJson = /^\s*[[{]/.test(text)
  return mergePieces(await (isJson ? readJsonPieces(text) : readCsvPieces(text)))
}

/**
 * Reads the customers of a JSON file: an array of objects, or consecutive objects (NDJSON).
 * @throws ImportError that lists the errors by line and field, including a repeated customer
 */
async function readJsonPieces(text: string): Promise<Piece[]> {
  let line = 0
  const objects = jsonValues([{ name: '', text: whole(text) }], {
    read: (value) => Customer.safeParse(value),
    keyOf: ({ id }) => ({ group: '', id }),
    onObject: (_, at) => {
      line = at
    },
  })
  const pieces: Piece[] = []
  for await (const { billingProfiles: profiles, ...customer } of objects)
    pieces.push({ ...customer, profiles, line })
  return pieces
}

async function* whole(text: string): AsyncGenerator<string> {
  yield text
}

type SourceRow = { line: number } & Record<string, unknown>

/**
 * Merges the pieces of each customer. Equal repetitions are allowed, as in rows of a table; contradictions are refused.
 * @throws ImportError that lists the contradictions by line
 */
function mergePieces(pieces: readonly Piece[]): CustomerInput[] {
  const problems = problemList()
  const customers = new Map<string, CustomerInput>()
  const firstRows = new Map<string, SourceRow>()
  /** @returns whether this is the first value */
  const isNew = (customer: string, column: string, key: string, row: SourceRow): boolean => {
    const fullKey = JSON.stringify([customer, column, key])
    const before = firstRows.get(fullKey)
    if (before) complete(before, row, { column, key }, problems)
    else firstRows.set(fullKey, row)
    return before === undefined
  }
  for (const { id, line, profiles = [], issuers = [], members = [], notices = [], ...fields } of pieces) {
    const first: CustomerInput = { id, line, ...fields, profiles: [], issuers: [], members: [], notices: [] }
    const customer = customers.get(id) ?? first
    customers.set(id, customer)
    if (customer !== first) complete(customer, { ...fields, line }, { column: 'customer', key: id }, problems)
    const add = <One extends object>(
      all: (One & { line: number })[],
      one: One,
      column: string,
      key: string,
    ) => {
      const row = { ...one, line }
      if (isNew(id, column, key, row)) all.push(row)
    }
    for (const one of profiles) add(customer.profiles, one, 'profile', one.id)
    for (const one of issuers) add(customer.issuers, one, 'issuer', one.name)
    for (const one of members) add(customer.members, one, 'member', one.email.toLowerCase())
    for (const one of notices)
      add(customer.notices, one, 'noticesTo', `${one.email.toLowerCase()} of ${one.profile}`)
  }
  checkSharedDomains([...customers.values()], problems)
  problems.throwIfAny()
  return [...customers.values()]
}

/** Fills in fields that were not stated before. */
function complete(
  before: SourceRow,
  { line, ...said }: SourceRow,
  { column, key }: { column: string; key: string },
  problems: ProblemList,
): void {
  for (const [field, value] of Object.entries(said)) {
    if (value === undefined) continue
    if (before[field] === undefined) before[field] = value
    if (JSON.stringify(before[field]) === JSON.stringify(value)) continue
    // An address may be written in other letters.
    if (field === 'email' && String(before[field]).toLowerCase() === String(value).toLowerCase()) continue
    const reason = `${quoted(key)} has another ${field} than on line ${before.line}`
    problems.add({ line, column, reason })
  }
}

function checkSharedDomains(customers: readonly CustomerInput[], problems: ProblemList): void {
  const holders = new Map<string, CustomerInput>()
  for (const customer of customers) {
    const { domain, line } = customer
    if (domain === undefined) continue
    const holder = holders.get(domain)
    if (!holder) holders.set(domain, customer)
    else
      problems.add({
        line,
        column: 'domain',
        reason: `${domain} is of ${holder.id} on line ${holder.line}, too`,
      })
  }
}
