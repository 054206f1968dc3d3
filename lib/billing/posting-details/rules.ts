/** Details that a customer sets for its next invoices; null: none. */
export type PostingDetails = {
  purchaseOrder: string | null
  buyerReference: string | null
  costCenter: string | null
}

/** Details of an asset: the buyer reference applies to whole invoices only. */
export type AssetPostingDetails = Omit<PostingDetails, 'buyerReference'>

/** Asset as lines may name it, with its posting details. */
export type PostedAsset = AssetPostingDetails & {
  id: string
  type: string
  name: string
  skuName: string | null
  vendorCustomerId: string
}

/** Fields of a line that identify the billed asset. */
export type BillingLine = {
  type: string
  description: string
  billingAccount: string | null
  subAccount: string | null
}

const NOTHING: AssetPostingDetails = { purchaseOrder: null, costCenter: null }

/**
 * Returns a function that finds the details for a line. A line bills the assets of its type with the line's account at
 * the vendor (sub-account before billing account), else those with the line's full name. Where these assets differ in a
 * detail, the match is ambiguous, and the detail is omitted.
 */
export function assetDetails(assets: readonly PostedAsset[]): (line: BillingLine) => AssetPostingDetails {
  if (!assets.some(({ purchaseOrder, costCenter }) => purchaseOrder !== null || costCenter !== null))
    return () => NOTHING
  const byAccount = Map.groupBy(assets, ({ type, vendorCustomerId }) => keyOf(type, vendorCustomerId))
  const byName = new Map<string, PostedAsset[]>()
  for (const asset of assets)
    for (const name of new Set([plain(asset.name), plain(asset.skuName ?? asset.name)])) {
      const key = keyOf(asset.type, name)
      byName.set(key, [...(byName.get(key) ?? []), asset])
    }
  return ({ type, description, billingAccount, subAccount }) => {
    const named = byName.get(keyOf(type, plain(description)))
    const [sub, account] = [subAccount, billingAccount].map((id) => id && byAccount.get(keyOf(type, id)))
    const assetAccount = sub || account
    // One account may have many products: the name distinguishes them.
    const both = assetAccount ? assetAccount.filter((asset) => named?.includes(asset)) : []
    return agreed(both.length > 0 ? both : assetAccount || named || [])
  }
}

/** Returns the details that all assets share, without those in which two differ. */
function agreed(assets: readonly PostedAsset[]): AssetPostingDetails {
  const [first, ...others] = assets
  if (!first) return NOTHING
  const { purchaseOrder, costCenter } = first
  const same = others.every((one) => one.purchaseOrder === purchaseOrder && one.costCenter === costCenter)
  return same ? { purchaseOrder, costCenter } : NOTHING
}

function keyOf(type: string, name: string): string {
  return `${type}\u0000${name}`
}

function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, ' ').trim()
}

type Change<Details> = { [Field in keyof Details]?: string | null | undefined }

/**
 * Returns the details after a change, and their description for the history: `cost center 4711 → 4712`; none where all
 * stay.
 */
export function changedBy<Details extends Record<keyof Details, string | null>>(
  before: Details,
  change: Change<Details>,
): { after: Details; details?: { changes: string[] } } {
  const fields = Object.keys(before) as (keyof Details & string)[]
  const after = Object.fromEntries(
    fields.map((field) => [field, change[field] === undefined ? before[field] : change[field]]),
  ) as Details
  const changes = fields
    .filter((field) => after[field] !== before[field])
    .map((field) => `${NAMES[field] ?? field}: ${before[field] ?? 'none'} → ${after[field] ?? 'none'}`)
  return changes.length > 0 ? { after, details: { changes } } : { after }
}

const NAMES: Record<string, string> = {
  purchaseOrder: 'purchase order',
  buyerReference: 'buyer reference',
  costCenter: 'cost center',
}
