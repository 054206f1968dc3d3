import 'server-only'
import { asc, eq, sql } from 'drizzle-orm'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { issuers } from '#lib/platform/db/schema/invoices/parties.ts'
import { OPERATOR, recordAudit } from '#lib/platform/history/audit.ts'

/** Details of the issuing company on an invoice, without its name; null: unknown. */
export type IssuerDetails = {
  /** A line of the address per line. */
  address: string | null
  postcode: string | null
  city: string | null
  /** Two letters, as `countryOf` of countries.ts gives them. */
  country: string | null
  taxId: string | null
  /** Number in the company register of its country. */
  registration: string | null
  bank: string | null
  /** Normalized by `ibanOf` and `bicOf` of bank-codes.ts. */
  iban: string | null
  bic: string | null
  /** Account and routing number at a bank without IBAN. */
  account: string | null
  /** Agreed terms of payment, as text. */
  terms: string | null
  /** Template of the address where an invoice can be paid, checked by `paymentUrlError` of payment-url.ts. */
  paymentUrl: string | null
}

/** Input for an issuer. Omitted members keep their values. */
export type NewIssuer = { name: string } & Partial<IssuerDetails & Unbilled>

export const issuerColumns = {
  address: issuers.address,
  postcode: issuers.postcode,
  city: issuers.city,
  country: issuers.country,
  taxId: issuers.taxId,
  registration: issuers.registration,
  bank: issuers.bank,
  iban: issuers.iban,
  bic: issuers.bic,
  account: issuers.account,
  terms: issuers.terms,
  paymentUrl: issuers.paymentUrl,
}

export const NO_DETAILS: IssuerDetails = {
  address: null,
  postcode: null,
  city: null,
  country: null,
  taxId: null,
  registration: null,
  bank: null,
  iban: null,
  bic: null,
  account: null,
  terms: null,
  paymentUrl: null,
}

/** Lists the customer's issuers with details, by name. */
export function listIssuers(tx: Transaction, customerId: CustomerId) {
  const customerFilter = eq(issuers.customerId, customerId)
  return tx
    .select({ name: issuers.name, ...issuerColumns })
    .from(issuers)
    .where(customerFilter)
    .orderBy(asc(issuers.name))
}

/** Adds an issuer, or changes the given details of an existing one, and records it in the history. */
export async function saveIssuer(
  tx: Transaction,
  customerId: CustomerId,
  { name, ...details }: NewIssuer,
  requestId: string,
): Promise<void> {
  const added = tx.insert(issuers).values({ customerId, name, ...details })
  const target = [issuers.customerId, issuers.name]
  if (Object.keys(details).length === 0) await added.onConflictDoNothing({ target })
  else await added.onConflictDoUpdate({ target, set: details })
  const event = { action: 'issuer.set', subject: name, actor: OPERATOR, requestId }
  await recordAudit(tx, customerId, { ...event, details })
}

