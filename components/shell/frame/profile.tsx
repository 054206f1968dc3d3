'use client'

import { useState } from 'react'
import { later } from '#components/ui/later.tsx'
import type { Person } from './person.tsx'

const AccountItems = later(
  () => import('./account-items.tsx').then(({ AccountItems }) => AccountItems),
  () => <div className="h-72" />,
)
const ChangePassword = later(() =>
  import('#components/identity/access/change-password.tsx').then(({ ChangePassword }) => ChangePassword),
)

/** The entries of a person's menu; `dialog` has to be rendered where it outlives the menu. */
export function useProfile(person: Person) {
  const [changing, setChanging] = useState(false)
  const items = (close: () => void) => (
    <AccountItems
      person={person}
      onGo={close}
      onChangePassword={() => {
        close()
        setChanging(true)
      }}
    />
  )
  const dialog = changing ? <ChangePassword email={person.email} onClose={() => setChanging(false)} /> : null
  return { items, ahead: AccountItems.ahead, dialog }
}
