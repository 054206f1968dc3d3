import { quoted } from '../faults.ts'
import { type ProblemList, problemList } from '../problem-list.ts'
import type { GivenCustomer, Piece } from './shapes.ts'

type Said = { line: number } & Record<string, unknown>

/**
 * Puts the parts of each customer together. What is said twice may be said twice, as rows of a table do; what is said in
 * two ways is refused.
 * @throws ImportRefused that lists what contradicts itself in the file, by line
 */
export function gathered(pieces: readonly Piece[]): GivenCustomer[] {
  const problems = problemList()
  const customers = new Map<string, GivenCustomer>()
  const known = new Map<string, Said>()
  /** @returns whether it is the first that is said of it */
  const isNew = (customer: string, column: string, key: string, said: Said): boolean => {
    const place = JSON.stringify([customer, column, key])
    const before = known.get(place)
    if (before) complete(before, said, { column, key }, problems)
    else known.set(place, said)
    return before === undefined
  }
  for (const { id, line, profiles = [], issuers = [], members = [], notices = [], ...own } of pieces) {
    const first: GivenCustomer = { id, line, ...own, profiles: [], issuers: [], members: [], notices: [] }
    const customer = customers.get(id) ?? first
    customers.set(id, customer)
    if (customer !== first) complete(customer, { ...own, line }, { column: 'customer', key: id }, problems)
    const add = <One extends object>(
      all: (One & { line: number })[],
      one: One,
      column: string,
      key: string,
    ) => {
      const said = { ...one, line }
      if (isNew(id, column, key, said)) all.push(said)
    }
    for (const one of profiles) add(customer.profiles, one, 'profile', one.id)
    for (const one of issuers) add(customer.issuers, one, 'issuer', one.name)
    for (const one of members) add(customer.members, one, 'member', one.email.toLowerCase())
    for (const one of notices)
      add(customer.notices, one, 'noticesTo', `${one.email.toLowerCase()} of ${one.profile}`)
  }
  refuseSharedDomains([...customers.values()], problems)
  problems.refuseIfAny()
  return [...customers.values()]
}

/** Takes in what was not said before. */
function complete(
  before: Said,
  { line, ...said }: Said,
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

function refuseSharedDomains(customers: readonly GivenCustomer[], problems: ProblemList): void {
  const holders = new Map<string, GivenCustomer>()
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
