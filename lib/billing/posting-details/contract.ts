import { z } from 'zod'
import { contract } from '#lib/platform/api/contract.ts'
import { calls } from './calls.ts'
import * as examples from './examples.ts'
import * as shapes from './shapes.ts'

export type BillingProfile = z.output<typeof shapes.BillingProfile>
export type AssetPosting = z.output<typeof shapes.AssetPosting>

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
  ...calls.listBillingProfiles,
  summary: 'List billing profiles, by id',
  permission: 'invoice-viewer',
  description:
    'The billing profiles that the caller may see, with the purchase order, reference and cost center that the next invoices of each carry. All of them: a customer has few.',
  output: z
    .object({
      billingProfiles: z.array(shapes.BillingProfile).meta({ description: 'By id.' }),
      rowCount: z.int().min(0).meta({ description: 'How many they are.' }),
    })
    .meta({ id: 'BillingProfileList', description: 'The billing profiles that the caller may see.' }),
  examples: examples.listBillingProfiles,
})

export const readBillingProfile = contract({
  ...calls.readBillingProfile,
  summary: 'Read one billing profile',
  permission: 'invoice-viewer',
  description: 'A billing profile, with what the next invoices of it carry.',
  params: profileParams,
  output: shapes.BillingProfile,
  examples: examples.readBillingProfile,
})

/** An addition: what the next invoices of a billing profile carry. */
export const setProfilePosting = contract({
  ...calls.setProfilePosting,
  summary: 'Set purchase order, reference and cost center of a billing profile',
  permission: 'posting-editor',
  description: `What is named changes, and is a row of the history. ${ONTO}`,
  params: profileParams,
  body: shapes.PostingChange,
  output: shapes.BillingProfile,
  examples: examples.setProfilePosting,
})

export const readAssetPosting = contract({
  ...calls.readAssetPosting,
  summary: "Read an asset's purchase order and cost center",
  permission: 'licenses-manager',
  description: 'What the customer has set; the `PurchaseOrderID` of its subscription is the vendor’s.',
  params: assetParams,
  output: shapes.AssetPosting,
  examples: examples.readAssetPosting,
})

/** An addition: what the lines that bill an asset carry. */
export const setAssetPosting = contract({
  ...calls.setAssetPosting,
  summary: 'Set purchase order and cost center of an asset',
  permission: 'posting-editor',
  description: `Needs Licenses Manager, too: who may not see the asset is 403. ${ONTO} A line bills the assets of its type with its account at the vendor, or else with its whole name; where these have set different things, it carries none. What is named changes, and is a row of the history.`,
  params: assetParams,
  body: shapes.AssetPostingChange,
  output: shapes.AssetPosting,
  examples: examples.setAssetPosting,
})
