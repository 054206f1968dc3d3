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
    'role:admin',
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
  member_id: ['m-ana', 'm-ben', 'm-bea'],
  'if-match': ['*', '"3.x"', '"1.x"', 'x'],
  'if-none-match': ['*', '"x"'],
  'idempotency-key': ['a', 'b', 'c'],
}
/** Bodies of changes of licenses and of members: what is taken, refused, and none. */
export const BODIES: readonly object[] = [
  ...[0, 45, 60, 61, 130, 250, 1.5, -1, '7'].map((quantity) => ({ quantity })),
  { roles: ['it-manager'] },
  { roles: [], billingProfiles: ['none'] },
  { billingProfiles: null, disabled: true },
  { email: 'eve@northwind.example', name: 'Eve', roles: ['it-manager'] },
]
