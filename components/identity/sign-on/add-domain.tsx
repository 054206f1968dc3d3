'use client'

import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { errorAt } from '#components/platform/problem/error-at.ts'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { Dialog } from '#components/ui/dialog.tsx'
import { Field } from '#components/ui/field.tsx'
import { visible } from '#components/ui/visible.ts'
import { addSignOnDomain } from '#lib/identity/client.ts'
import type { Provider } from '#lib/identity/single-sign-on/contract.ts'

/** Names a mail domain, and of several providers the one to which it leads. */
export function AddDomain({
  providers,
  onAdded,
  onClose,
}: {
  providers: readonly Provider[]
  onAdded: (said: string) => void
  onClose: () => void
}) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (given: FormData) =>
      addSignOnDomain({
        body: { domain: String(given.get('domain')), providerId: String(given.get('provider')) },
      }),
    onSuccess: ({ domain }) => onAdded(`Added: ${domain}`),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isPending) mutate(new FormData(event.currentTarget))
  }
  const wrong = errorAt(error, '/domain')
  return (
    <Dialog title="Add a domain" onClose={onClose}>
      <form method="post" onSubmit={submit} className="mt-4 grid gap-4">
        <Field
          label="Domain"
          name="domain"
          hint="What follows the @ in your members’ addresses."
          placeholder="example.com"
          maxLength={253}
          required
          spellCheck={false}
          autoCapitalize="none"
          autoComplete="off"
          error={wrong && `This ${wrong}.`}
        />
        <fieldset className={`text-sm ${providers.length === 1 ? 'hidden' : ''}`}>
          <legend className="mb-0.5 font-medium">Leads to</legend>
          {providers.map(({ id, name }, at) => (
            <label key={id} className="flex cursor-pointer items-start gap-2.5 py-1 max-md:py-2">
              <input
                type="radio"
                name="provider"
                value={id}
                defaultChecked={at === 0}
                className="mt-0.5 size-4 shrink-0 accent-accent"
              />
              <span className="wrap-anywhere">{visible(name)}</span>
            </label>
          ))}
        </fieldset>
        {error && !wrong ? <NotDone title="Not added" error={error} /> : null}
        <div className="mt-1 flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" look="primary" pending={isPending}>
            Add
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
