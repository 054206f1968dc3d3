'use client'

import { ChevronRight } from 'lucide-react'
import Link from 'next/link'
import { useState } from 'react'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { useHydrated } from '#components/ui/hydrated.ts'
import { removeItems } from '#components/ui/local-storage.ts'
import { Spinner } from '#components/ui/spinner.tsx'
import { localPath } from '#lib/platform/caller/rules.ts'
import { navigateToNextStep, pickCustomer } from './next-auth.ts'

const ROW =
  'flex min-h-11 w-full items-center justify-between gap-2 rounded-control border border-line-2 px-3 py-1 text-left text-sm font-medium text-ink'

type Choice = { id: string; name: string; isPresent: boolean }

/** Buttons for the customers to pick from. The present one, if any, leads back. */
export function CustomerChoice({ choices }: { choices: readonly Choice[] }) {
  const hydrated = useHydrated()
  const [picked, setPicked] = useState<string>()
  const [error, setError] = useState('')

  const chooseCustomer = async (id: string) => {
    if (picked !== undefined) return
    setPicked(id)
    setError('')
    const answer = await pickCustomer(id)
    const { kind } = answer
    // This customer requires another proof.
    if (kind === 'pending' && navigateToNextStep(answer)) return
    if (kind === 'signed-in') {
      // Full page load: nothing seen at another customer stays in memory.
      removeItems()
      return location.assign(localPath(new URLSearchParams(location.search).get('from') ?? '/'))
    }
    setPicked(undefined)
    setError(
      kind === 'refused'
        ? 'That took too long, or something was changed meanwhile. Sign in again.'
        : 'No answer from the service. Check your connection and try again.',
    )
  }

  return (
    <>
      <ul className="mt-4 grid gap-2">
        {choices.map(({ id, name, isPresent }) => (
          <li key={id}>
            {isPresent ? (
              <Link href="/" prefetch={false} aria-current="true" className={`${ROW} bg-sunken`}>
                <span className="min-w-0 wrap-anywhere">{escapeInvisible(name)}</span>
                <span className="shrink-0 text-xs font-normal text-ink-2">you are here</span>
              </Link>
            ) : (
              <button
                type="button"
                disabled={!hydrated}
                aria-disabled={picked !== undefined || undefined}
                onClick={() => chooseCustomer(id)}
                className={`${ROW} bg-surface shadow-card hover:bg-sunken`}
              >
                <span className="min-w-0 wrap-anywhere">{escapeInvisible(name)}</span>
                {picked === id ? (
                  <Spinner />
                ) : (
                  <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-ink-3" />
                )}
              </button>
            )}
          </li>
        ))}
      </ul>
      <p role="alert" className="mt-3 text-sm text-danger empty:hidden">
        {error}
      </p>
    </>
  )
}
