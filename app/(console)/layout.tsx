import type { ReactNode } from 'react'
import { ConfirmSignIn } from '#components/identity/access/fresh-sign-in/confirm-sign-in.tsx'
import { ClosedNote } from '#components/shell/frame/closed-note.tsx'
import { Frame } from '#components/shell/frame/frame.tsx'
import { PrintHeader } from '#components/shell/frame/print-header.tsx'
import { Content } from '#components/shell/navigation/content.tsx'
import { NavigationProvider } from '#components/shell/navigation/navigation-provider.tsx'
import { mayChange } from '#lib/identity/access/sign-ins/choices.ts'
import { may, ROLE_NAMES } from '#lib/platform/caller/rules.ts'
import { VERSION } from '#lib/platform/runtime/version.ts'
import { currentCaller } from './caller.ts'
import { currentNeedCount } from './needs.ts'
import { SCREENS } from './screens.ts'
import { viewsOf } from './views.ts'

export default async function Layout({ children }: { children: ReactNode }) {
  const caller = await currentCaller()
  // Without a session: the page itself redirects to the sign-in page, because only the page knows the return address.
  if (!caller) return children
  const screens = SCREENS.filter(({ permission }) => permission === null || may(caller, permission))
  const person = {
    name: caller.name,
    email: caller.email,
    customer: caller.customerName,
    roles: caller.roles.map((role) => ROLE_NAMES[role]).join(', '),
    mayChange: mayChange(caller),
  }
  return (
    <div className="min-h-dvh lg:mx-auto lg:grid lg:max-w-416 lg:grid-cols-[14rem_minmax(0,1fr)] print:block print:max-w-none print:min-h-0">
      <a
        href="#content"
        className="absolute top-2 left-2 z-50 -translate-y-20 rounded-control bg-accent px-3 py-2 text-accent-ink focus:translate-y-0 print:hidden"
      >
        Skip to content
      </a>
      <NavigationProvider>
        <Frame
          screens={screens.map(({ href, name }) => ({ href, name }))}
          person={person}
          version={VERSION}
          needs={currentNeedCount()}
          views={await viewsOf(caller)}
        />
        <main
          id="content"
          tabIndex={-1}
          className="w-full max-w-360 px-9 pt-6 pb-16 outline-none max-md:px-3.5 max-md:pt-4.5 max-md:pb-12 bar:pb-[calc(3rem+var(--bar))] print:max-w-none print:p-0"
        >
          <PrintHeader customer={caller.customerName} now={Date.now()} />
          {caller.closed ? <ClosedNote customer={caller.customerName} until={caller.closed.goneAt} /> : null}
          <Content>{children}</Content>
        </main>
      </NavigationProvider>
      <ConfirmSignIn email={caller.email} />
    </div>
  )
}
