import type { z } from 'zod'
import { readRows } from '../csv-rows.ts'
import { ImportError, MAX_PROBLEMS, type ProblemList, problemList } from '../import-error.ts'
import { Issuer } from '../json/issuer.ts'
import { quoted } from '../value-errors.ts'
import { Customer, Member, Notices, type Piece, Profile } from './schemas.ts'

const DELIMITERS = [',', ';', '\t']

/**
 * Reads the pieces of customers from CSV, one per row; commas, semicolons or tabs between the columns, a header in any
 * case and order.
 * @throws ImportError that lists the errors by line and column
 */
export async function readCsvPieces(text: string): Promise<Piece[]> {
  const problems = problemList()
  const pieces: Piece[] = []
  let header: string[] | undefined
  const onRow = (row: string[], line: number) => {
    if (!header) header = headerOf(row, line)
    else if (row.length > header.length && row.slice(header.length).some((cell) => cell.trim() !== ''))
      problems.add({ line, reason: `has ${row.length} columns, not ${header.length}` })
    else if (row.some((cell) => cell.trim() !== ''))
      pieces.push(pieceOf(cellsOf(header, row), line, problems))
  }
  const onError = (error: unknown) => {
    // An error that ends the file early is reported together with the previous errors.
    if (!(error instanceof ImportError) || problems.isEmpty()) throw error
    for (const problem of error.problems) problems.add(problem)
  }
  await readRows(whole(text), onRow, undefined, delimiterOf(text)).catch(onError)
  problems.throwIfAny()
  if (!header) throw new ImportError([{ reason: 'The file is empty.' }])
  return pieces
}

/** Returns the delimiter that splits the header into the most known columns. */
function delimiterOf(text: string): string {
  const [header = ''] = text.trimStart().split(/[\r\n]/, 1)
  const matches = (delimiter: string) =>
    header.split(delimiter).filter((name) => columnOf(unquoted(name))).length
  return DELIMITERS.reduce((best, one) => (matches(one) > matches(best) ? one : best))
}

function unquoted(name: string): string {
  return name.trim().replace(/^"(.*)"$/, '$1')
}

/** Returns the column of a header cell, ignoring case, spaces, hyphens and underscores. */
function columnOf(cell: string): string | undefined {
  const plain = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '')
  return COLUMN_NAMES.find((name) => plain(name) === plain(cell))
}

function headerOf(row: string[], line: number): string[] {
  const names = row.map((name) => columnOf(name.trim()))
  const twice = COLUMN_NAMES.filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
  const problems = [
    ...row.flatMap((name, at) =>
      names[at] === undefined && name.trim() !== ''
        ? [{ line, reason: `${quoted(name.trim())} is no column of this file: ${COLUMN_NAMES.join(', ')}` }]
        : [],
    ),
    ...twice.map((column) => ({ line, column, reason: 'there are two such columns' })),
    ...(names.includes('customer') ? [] : [{ line, column: 'customer', reason: 'there is no such column' }]),
  ]
  if (problems.length > 0) throw new ImportError(problems.slice(0, MAX_PROBLEMS))
  // Spreadsheets leave nameless columns: accepted while empty.
  return names.map((name) => name ?? '')
}

function cellsOf(header: readonly string[], row: readonly string[]): Map<string, string> {
  const cells = header.map((name, at) => [name, row[at]?.trim() ?? ''] as const)
  return new Map(cells.filter(([, cell]) => cell !== ''))
}

function pieceOf(cells: Map<string, string>, line: number, problems: ProblemList): Piece {
  if (cells.has(''))
    problems.add({ line, reason: `${quoted(cells.get('') ?? '')} is in a column without a name` })
  const parts = COLUMNS.map((columns) => [columns.part, partOf(columns, cells, line, problems)] as const)
  const [[, customer], ...others] = parts as [(typeof parts)[number], ...typeof parts]
  const lists = others.flatMap(([part, value]) => (value === undefined ? [] : [[part, [value]]]))
  return { ...(customer as Piece | undefined), ...Object.fromEntries(lists), line } as Piece
}

/** Returns undefined where the part's columns are blank or invalid. */
function partOf(
  { schema, fields }: Columns,
  cells: Map<string, string>,
  line: number,
  problems: ProblemList,
) {
  const presentFields = Object.entries(fields).filter(([column]) => cells.has(column))
  const [first = ''] = Object.keys(fields)
  if (presentFields.length === 0 && first !== 'customer') return undefined
  if (!cells.has(first)) {
    const needs =
      presentFields.length > 0
        ? `${presentFields.map(([column]) => column).join(', ')} without it`
        : 'is blank'
    problems.add({
      line,
      column: first,
      reason: presentFields.length > 0 ? `is blank, but there is ${needs}` : needs,
    })
    return undefined
  }
  const values = Object.fromEntries(presentFields.map(([column, field]) => [field, cells.get(column)]))
  const parsed = schema.safeParse(values)
  for (const { path, message } of parsed.error?.issues ?? [])
    problems.add({
      line,
      column: Object.keys(fields).find((column) => fields[column] === path[0]),
      reason: message.endsWith('received undefined') ? 'is missing' : message,
    })
  return parsed.data
}

async function* whole(text: string): AsyncGenerator<string> {
  yield text
}

/** Related columns of a CSV file: a row may fill some of them; a blank cell is not stated. */
type Columns = {
  part: 'customer' | 'profiles' | 'issuers' | 'members' | 'notices'
  schema: z.ZodType
  /** Fields by column. The first one identifies the item, and the others require it. */
  fields: Readonly<Record<string, string>>
}

const ADDRESS_FIELDS = { Address: 'address', Postcode: 'postcode', City: 'city', Country: 'country' }
const PARTY = { ...ADDRESS_FIELDS, TaxId: 'taxId', Registration: 'registration' }
const BANK = {
  Bank: 'bank',
  Iban: 'iban',
  Bic: 'bic',
  Account: 'account',
  Terms: 'terms',
  PaymentUrl: 'paymentUrl',
}

const COLUMNS: readonly Columns[] = [
  {
    part: 'customer',
    schema: Customer,
    fields: { customer: 'id', name: 'name', domain: 'domain', contactEmail: 'contactEmail' },
  },
  {
    part: 'profiles',
    schema: Profile,
    fields: { profile: 'id', profileName: 'name', ...prefixed('profile', PARTY) },
  },
  {
    part: 'issuers',
    schema: Issuer,
    fields: { issuer: 'name', ...prefixed('issuer', { ...PARTY, ...BANK }) },
  },
  {
    part: 'members',
    schema: Member,
    fields: { member: 'email', memberName: 'name', roles: 'roles', memberProfiles: 'billingProfiles' },
  },
  {
    part: 'notices',
    schema: Notices,
    fields: { noticesTo: 'email', notices: 'kinds', noticesProfile: 'profile' },
  },
]

/** All columns, in the order in which docs list them. */
const COLUMN_NAMES = COLUMNS.flatMap(({ fields }) => Object.keys(fields))

function prefixed(prefix: string, fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [`${prefix}${name}`, field]))
}
