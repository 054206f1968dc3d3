import { Moment } from '#components/platform/values/times.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Cell, HeadCell, Row, RowHead, Table, TableBody, TableHead } from '#components/ui/table.tsx'
import { visible } from '#components/ui/visible.ts'
import type { Key } from '#lib/identity/keys/contract.ts'
import { ROLE_NAMES } from '#lib/platform/caller/rules.ts'
import type { Issuer } from './issuer.ts'
import { KeyActions } from './key-actions.tsx'
import { STATUS } from './words.ts'

/** Keys, newest first; with `named` each says whose it is. `onChanged` is called when one is another now. */
export function KeyTable({
  keys,
  named,
  busy,
  issuer,
  onChanged,
}: {
  keys: readonly Key[]
  named: boolean
  busy: boolean
  issuer: Issuer
  onChanged: () => void
}) {
  return (
    <Table label="API keys, newest first" busy={busy}>
      <TableHead>
        <HeadCell>Key</HeadCell>
        {named ? <HeadCell>Belongs to</HeadCell> : null}
        <HeadCell>Opens</HeadCell>
        <HeadCell>Last use (UTC)</HeadCell>
        <HeadCell>Ends (UTC)</HeadCell>
        <HeadCell right>
          <span className="sr-only">Actions</span>
        </HeadCell>
      </TableHead>
      <TableBody>
        {keys.map((key) => (
          <Row key={key.id}>
            <RowHead className="wrap-anywhere md:min-w-40">
              <span className="block font-[550]">{visible(key.name)}</span>
              <code className="block text-xs text-ink-3">{key.hint}</code>
            </RowHead>
            {named ? (
              <Cell className="wrap-anywhere text-ink-2 max-md:text-sm md:min-w-32">
                <span className="text-ink-3 md:hidden">Belongs to </span>
                <Owner of={key} customer={issuer.customer} />
              </Cell>
            ) : null}
            <Cell className="wrap-anywhere text-ink-2 max-md:text-sm md:min-w-36">
              <Opens of={key} />
            </Cell>
            <Cell className="text-ink-2 max-md:text-sm xl:min-w-44">
              <span className="text-ink-3 md:hidden">Last use </span>
              <LastUse of={key} />
            </Cell>
            <Cell className="text-ink-2 max-md:text-sm xl:min-w-44">
              <span className="text-ink-3 md:hidden">Ends </span>
              {key.expireTime === undefined ? 'Never' : <Moment at={key.expireTime} />}
              {key.status === 'ACTIVE' ? null : (
                <span className="mt-1 block">
                  <Badge tone={STATUS[key.status].tone}>{STATUS[key.status].text}</Badge>
                </span>
              )}
            </Cell>
            <Cell place="right" right className="max-md:row-span-5">
              <KeyActions target={key} issuer={issuer} onChanged={onChanged} />
            </Cell>
          </Row>
        ))}
      </TableBody>
    </Table>
  )
}

function Owner({ of: { owner, issuer }, customer }: { of: Key; customer: string }) {
  if (owner === 'MEMBER') return visible(issuer?.name ?? '')
  return (
    <>
      {visible(customer)}
      <span className="block text-xs text-ink-3">
        {issuer ? `Issued by ${visible(issuer.name)}` : 'Issued by your reseller’s operator'}
      </span>
    </>
  )
}

function Opens({ of: { roles, billingProfiles, addresses } }: { of: Key }) {
  return (
    <>
      {roles.map((role) => ROLE_NAMES[role]).join(', ') || 'Nothing'}
      {billingProfiles ? (
        <span className="block text-xs text-ink-3">
          Billing profiles: {billingProfiles.map(visible).join(', ')}
        </span>
      ) : null}
      {addresses ? <span className="block text-xs text-ink-3">From {addresses.join(', ')}</span> : null}
    </>
  )
}

function LastUse({ of: { lastUseTime, lastUseAddress, isUnused } }: { of: Key }) {
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
