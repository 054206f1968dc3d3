import { type Example, refused } from '#lib/platform/api/openapi/example.ts'
import { applied, unconfirmed } from './rows.ts'

const { knownBy: _, ...settled } = unconfirmed
const checked = {
  ...settled,
  id: '5f0c6a1e-0003',
  to: 110,
  state: 'UNCLEAR',
  vendorReason:
    'We can’t tell whether the change to 110 reached Microsoft: it did not answer when it was asked.',
  createTime: 1793354400000,
  settleTime: 1793354400000,
  acknowledged: { actor: { kind: 'member', id: 'M1', name: 'Ana Ruiz' }, time: 1793444400000 },
}

export const listLicenseChanges: readonly Example[] = [
  {
    name: 'one-asset',
    summary: 'Changes of an asset',
    query: { filter: 'asset:workspace-suite-81f3c2' },
    answer: { status: 200, body: { licenseChanges: [applied], rowCount: 1 } },
  },
]

export const readLicenseChange: readonly Example[] = [
  {
    name: 'open',
    summary: 'A change that the vendor has not confirmed yet',
    params: { change_id: '5f0c6a1e-0002' },
    answer: { status: 200, body: unconfirmed },
  },
]

export const acknowledgeLicenseChange: readonly Example[] = [
  {
    name: 'checked',
    summary: 'An unclear change that was checked',
    params: { change_id: '5f0c6a1e-0003' },
    answer: { status: 200, body: checked },
  },
  {
    name: 'settled',
    summary: 'A change whose outcome is known',
    params: { change_id: '5f0c6a1e-0001' },
    answer: refused('change_settled', 'This change is APPLIED: there is nothing to acknowledge.'),
  },
]
