import { type Giving, profilesText, rolesText } from '#components/identity/members/labels.ts'
import { Moment } from '#components/platform/values/times.tsx'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { CopyField } from '#components/ui/copy-field.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import type { Provider } from '#lib/identity/single-sign-on/contract.ts'
import { ROLE_NAMES } from '#lib/platform/caller/rules.ts'

/** Provider with its settings, and the values to enter at the provider. */
export function ProviderRow({
  provider,
  giving,
  onChange,
  onRemove,
}: {
  provider: Provider
  giving: Giving
  onChange: () => void
  onRemove: () => void
}) {
  const { issuer, clientId, state, joinRoles, mappings, redirectUri, logoutUri, lastSignInTime } = provider
  const name = escapeInvisible(provider.name)
  return (
    <li className="border-t border-line px-5 py-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2.5">
        <div className="min-w-0 flex-1 basis-60">
          <h3 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-[550] wrap-anywhere">
            {name}
            {state === 'off' ? <Badge>Off</Badge> : null}
            {state === 'on' && lastSignInTime === undefined ? <Badge tone="warn">Not tried yet</Badge> : null}
          </h3>
          <p className="text-sm wrap-anywhere text-ink-3">{escapeInvisible(issuer)}</p>
        </div>
        <div className="flex gap-2">
          <Button onClick={onChange} aria-label={`Change ${name}`}>
            Change
          </Button>
          <Button variant="quiet" onClick={onRemove} aria-label={`Remove ${name}`}>
            Remove
          </Button>
        </div>
      </div>
      <dl className="mt-3 grid gap-x-6 gap-y-2.5 text-sm sm:grid-cols-[10rem_1fr]">
        <Row label="Client ID">{escapeInvisible(clientId)}</Row>
        <Row label="New users">
          {joinRoles === null ? 'Must be invited' : `Becomes a member: ${rolesText(joinRoles)}`}
        </Row>
        <Row label="By claims">
          {mappings.length === 0
            ? 'Nothing'
            : mappings.map(({ claim, value, role, billingProfile }) => (
                <span key={`${claim} ${value} ${role} ${billingProfile}`} className="block">
                  <code>
                    {escapeInvisible(claim)}: {escapeInvisible(value)}
                  </code>{' '}
                  → {role ? ROLE_NAMES[role] : profilesText([billingProfile ?? ''], giving)}
                </span>
              ))}
        </Row>
        <Row label="Last sign-in (UTC)">
          {lastSignInTime === undefined ? 'Not yet' : <Moment at={lastSignInTime} />}
        </Row>
      </dl>
      <details className="mt-3 text-sm" open={lastSignInTime === undefined}>
        <summary className="cursor-pointer rounded-sm font-medium text-ink-2 hover:text-ink">
          Settings for the provider
        </summary>
        <div className="mt-2.5 grid gap-3">
          <CopyField label="Redirect URI" text={redirectUri} copyLabel="redirect URI" />
          <CopyField label="Back-channel logout" text={logoutUri} copyLabel="logout URI" />
        </div>
      </details>
    </li>
  )
}

function Row({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-ink-3 max-sm:-mb-2">{label}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}