/** Legal forms, and other spellings of each. A form that is not here is compared as it is written. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  ab: ['aktiebolag'],
  ag: ['aktiengesellschaft'],
  aps: ['anpartsselskab'],
  bv: ['besloten vennootschap'],
  co: ['company'],
  corp: ['corporation'],
  gmbh: ['gesellschaft mit beschränkter haftung', 'gesellschaft mbh', 'ges mbh'],
  inc: ['incorporated'],
  kg: ['kommanditgesellschaft'],
  llc: ['limited liability company'],
  llp: ['limited liability partnership'],
  ltd: ['limited'],
  nv: ['naamloze vennootschap'],
  oy: ['osakeyhtiö'],
  oyj: ['julkinen osakeyhtiö'],
  plc: ['public limited company'],
  pty: ['proprietary'],
  pvt: ['private'],
  sa: ['société anonyme', 'sociedad anónima'],
  sarl: ['sàrl', 'sà rl', 'société à responsabilité limitée'],
  se: ['societas europaea'],
  spa: ['società per azioni'],
  srl: ['società a responsabilità limitata'],
}

/** Canonical forms by spelling, in words between blanks. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  Object.entries(FORMS).flatMap(([form, spellings]) =>
    spellings.map((spelling) => [spelling.normalize('NFKC'), form] as const),
  ),
)
// The longest first: a "limited liability company" is no "ltd".
const SPELLING = new RegExp(
  `(?<= )(${[...SPELLINGS.keys()].sort((a, b) => b.length - a.length).join('|')})(?= )`,
  'gu',
)

/** Joining marks: `S.A.` is `SA`, and `O'Neil` is `ONeil`. Invisible characters join as well. */
const JOINING = /[.'’ʼ\p{Cf}]/gu
const SEPARATING = /[\s\p{P}]+/gu

/**
 * Returns an issuer's name as it is compared: without differences of Unicode (NFKC), case, blanks and punctuation, and
 * with one spelling of each legal form. Two names of one issuer are equal; `Acme Ltd` and `Acme GmbH` are not.
 */
export function issuerKey(name: string): string {
  // Upper case first, for some small letters have no other way to one form: `ß`, `ς`.
  const plain = name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
  const words = ` ${plain.replace(JOINING, '').replace(SEPARATING, ' ')} `.replace(/ {2,}/g, ' ')
  const folded = words.replace(SPELLING, (found) => SPELLINGS.get(found) ?? found).replaceAll(' ', '')
  // A name of nothing but marks is compared by these.
  return folded === '' ? plain : folded
}

/** Names of a customer's issuers, with their settings. */
export type IssuerNames = {
  /** Returns the first spelling of the issuer's name, which is this one where the name is new. */
  nameOf(name: string): string
  /** Returns all names under which the customer may have invoices of this issuer, that of `nameOf` first. */
  spellingsOf(name: string): readonly string[]
  isSame(name: string, other: string): boolean
  /** Leads each name that is one of another issuer, as both are compared, to that issuer. */
  aliases(): ReadonlyMap<string, string>
  /** Returns an operator's settings for the issuer's charges without a number; null: the default. */
  unbilledOf(name: string): Unbilled
  /** Whether there is more than one issuer. */
  areSeveral(): boolean
  /** Returns whether an operator declared the two names to be different issuers. */
  isApart(name: string, other: string): boolean
  /** Adds the names of new issuers to the table, so that each stays as it was first written. */
  save(names: Iterable<string>): Promise<void>
  /** Records that an issuer is another one, too. */
  setSame(name: string, as: string): Promise<void>
  /** Records that two issuers are two. */
  setApart(name: string, other: string): Promise<void>
}

/** When charges without an issuer's number are issued: a number of days after their period, or never. */
export type Unbilled = { graceDays: number | null; unbilled: 'draft' | 'issue' | null }

type Known = Unbilled & {
  name: string
  /** Whether the table has the folded name. */
  isRow: boolean
  sameAs: string | null
  otherThan: string[] | null
  /** Arrival of the first invoice, where it was queried. */
  at: string | null
}

/**
 * Reads the names of a customer's issuers, including those of its invoices, and compares them by `issuerKey`. Sees the
 * transaction's own snapshot: a caller that adds invoices holds the lock of the customer's imports.
 */
export async function issuerNames(tx: Transaction, customerId: CustomerId): Promise<IssuerNames> {
  const fold = folding()
  const known = await readNames(tx, customerId)
  const aliases = new Map<string, string>()
  const apart = new Set<string>()
  const names = new Map<string, string[]>()
  const settings = new Map<string, Unbilled>()
  let late = known.filter(({ isRow, at }) => !isRow && at !== null)
  const saved = new Set([...known.filter(({ isRow }) => isRow), ...late].map(({ name }) => name))

  for (const { name, sameAs, otherThan, graceDays, unbilled } of known) {
    const folded = fold(name)
    settings.set(name, { graceDays, unbilled })
    if (sameAs !== null && fold(sameAs) !== folded) aliases.set(folded, fold(sameAs))
    for (const other of otherThan ?? []) apart.add(pairOf(folded, fold(other)))
    names.set(folded, [...(names.get(folded) ?? []), name])
  }
  /** The name, as it is compared, in the end of a chain of aliases. */
  const rootOf = (folded: string): string => {
    const passed = new Set<string>()
    let at = folded
    for (let next = aliases.get(at); next !== undefined && !passed.has(next); next = aliases.get(at)) {
      passed.add(at)
      at = next
    }
    return at
  }
  const members = new Map<string, string[]>()
  // An alias resolves to its target first.
  const join = (folded: string) => {
    const root = rootOf(folded)
    const others = members.get(root) ?? []
    if (!others.includes(folded))
      members.set(root, folded === root ? [folded, ...others] : [...others, folded])
  }
  for (const folded of names.keys()) join(folded)
  const membersOf = (name: string) => members.get(rootOf(fold(name))) ?? [fold(name)]
  const spellingsOf = (name: string): readonly string[] => {
    const found = membersOf(name).flatMap((folded) => names.get(folded) ?? [])
    return found.length > 0 ? found : [name]
  }
  const note = (name: string) => {
    const folded = fold(name)
    const spellings = names.get(folded) ?? []
    if (!spellings.includes(name)) names.set(folded, [...spellings, name])
    join(folded)
  }
  const save = async (names: Iterable<string>) => {
    const added = [...new Set(names)].filter((name) => !saved.has(name))
    for (const name of added) {
      saved.add(name)
      note(name)
    }
    const rows = [...late.map(({ name, at }) => ({ name, at })), ...added.map((name) => ({ name, at: null }))]
    late = []
    await addNames(
      tx,
      customerId,
      rows.map((row) => ({ ...row, folded: fold(row.name) })),
    )
  }

  return {
    nameOf(name) {
      if (!members.has(rootOf(fold(name)))) note(name)
      return spellingsOf(name)[0] ?? name
    },
    spellingsOf,
    aliases: () => new Map([...aliases.keys()].map((folded) => [folded, rootOf(folded)])),
    areSeveral: () => members.size > 1,
    unbilledOf(name) {
      const overrides = spellingsOf(name).flatMap((one) => settings.get(one) ?? [])
      const first = <K extends keyof Unbilled>(field: K) =>
        overrides.map((one) => one[field]).find((value) => value !== null) ?? null
      return { graceDays: first('graceDays'), unbilled: first('unbilled') }
    },
    isSame: (name, other) => rootOf(fold(name)) === rootOf(fold(other)),
    isApart: (name, other) =>
      membersOf(name).some((one) => membersOf(other).some((two) => apart.has(pairOf(one, two)))),
    save,
    async setSame(name, as) {
      await save([name, as])
      await tx.execute(sql`
        UPDATE issuers SET same_as = ${as} WHERE customer_id = ${customerId} AND name = ${name}`)
      aliases.set(fold(name), fold(as))
      members.clear()
      for (const folded of names.keys()) join(folded)
    },
    async setApart(name, other) {
      await save([name, other])
      await tx.execute(sql`
        UPDATE issuers SET other_than = array_append(array_remove(other_than, ${other}), ${other})
        WHERE customer_id = ${customerId} AND name = ${name}`)
      apart.add(pairOf(fold(name), fold(other)))
    },
  }
}

function folding(): (name: string) => string {
  const folds = new Map<string, string>()
  return (name) => {
    const folded = folds.get(name) ?? issuerKey(name)
    folds.set(name, folded)
    return folded
  }
}

function pairOf(one: string, other: string): string {
  return JSON.stringify([one, other].sort())
}

/**
 * Reads the first spelling of every issuer name. There are few issuers, and each is looked up once, however many
 * invoices it has. Where the table doesn't decide which of two spellings was first, the invoices do.
 */
async function readNames(tx: Transaction, customerId: CustomerId): Promise<Known[]> {
  const next = (after: string) => sql`(
    SELECT issuer FROM invoices WHERE customer_id = ${customerId} AND issuer > ${sql.raw(after)}
    ORDER BY customer_id, issuer LIMIT 1)`
  const { rows } = await tx.execute<Omit<Known, 'at'> & { createdAt: string | null }>(sql`
    WITH RECURSIVE billed AS (
      SELECT ${next("''")} AS spelling
      UNION ALL SELECT ${next('spelling')} FROM billed WHERE spelling IS NOT NULL)
    SELECT coalesce(i.name, b.issuer) AS name, i.folded IS NOT NULL AS "isRow", i.same_as AS "sameAs",
      i.other_than AS "otherThan", i.grace_days AS "graceDays", i.unbilled,
      i.created_at::text AS "createdAt"
    FROM (SELECT spelling AS issuer FROM billed WHERE spelling IS NOT NULL) b
    FULL JOIN (SELECT * FROM issuers WHERE customer_id = ${customerId}) i ON i.name = b.issuer`)
  const several = [...Map.groupBy(rows, ({ name }) => issuerKey(name)).values()].filter(
    (spellings) => spellings.length > 1,
  )
  const late = several.flat().flatMap(({ name, isRow }) => (isRow ? [] : [name]))
  const first = await readArrivals(tx, customerId, late)
  return rows
    .map((row) => ({ ...row, at: first.get(row.name) ?? null }))
    .sort((a, b) => byText(a.at ?? a.createdAt ?? '', b.at ?? b.createdAt ?? '') || byText(a.name, b.name))
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Reads when the first invoices of these names arrived. */
async function readArrivals(tx: Transaction, customerId: CustomerId, names: readonly string[]) {
  if (names.length === 0) return new Map<string, string>()
  const { rows } = await tx.execute<{ name: string; at: string }>(sql`
    SELECT issuer AS name, min(created_at)::text AS at FROM invoices
    WHERE customer_id = ${customerId} AND issuer = ANY (${sql.param([...names])}::text[]) GROUP BY issuer`)
  return new Map(rows.map(({ name, at }) => [name, at]))
}

/** Adds names with the moments at which they were first written; null: now. */
async function addNames(
  tx: Transaction,
  customerId: CustomerId,
  rows: readonly { name: string; folded: string; at: string | null }[],
): Promise<void> {
  if (rows.length === 0) return
  const values = rows.map(({ at, ...row }) => ({
    ...row,
    customerId,
    createdAt: at === null ? sql`now()` : sql`${at}::timestamptz`,
  }))
  await tx
    .insert(issuers)
    .values(values.sort((a, b) => byText(a.name, b.name)))
    .onConflictDoUpdate({
      target: [issuers.customerId, issuers.name],
      set: {
        folded: sql`excluded.folded`,
        createdAt: sql`least(issuers.created_at, excluded.created_at)`,
      },
    })
}

/** Lists an operator's settings of issuers as text by name: aliases, declared differences, and when each one issues. */
export async function listSaid(tx: Transaction, customerId: CustomerId): Promise<Map<string, Said>> {
  const { name, sameAs, otherThan, graceDays, unbilled } = issuers
  const rows = await tx
    .select({ name, sameAs, otherThan, graceDays, unbilled })
    .from(issuers)
    .where(eq(issuers.customerId, customerId))
  return new Map(
    rows.map((row) => [
      row.name,
      {
        sameAs: row.sameAs,
        otherThan: row.otherThan?.join(', ') ?? null,
        graceDays: row.graceDays?.toString() ?? null,
        unbilled: row.unbilled,
      },
    ]),
  )
}

type Said = Record<'sameAs' | 'otherThan' | 'graceDays' | 'unbilled', string | null>

/** Makes an alias an issuer of its own again. @throws Problem where the name is none */
export async function removeAlias(tx: Transaction, customerId: CustomerId, name: string): Promise<void> {
  const { rowCount } = await tx.execute(sql`
    UPDATE issuers SET same_as = NULL
    WHERE customer_id = ${customerId} AND folded = ${issuerKey(name)} AND same_as IS NOT NULL`)
  if (rowCount === 0) throw new Problem('not_found', `"${name}" is no other name of an issuer.`)
}
