import { readTable } from './table.ts'

/** Whose invoices the charges of an account become: a customer, by its id, and a profile other than `default`. */
export type Owner = { customer: string; billingProfile?: string | undefined }

/** Which account is whose, as the operator says in a file. */
export type Accounts = {
  /** An entry of the sub-account comes before that of its billing account; undefined where there is neither. */
  ownerOf(billingAccount: string, subAccount?: string): Owner | undefined
  /** Each customer and profile once, with the line that names it first: whether they exist, the caller knows. */
  owners(): { owner: Owner; line: number }[]
}

/**
 * Reads a map of accounts: `account` (a billing account or a sub-account), `customer`, and `billingProfile`, which may
 * be missing or blank.
 * @throws ImportRefused that lists what is wrong with it: an account that comes twice, a row without account or customer
 */
export async function readAccounts(
  text: AsyncIterable<string>,
  file: string,
  signal?: AbortSignal,
): Promise<Accounts> {
  const owners = new Map<string, Owner>()
  const lines = new Map<string, number>()
  const named = new Map<string, { owner: Owner; line: number }>()
  const columns = { required: ['account', 'customer'], optional: ['billingProfile'] } as const
  await readTable(
    text,
    file,
    columns,
    ({ line, cells: { account, customer, billingProfile: profileId } }) => {
      if (!account || !customer) return `has no ${account ? 'customer' : 'account'}`
      const before = lines.get(account)
      if (before !== undefined) return `account ${account} is in line ${before}, too`
      // Whether it is said or not changes no invoice's number.
      const billingProfile = profileId === 'default' ? undefined : profileId
      const key = JSON.stringify([customer, billingProfile])
      const { owner } = named.get(key) ?? { owner: { customer, ...(billingProfile && { billingProfile }) } }
      if (!named.has(key)) named.set(key, { owner, line })
      lines.set(account, line)
      owners.set(account, owner)
      return undefined
    },
    signal,
  )
  return {
    ownerOf: (billingAccount, subAccount) =>
      (subAccount === undefined ? undefined : owners.get(subAccount)) ?? owners.get(billingAccount),
    owners: () => [...named.values()],
  }
}
