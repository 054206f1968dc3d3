'use client'

import { Building2, KeyRound, LogOut, MonitorSmartphone, ShieldCheck, SquareTerminal } from 'lucide-react'
import Link from 'next/link'
import { Suspense, use } from 'react'
import { useWays } from '#components/identity/access/fresh-sign-in/ways.ts'
import { farewell, signOut } from '#components/identity/access/leave.ts'
import { forget } from '#components/ui/kept.ts'
import { MENU_ITEM } from '#components/ui/menu.tsx'
import { useToast } from '#components/ui/toast.tsx'
import type { Person } from './person.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

/** What a person can do with their own account. */
export function AccountItems({
  person,
  onGo,
  onChangePassword,
}: {
  person: Person
  onGo: () => void
  onChangePassword: () => void
}) {
  const say = useToast()
  const leave = async () => {
    // Asked while there is a session: an issuer that opened it ends its own, too.
    const next = await farewell()
    return signOut().then(
      // A whole new page: the cache of answers goes with this one.
      () => {
        forget()
        location.assign(next ?? '/sign-in')
      },
      () => say('You are still signed in: the service did not answer. Try again.'),
    )
  }
  return (
    <>
      <p className="px-2.5 py-1 text-xs wrap-anywhere text-ink-3">{person.email}</p>
      <ThemeSwitch />
      <hr className="mx-2.5 my-1 border-line" />
      <PasswordItem onGo={onChangePassword} />
      <Link href="/second-factor" prefetch={false} className={MENU_ITEM} onClick={onGo}>
        <ShieldCheck aria-hidden="true" className="size-4 text-ink-3" />
        Second factor
      </Link>
      <Link href="/sessions" prefetch={false} className={MENU_ITEM} onClick={onGo}>
        <MonitorSmartphone aria-hidden="true" className="size-4 text-ink-3" />
        Sessions
      </Link>
      <Link href="/keys" prefetch={false} className={MENU_ITEM} onClick={onGo}>
        <SquareTerminal aria-hidden="true" className="size-4 text-ink-3" />
        API keys
      </Link>
      <Suspense>
        <ChangeCustomer mayChange={person.mayChange} onGo={onGo} />
      </Suspense>
      <button type="button" className={MENU_ITEM} onClick={leave}>
        <LogOut aria-hidden="true" className="size-4 text-ink-3" />
        Sign out
      </button>
    </>
  )
}

/** Whoever comes by single sign-on alone has no password to change. Until that is known its place is kept, and is empty. */
function PasswordItem({ onGo }: { onGo: () => void }) {
  const ways = useWays()
  if (!ways) return <span className={`${MENU_ITEM} invisible`}>Change password</span>
  if (!ways.password) return null
  return (
    <button type="button" className={MENU_ITEM} onClick={onGo}>
      <KeyRound aria-hidden="true" className="size-4 text-ink-3" />
      Change password
    </button>
  )
}

function ChangeCustomer({ mayChange, onGo }: { mayChange: Promise<boolean>; onGo: () => void }) {
  if (!use(mayChange)) return null
  return (
    <Link href="/sign-in/customer" prefetch={false} className={MENU_ITEM} onClick={onGo}>
      <Building2 aria-hidden="true" className="size-4 text-ink-3" />
      Change customer
    </Link>
  )
}
