// The subscriptions of a stage, as both sides start with them.

export const ACCOUNTS = ['default', 'second']

/** Ids are GUIDs, which one of the vendors requires; half of the plans are commitments. */
export function seedOf(n: number, accounts: number) {
  const [index, at] = [Math.floor(n / accounts), n % accounts]
  const guid = (kind: number) => `${kind}0000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  return {
    account: ACCOUNTS[at] ?? '',
    id: guid(1),
    customerId: guid(2),
    skuId: `SKU-${index}:0001`,
    // A read of the wrong system of record returns another total.
    total: 20 + 2 * at,
    assigned: 3,
    isCommitmentPlan: index % 2 === 1,
  }
}

export function assetIdOf({ id, account }: { id: string; account: string }): string {
  return `workspace-suite-${id}${account === 'default' ? '' : `-${account}`}`
}
