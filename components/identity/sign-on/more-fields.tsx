import { Field } from '#components/ui/field.tsx'
import type { Provider } from '#lib/identity/single-sign-on/contract.ts'

const TEXT = { spellCheck: false, autoCapitalize: 'none', autoComplete: 'off' } as const

/** What is seldom other than usual of a provider. */
export function MoreFields({
  provider,
  errorAt,
}: {
  provider: Provider | undefined
  errorAt: (name: string) => string | undefined
}) {
  return (
    <details className="text-sm">
      <summary className="cursor-pointer rounded-sm font-medium text-ink-2 hover:text-ink">More</summary>
      <div className="mt-3 grid gap-4">
        <Field
          label="Claim that the address is verified"
          name="verifiedClaim"
          defaultValue={provider?.verifiedClaim ?? 'email_verified'}
          hint="Entra ID: xms_edov."
          required
          maxLength={100}
          {...TEXT}
          error={errorAt('verifiedClaim')}
        />
        <Field
          label="Scopes beside openid"
          name="scopes"
          defaultValue={(provider?.scopes ?? ['email', 'profile']).join(' ')}
          {...TEXT}
          error={errorAt('scopes')}
        />
      </div>
    </details>
  )
}
