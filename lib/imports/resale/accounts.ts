import { readTable } from './table.ts'

/** Owner of an account's charges: a customer by its id, and a profile other than `default`. */
export type Owner = { customer: string; billingProfile?: string | undefined }

/** Operator's map of accounts to owners. */
export type Accounts = {
  /** Returns the owner of the sub-account, else of its billing account; undefined without either. */
  ownerOf(billingAccount: string, subAccount?: string): Owner | undefined
  /** Returns each customer and profile once, with its first line. The caller checks whether they exist. */
  owners(): { owner: Owner; line: number }[]
}

/**
 * Reads a map of accounts: `account` (a billing account or a sub-account), `customer`, and `billingProfile`, which may
 * be missing or blank.
 * @throws ImportError that lists its errors: a repeated account, a row without account or customer
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
  await readTable(text, {
    file,
    columns,
    onRow: ({ line, cells: { account, customer, billingProfile: profileId } }) => {
      if (!account || !customer) return `has no ${account ? 'customer' : 'account'}`
      const before = lines.get(account)
      if (before !== undefined) return `account ${account} is in line ${before}, too`
      // A stated default profile changes no invoice's number.
      const billingProfile = profileId === 'default' ? undefined : profileId
      const key = JSON.stringify([customer, billingProfile])
      const { owner } = named.get(key) ?? { owner: { customer, ...(billingProfile && { billingProfile }) } }
      if (!named.has(key)) named.set(key, { owner, line })
      lines.set(account, line)
      owners.set(account, owner)
      return undefined
    },
    signal,
  })
  return {
    ownerOf: (billingAccount, subAccount) =>
      (subAccount === undefined ? undefined : owners.get(subAccount)) ?? owners.get(billingAccount),
    owners: () => [...named.values()],
  }
}
