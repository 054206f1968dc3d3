import { Moment } from '#components/platform/values/times.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import {
  Cell,
  Row,
  RowHeaderCell,
  Table,
  TableBody,
  TableHeader,
  TableHeaderCell,
} from '#components/ui/table.tsx'
import type { Key } from '#lib/identity/keys/contract.ts'
import { ROLE_NAMES } from '#lib/platform/caller/rules.ts'
import type { Issuer } from './issuer.ts'
import { KeyActions } from './key-actions.tsx'
import { STATUS } from './labels.ts'

/** Keys, newest first; `named` adds the owner. `onChanged` is called after each change of a key. */
export function KeyTable({
  keys,
  named,
  pending,
  issuer,
  onChanged,
}: {
  keys: readonly Key[]
  named: boolean
  pending: boolean
  issuer: Issuer
  onChanged: () => void
}) {
  return (
    <Table label="API keys, newest first" pending={pending}>
      <TableHeader>
        <TableHeaderCell>Key</TableHeaderCell>
        {named ? <TableHeaderCell>Belongs to</TableHeaderCell> : null}
        <TableHeaderCell>Roles</TableHeaderCell>
        <TableHeaderCell>Last used (UTC)</TableHeaderCell>
        <TableHeaderCell>Expires (UTC)</TableHeaderCell>
        <TableHeaderCell right>
          <span className="sr-only">Actions</span>
        </TableHeaderCell>
      </TableHeader>
      <TableBody>
        {keys.map((key) => (
          <Row key={key.id}>
            <RowHeaderCell className="wrap-anywhere md:min-w-40">
              <span className="block font-[550]">{escapeInvisible(key.name)}</span>
              <code className="block text-xs text-ink-3">{key.hint}</code>
            </RowHeaderCell>
            {named ? (
              <Cell className="wrap-anywhere text-ink-2 max-md:text-sm md:min-w-32">
                <span className="text-ink-3 md:hidden">Belongs to </span>
                <Owner apiKey={key} customer={issuer.customer} />
              </Cell>
            ) : null}
            <Cell className="wrap-anywhere text-ink-2 max-md:text-sm md:min-w-36">
              <Opens apiKey={key} />
            </Cell>
            <Cell className="text-ink-2 max-md:text-sm xl:min-w-44">
              <span className="text-ink-3 md:hidden">Last used </span>
              <LastUse apiKey={key} />
            </Cell>
            <Cell className="text-ink-2 max-md:text-sm xl:min-w-44">
              <span className="text-ink-3 md:hidden">Expires </span>
              {key.expireTime === undefined ? 'Never' : <Moment at={key.expireTime} />}
              {key.status === 'ACTIVE' ? null : (
                <span className="mt-1 block">
                  <Badge tone={STATUS[key.status].tone}>{STATUS[key.status].text}</Badge>
                </span>
              )}
            </Cell>
            <Cell placement="right" right className="max-md:row-span-5">
              <KeyActions target={key} issuer={issuer} onChanged={onChanged} />
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  )
}

function Owner({ apiKey: { owner, issuer }, customer }: { apiKey: Key; customer: string }) {
  if (owner === 'MEMBER') return escapeInvisible(issuer?.name ?? '')
  return (
    <>
      {escapeInvisible(customer)}
      <span className="block text-xs text-ink-3">
        {issuer ? `Created by ${escapeInvisible(issuer.name)}` : 'Created by your reseller’s operator'}
      </span>
    </>
  )
}

function Opens({ apiKey: { roles, billingProfiles, addresses } }: { apiKey: Key }) {
  return (
    <>
      {roles.map((role) => ROLE_NAMES[role]).join(', ') || 'Nothing'}
      {billingProfiles ? (
        <span className="block text-xs text-ink-3">
          Billing profiles: {billingProfiles.map(escapeInvisible).join(', ')}
        </span>
      ) : null}
      {addresses ? <span className="block text-xs text-ink-3">From {addresses.join(', ')}</span> : null}
    </>
  )
}

function LastUse({ apiKey: { lastUseTime, lastUseAddress, isUnused } }: { apiKey: Key }) {
  return (
    <>
      {lastUseTime === undefined ? 'Never' : <Moment at={lastUseTime} />}
      {lastUseAddress ? (
        <span className="block text-xs wrap-anywhere text-ink-3">from {lastUseAddress}</span>
      ) : null}
      {isUnused ? (
        <span className="mt-1 block">
          <Badge tone="warn">Unused for 60 days</Badge>
        </span>
      ) : null}
    </>
  )
}
