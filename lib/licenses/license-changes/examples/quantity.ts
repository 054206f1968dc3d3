import { type Example, refused } from '#lib/platform/api/openapi/example.ts'

import { assetOf45, openChange, stale } from './rows.ts'

export const setQuantity: readonly Example[] = [
  {
    name: 'more',
    summary: 'Five licenses more',
    params: { asset_id: 'office-suite-7e91b4' },
    body: { quantity: 45 },
    answer: { status: 200, body: assetOf45 },
  },
  {
    name: 'no-whole-number',
    summary: 'Not a whole number',
    params: { asset_id: 'office-suite-7e91b4' },
    body: { quantity: 1.5 },
    answer: refused('invalid_request', '/quantity: must be a whole number, as a JSON number', {
      errors: [{ pointer: '/quantity', detail: 'must be a whole number, as a JSON number' }],
    }),
  },
  {
    name: 'less-on-commitment',
    summary: 'Fewer licenses on a commitment plan',
    params: { asset_id: 'workspace-suite-5d20a7' },
    body: { quantity: 50 },
    answer: refused(
      'decrease_not_allowed',
      'This commitment plan can not go below 60 licenses before 2027-03-01.',
      { members: { current: 60, minimum: 60, commitmentEndTime: 1803859200000 } },
    ),
  },
  {
    name: 'another-change',
    summary: 'Another change is not settled yet',
    params: { asset_id: 'office-suite-c04d11' },
    body: { quantity: 130 },
    answer: refused(
      'change_in_progress',
      'API key joiners-sync asked for 120 licenses, and the vendor has not confirmed it yet.',
      { members: openChange },
    ),
  },
  {
    name: 'stale',
    summary: 'Somebody has changed it since it was read',
    params: { asset_id: 'workspace-suite-81f3c2' },
    headers: { 'if-match': '"2.Xb1Yq0aCkQ0Jr2vS5m8d3w"' },
    body: { quantity: 260 },
    answer: refused('version_mismatch', 'API key joiners-sync set this to 250 since you read it.', {
      members: stale,
    }),
  },
  {
    name: 'below-users',
    summary: 'A dry run of fewer licenses than users have',
    params: { asset_id: 'workspace-suite-81f3c2' },
    query: { dryRun: true },
    body: { quantity: 150 },
    answer: refused('vendor_rejected', '182 users are assigned. Unassign 32 first, or choose 182 or more.'),
  },
  {
    name: 'no-access',
    summary: 'A dry run at a vendor that does not let the reseller in',
    params: { asset_id: 'office-suite-c04d11' },
    query: { dryRun: true },
    body: { quantity: 120 },
    answer: refused(
      'vendor_unavailable',
      'We have no access to Microsoft at the moment, which your reseller can restore. Nothing was changed.',
      { members: { because: 'no_access' } },
    ),
  },
  {
    name: 'not-confirmed',
    summary: 'The vendor has not confirmed the change yet',
    params: { asset_id: 'office-suite-c04d11' },
    body: { quantity: 120 },
    answer: refused(
      'outcome_unknown',
      'Microsoft has not confirmed the change yet. It is looked up again; asking for the same total is safe.',
      { members: { changeId: '5f0c6a1e-0002' } },
    ),
  },
]
