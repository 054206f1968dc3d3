import { z } from 'zod'
import { others } from '#lib/platform/history/shapes.ts'
import { timeOf } from '#lib/platform/lists/unix-time.ts'
import { lastChange, openChange, seats } from './change-shapes.ts'

const plan = z.object({
  CommitmentInterval: z.boolean().nullable().meta({ description: 'True, or null without a commitment.' }),
  CommitmentStartTime: timeOf('When the commitment began, where that is known').optional(),
  CommitmentEndTime: timeOf('When it ends, where that is known').optional(),
  IsCommitmentPlan: z.boolean().meta({ description: 'True: the quantity can only grow.' }),
  PlanName: z
    .string()
    .meta({ description: `FLEXIBLE, ANNUAL_MONTHLY_PAY, ANNUAL_YEARLY_PAY, TRIAL; ${others}` }),
})

const seatCounts = z.object({
  LicensedNumberOfSeats: seats.meta({ description: 'Assigned to users.' }),
  MaximumNumberOfSeats: seats.meta({ description: 'The cap: equal to NumberOfSeats unless stated apart.' }),
  NumberOfSeats: seats.meta({ description: 'Purchased.' }),
})

/** spec 2.2. Field names and capitals are the wire's. */
const Subscription = z
  .object({
    BillingMethod: z.string().meta({ description: 'How the vendor is paid: `ONLINE`, or other text.' }),
    CreationTime: timeOf('When it was bought'),
    PurchaseOrderID: z.string().meta({ description: "The customer's own order number. May be empty." }),
    ResourceUIURL: z
      .string()
      .meta({ description: "The vendor's own page of its subscriptions. May be empty." }),
    SkuID: z.string().meta({ description: 'What was bought, as the vendor calls it.' }),
    SkuName: z.string().meta({ description: 'The same for people: Business Plus.' }),
    Status: z.string().meta({ description: `ACTIVE, SUSPENDED, PENDING, CANCELLED; ${others}` }),
    ID: z.string().meta({ description: 'The subscription at the vendor.' }),
    Plan: plan.meta({ description: 'How it is bought.' }),
    RenewalSettings: z
      .object({ renewalType: z.string().meta({ description: 'What happens then, as the vendor calls it.' }) })
      .nullable()
      .meta({ description: 'What happens at the end of the commitment. Null where nothing is known.' }),
    Seats: seatCounts.meta({ description: 'Licenses: three whole numbers.' }),
  })
  .meta({ id: 'Subscription', description: 'What is bought at the vendor.' })

const properties = z
  .object({
    customerDomain: z.string().meta({ description: 'The domain that the asset is for.' }),
    customerID: z.string().meta({ description: 'The customer at the vendor.' }),
    reseller: z.string().meta({ description: 'Whom to ask: an e-mail address.' }),
    subscription: Subscription.optional().meta({ description: 'Absent for assets without licenses.' }),
  })
  .meta({ id: 'AssetProperties', description: 'Of whom the asset is, and what is bought.' })

const assetId = z.string().meta({ description: 'Starts with the type.' })
/** What kind of product an asset is, as a word. */
export const assetType = z
  .string()
  .meta({ description: 'workspace-suite, office-suite, cloud-platform, web-services; others may come.' })

/** spec 2.2 */
export const Asset = z
  .object({
    id: assetId,
    type: assetType,
    properties: properties.meta({ description: 'Of whom it is, and what is bought.' }),
    settings: z.null().meta({ description: 'Always null.' }),
  })
  .meta({ id: 'Asset', description: 'A managed product.' })

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
  ordersTotals: z
    .boolean()
    .meta({ description: 'Whether a total can be ordered for the next term of a commitment plan.' }),
})

const scheduled = z.object({
  quantity: seats.meta({ description: 'The total that it will be.' }),
  time: timeOf('When, where that is known').optional(),
})

/** spec 2.1, with the additions of CONTRACT 3 */
export const AssetListItem = z
  .object({
    id: assetId,
    type: assetType,
    licenseQty: z.string().meta({ description: 'Purchased licenses as text, or `N/A`.' }),
    assetName: z.string().meta({ description: 'Name for people.' }),
    url: z.url().meta({ description: 'The page of this type in the console.' }),
    name: z.string().meta({ description: 'The same as `assetName`.' }),
    quantity: seats
      .optional()
      .meta({ description: 'Purchased licenses. Absent where `licenseQty` is `N/A`.' }),
    createTime: timeOf('When it was created'),
    properties: properties.optional().meta({ description: 'With `view=full`.' }),
    etag: z.string().optional().meta({ description: "With `view=full`: the asset's ETag." }),
    vendor: vendor.optional().meta({ description: 'With `view=full`, for assets with licenses.' }),
    observedTime: z.int().optional().meta({
      description:
        'With `view=full`: when the vendor last told of it, as epoch time in milliseconds. Absent where it tells nothing.',
    }),
    scheduled: scheduled.optional().meta({
      description:
        'With `view=full`: what the vendor sets at the next renewal. A change before may delete it there.',
    }),
    openChange: openChange
      .optional()
      .meta({ description: 'With `view=full`: a change whose outcome is not known yet.' }),
    lastChange: lastChange.optional().meta({
      description:
        'With `view=full`: the newest change, where it is settled, for seven days; one that is UNCLEAR until another follows that is not the vendor’s own.',
    }),
    waitUntil: z.int().optional().meta({
      description:
        'With `view=full`: until when the vendor takes no other change of this subscription by its own word, as epoch time in milliseconds.',
    }),
  })
  .meta({ id: 'AssetListItem', description: 'An asset as lists have it.' })
