/** What a customer has carried onto its next invoices; null: nothing. */
export type PostingDetails = {
  purchaseOrder: string | null
  buyerReference: string | null
  costCenter: string | null
}

/** Of an asset: a reference of the buyer is of the whole invoice alone. */
export type AssetPostingDetails = Omit<PostingDetails, 'buyerReference'>

/** An asset as lines may name it, with what is to be carried onto them. */
export type PostedAsset = AssetPostingDetails & {
  id: string
  type: string
  name: string
  skuName: string | null
  vendorCustomerId: string
}

/** A line, as far as it tells which asset it bills. */
export type BillingLine = {
  type: string
  description: string
  billingAccount: string | null
  subAccount: string | null
}

const NOTHING: AssetPostingDetails = { purchaseOrder: null, costCenter: null }

/**
 * Finds what is to be carried onto a line. It bills the assets of its type whose account at the vendor is the line's own
 * (sub-account before billing account), else those whose whole name it has. Where these say different things, nobody
 * knows which is meant, and nothing is carried.
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
    // One account may have many products: the name tells which of them.
    const both = assetAccount ? assetAccount.filter((asset) => named?.includes(asset)) : []
    return agreed(both.length > 0 ? both : assetAccount || named || [])
  }
}

/** What all of them say; nothing where two of them differ. */
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

/** What is set after a change, and what of it the history tells: `cost center 4711 → 4712`; nothing where all stays. */
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
