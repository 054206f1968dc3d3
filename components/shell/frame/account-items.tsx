'use client'

import { Building2, KeyRound, LogOut, MonitorSmartphone, ShieldCheck } from 'lucide-react'
import Link from 'next/link'
import { Suspense, use, useState } from 'react'
import { useSignInMethods } from '#components/identity/access/fresh-sign-in/sign-in-methods.ts'
import { providerLogoutUrl, signOut } from '#components/identity/access/leave.ts'
import { removeItems } from '#components/ui/local-storage.ts'
import { MENU_ITEM } from '#components/ui/menu.tsx'
import { useToast } from '#components/ui/toast.tsx'
import type { Person } from './person.tsx'

/** Menu entries for the user's own account. */
export function AccountItems({
  person,
  onNavigate,
  onChangePassword,
}: {
  person: Person
  onNavigate: () => void
  onChangePassword: () => void
}) {
  const toast = useToast()
  const leave = async () => {
    // Read before the sign-out, while there is a session: its issuer has a logout of its own.
    const next = await providerLogoutUrl()
    return signOut().then(
      // Full page load: it drops the query cache.
      () => {
        removeItems()
        location.assign(next ?? '/sign-in')
      },
      () => toast('You are still signed in: the service did not answer. Try again.'),
    )
  }
  return (
    <>
      <p className="px-2.5 py-1 text-xs wrap-anywhere text-ink-3">{person.email}</p>
      <ThemeSwitch />
      <hr className="mx-2.5 my-1 border-line" />
      <PasswordItem onNavigate={onChangePassword} />
      <Link href="/second-factor" prefetch={false} className={MENU_ITEM} onClick={onNavigate}>
        <ShieldCheck aria-hidden="true" className="size-4 text-ink-3" />
        Two-step verification
      </Link>
      <Link href="/sessions" prefetch={false} className={MENU_ITEM} onClick={onNavigate}>
        <MonitorSmartphone aria-hidden="true" className="size-4 text-ink-3" />
        Sessions
      </Link>
      <Suspense>
        <ChangeCustomer mayChange={person.mayChange} onNavigate={onNavigate} />
      </Suspense>
      <button type="button" className={MENU_ITEM} onClick={leave}>
        <LogOut aria-hidden="true" className="size-4 text-ink-3" />
        Sign out
      </button>
    </>
  )
}

/**
 * Users with only single sign-on have no password to change. Until the methods are known, the entry's place is reserved
 * but empty.
 */
function PasswordItem({ onNavigate }: { onNavigate: () => void }) {
  const methods = useSignInMethods()
  if (!methods) return <span className={`${MENU_ITEM} invisible`}>Change password</span>
  if (!methods.password) return null
  return (
    <button type="button" className={MENU_ITEM} onClick={onNavigate}>
      <KeyRound aria-hidden="true" className="size-4 text-ink-3" />
      Change password
    </button>
  )
}

function ChangeCustomer({ mayChange, onNavigate }: { mayChange: Promise<boolean>; onNavigate: () => void }) {
  if (!use(mayChange)) return null
  return (
    <Link href="/sign-in/customer" prefetch={false} className={MENU_ITEM} onClick={onNavigate}>
      <Building2 aria-hidden="true" className="size-4 text-ink-3" />
      Change customer
    </Link>
  )
}

const THEMES = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const
type Theme = (typeof THEMES)[number][0]

const YEAR_SECONDS = 31_536_000

/**
 * Light, dark, or the system's theme. Stored in a cookie, so that the server renders it without a flash; over https the
 * cookie has the `__Host-` prefix, like the server's own.
 */
function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(
    () => (document.documentElement.dataset.theme as Theme) ?? 'system',
  )
  const choose = (next: Theme) => {
    setTheme(next)
    const isSystem = next === 'system'
    if (isSystem) delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = next
    const [name, more] = location.protocol === 'https:' ? ['__Host-theme', '; secure'] : ['theme', '']
    const age = isSystem ? 0 : YEAR_SECONDS
    // biome-ignore lint/suspicious/noDocumentCookie: the cookie store is missing in some browsers still
    document.cookie = `${name}=${next}; path=/; samesite=lax; max-age=${age}${more}`
  }
  return (
    <fieldset className="px-2.5 pt-1 pb-2">
      <legend className="py-1 text-xs text-ink-3">Theme</legend>
      <div className="flex rounded-control border border-line-2 p-0.5">
        {THEMES.map(([value, name]) => (
          <label
            key={value}
            className="flex-1 cursor-pointer rounded-[5px] px-2 py-1 text-center text-sm text-ink-2 has-checked:bg-accent-tint has-checked:font-medium has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent max-md:py-2"
          >
            <input
              type="radio"
              name="theme"
              value={value}
              checked={theme === value}
              onChange={() => choose(value)}
              className="sr-only"
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
