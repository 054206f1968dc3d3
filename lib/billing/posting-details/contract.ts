import { z } from 'zod'
import { contract } from '#lib/platform/api/contract.ts'
import { ONE_LINE } from '#lib/platform/api/request.ts'
import { postingRoutes } from '../routes.ts'
import * as examples from './examples.ts'

/** Same limit as for values from issuers. */
const MAX_LENGTH = 100

/** Field of a patch: one line of text, or null to clear the field. Absent fields stay. */
const text = z
  .string()
  .trim()
  .max(MAX_LENGTH, `must have at most ${MAX_LENGTH} characters`)
  .regex(ONE_LINE, 'must be one line')
  .refine((value) => value.isWellFormed(), 'has half a character in it')
  .transform((value) => value || null)
  .nullable()
  .optional()

const CHANGE = 'Null or an empty text takes it away; what is left out stays.'
const purchaseOrder = 'The purchase order'
const buyerReference = 'What the issuer is to route the invoice by, such as a department or a Leitweg-ID'
const costCenter = 'The cost center, or another accounting reference'

const AssetPostingChange = z
  .strictObject({
    purchaseOrder: text.meta({ description: `${purchaseOrder}. ${CHANGE}` }),
    costCenter: text.meta({ description: `${costCenter}. ${CHANGE}` }),
  })
  .meta({ id: 'AssetPostingChange', description: 'What is to be carried onto the lines of an asset.' })

const PostingChange = z
  .strictObject({
    ...AssetPostingChange.shape,
    buyerReference: text.meta({ description: `${buyerReference}. ${CHANGE}` }),
  })
  .meta({ id: 'PostingChange', description: 'What is to be carried onto the invoices of a billing profile.' })

const postingText = (what: string) =>
  z
    .string()
    .optional()
    .meta({ description: `${what}. Absent: none is set.` })

const AssetPosting = z
  .object({ purchaseOrder: postingText(purchaseOrder), costCenter: postingText(costCenter) })
  .meta({
    id: 'AssetPosting',
    description: 'What is carried onto the lines of the next invoices that bill an asset.',
  })

const BillingProfile = z
  .object({
    id: z.string().meta({ description: 'As the filter `billingProfile` of invoices names it.' }),
    name: z.string().meta({ description: 'The company, as invoices address it.' }),
    country: z.string().optional().meta({ description: 'Two letters, ISO 3166-1.' }),
    ...AssetPosting.shape,
    buyerReference: postingText(buyerReference),
  })
  .meta({
    id: 'BillingProfile',
    description: 'Whom invoices address, with what is carried onto the next ones.',
  })

export type BillingProfile = z.output<typeof BillingProfile>
export type AssetPosting = z.output<typeof AssetPosting>

const ONTO =
  'It is carried onto invoices that come from now on, where their issuer sends none; those that are there stay as they are.'

const profileParams = z.object({
  billing_profile_id: z.string().min(1).max(300).meta({ description: 'The `id` of a billing profile.' }),
})
const assetParams = z.object({
  asset_id: z.string().min(1).max(300).meta({ description: 'The `id` of an asset.' }),
})

/** An addition: whom invoices address. */
export const listBillingProfiles = contract({
  ...postingRoutes.listBillingProfiles,
  summary: 'List billing profiles, by id',
  permission: 'invoice-viewer',
  description:
    'The billing profiles that the caller may see, with the purchase order, reference and cost center that the next invoices of each carry. All of them: a customer has few.',
  output: z
    .object({
      billingProfiles: z.array(BillingProfile).meta({ description: 'By id.' }),
      rowCount: z.int().min(0).meta({ description: 'How many they are.' }),
    })
    .meta({ id: 'BillingProfileList', description: 'The billing profiles that the caller may see.' }),
  examples: examples.listBillingProfiles,
})

export const readBillingProfile = contract({
  ...postingRoutes.readBillingProfile,
  summary: 'Read one billing profile',
  permission: 'invoice-viewer',
  description: 'A billing profile, with what the next invoices of it carry.',
  params: profileParams,
  output: BillingProfile,
  examples: examples.readBillingProfile,
})

/** Addition: sets the posting details of a billing profile's next invoices. */
export const setProfilePosting = contract({
  ...postingRoutes.setProfilePosting,
  summary: 'Set purchase order, reference and cost center of a billing profile',
  permission: 'posting-editor',
  description: `What is named changes, and is a row of the history. ${ONTO}`,
  params: profileParams,
  body: PostingChange,
  output: BillingProfile,
  examples: examples.setProfilePosting,
})

export const readAssetPosting = contract({
  ...postingRoutes.readAssetPosting,
  summary: "Read an asset's purchase order and cost center",
  permission: 'licenses-manager',
  description: 'What the customer has set; the `PurchaseOrderID` of its subscription is the vendor’s.',
  params: assetParams,
  output: AssetPosting,
  examples: examples.readAssetPosting,
})

/** Addition: sets the posting details of lines that bill an asset. */
export const setAssetPosting = contract({
  ...postingRoutes.setAssetPosting,
  summary: 'Set purchase order and cost center of an asset',
  permission: 'posting-editor',
  description: `Needs Licenses Manager, too: who may not see the asset is 403. ${ONTO} A line bills the assets of its type with its account at the vendor, or else with its whole name; where these have set different things, it carries none. What is named changes, and is a row of the history.`,
  params: assetParams,
  body: AssetPostingChange,
  output: AssetPosting,
  examples: examples.setAssetPosting,
})
