/** What a parameter or header may hold, so that calls often find something; other text comes besides. */
export const VALUES: Record<string, readonly string[]> = {
  asset_id: [
    'workspace-suite-81f3c2',
    'workspace-suite-5d20a7',
    'office-suite-7e91b4',
    'cloud-platform-3f6a90',
  ],
  invoice_id: ['IN-2025-0917', 'IN-2025-1017'],
  change_id: ['5f0c6a1e-0001', '5f0c6a1e-0002', '5f0c6a1e-0003'],
  filter: [
    'type:workspace-suite',
    'platform:cloud-platform',
    'currency:USD',
    'state:APPLIED',
    'kind:access',
    'x:y',
  ],
  from: ['IN-2025-0917'],
  to: ['IN-2025-1017'],
  ids: ['IN-2025-0917', 'IN-2025-0917|IN-2025-1017'],
  maxResults: ['1', '999', '0'],
  view: ['full', 'basic'],
  orderBy: ['totalAmount desc', 'dueDate'],
  dryRun: ['true', 'false'],
  lines: ['true', 'false'],
  kind: ['drawn', 'original-pdf', 'original-xml', 'x'],
  whose: ['own', 'all'],
  session_id: ['none'],
  key_id: ['k-erp', 'none'],
  state: ['usable', 'ended', 'old'],
  'if-match': ['*', '"3.x"', '"1.x"', 'x'],
  'if-none-match': ['*', '"x"'],
  'idempotency-key': ['a', 'b', 'c'],
}
/** Bodies of a change of licenses: totals that are taken, refused, and none; and those of changes of keys. */
export const BODIES = [
  ...[0, 45, 60, 61, 130, 250, 1.5, -1, '7'].map((quantity) => ({ quantity })),
  ...[{ name: 'ERP' }, { name: '' }, { overlap: 'now' }, { name: 'New', roles: ['admin'] }, {}],
]
