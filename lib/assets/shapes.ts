import { z } from 'zod'

export const epochMs = z.int().meta({ description: 'Epoch time in milliseconds.' })
export const seats = z.int().min(0)
export const others = 'others are passed through.'

/** spec 2.2. Field names and capitals are the wire's. */
const Subscription = z
  .object({
    BillingMethod: z.string(),
    CreationTime: epochMs,
    PurchaseOrderID: z.string().meta({ description: 'May be empty.' }),
    ResourceUIURL: z.string(),
    SkuID: z.string(),
    SkuName: z.string(),
    Status: z.string().meta({ description: `ACTIVE, SUSPENDED, PENDING, CANCELLED; ${others}` }),
    ID: z.string(),
    Plan: z.object({
      CommitmentInterval: z.boolean().nullable().meta({ description: 'True, or null without a commitment.' }),
      CommitmentStartTime: epochMs.optional(),
      CommitmentEndTime: epochMs.optional(),
      IsCommitmentPlan: z.boolean().meta({ description: 'True: the quantity can only grow.' }),
      PlanName: z
        .string()
        .meta({ description: `FLEXIBLE, ANNUAL_MONTHLY_PAY, ANNUAL_YEARLY_PAY, TRIAL; ${others}` }),
    }),
    RenewalSettings: z.object({ renewalType: z.string() }).nullable(),
    Seats: z.object({
      LicensedNumberOfSeats: seats.meta({ description: 'Assigned to users.' }),
      MaximumNumberOfSeats: seats.meta({
        description: 'The cap: equal to NumberOfSeats unless stated apart.',
      }),
      NumberOfSeats: seats.meta({ description: 'Purchased.' }),
    }),
  })
  .meta({ id: 'Subscription' })

const properties = z
  .object({
    customerDomain: z.string(),
    customerID: z.string().meta({ description: 'The customer at the vendor.' }),
    reseller: z.string(),
    subscription: Subscription.optional().meta({ description: 'Absent for assets without licenses.' }),
  })
  .meta({ id: 'AssetProperties' })

/** spec 2.2 */
export const Asset = z
  .object({ id: z.string(), type: z.string(), properties, settings: z.null() })
  .meta({ id: 'Asset' })

/** Who did something, as it was at the time. */
export const actor = z.object({
  kind: z.string().meta({ description: `key, member, operator, vendor; ${others}` }),
  id: z.string(),
  name: z.string().meta({ description: 'As it was at the time.' }),
})

const vendor = z.object({
  name: z
    .string()
    .meta({ description: 'built-in, google-workspace, microsoft-partner-center; others may come.' }),
  label: z.string().meta({ description: 'Its name for people.' }),
  quantityIsCap: z.boolean().meta({ description: 'What is billed is the use, up to the quantity.' }),
  takesLicenses: z
    .boolean()
    .meta({ description: 'A quantity below the assigned users takes licenses from some of them.' }),
  locksIncreases: z
    .boolean()
    .meta({ description: 'Without a commitment, too, an increase can be taken back for a few days only.' }),
})

/** spec 2.1, with the additions of CONTRACT 3 */
export const AssetListItem = z
  .object({
    id: z.string().meta({ description: 'Starts with the type.' }),
    type: z.string(),
    licenseQty: z.string().meta({ description: 'Purchased licenses as text, or `N/A`.' }),
    assetName: z.string(),
    url: z.url().meta({ description: 'The page of this type in the console.' }),
    name: z.string().meta({ description: 'The same as `assetName`.' }),
    quantity: seats.optional().meta({ description: 'Absent where `licenseQty` is `N/A`.' }),
    createTime: epochMs,
    properties: properties.optional().meta({ description: 'With `view=full`.' }),
    etag: z.string().optional().meta({ description: "With `view=full`: the asset's ETag." }),
    vendor: vendor.optional().meta({ description: 'With `view=full`, for assets with licenses.' }),
    observedTime: epochMs.optional().meta({
      description: 'With `view=full`: when the vendor last told of it. Absent where it tells nothing.',
    }),
    scheduled: z.object({ quantity: seats, time: epochMs.optional() }).optional().meta({
      description:
        'With `view=full`: what the vendor sets at the next renewal. A change before may delete it there.',
    }),
    openChange: z
      .object({
        id: z.string(),
        to: seats.meta({ description: 'The total that was asked for.' }),
        state: z.string().meta({ description: 'CLAIMED, SENT, UNKNOWN.' }),
        actor,
        createTime: epochMs,
      })
      .optional()
      .meta({ description: 'With `view=full`: a change whose outcome is not known yet.' }),
  })
  .meta({ id: 'AssetListItem' })
