'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Button } from '#components/ui/button.tsx'
import { Card } from '#components/ui/card.tsx'
import { CopyButton } from '#components/ui/copy-button.tsx'
import { PrintButton } from '#components/ui/print-button.tsx'
import { renewCodes } from '#lib/identity/client.ts'

/** Recovery codes for a lost factor: shown once, when they are created. */
export function RecoveryCodes({ codesLeft }: { codesLeft: number }) {
  const client = useQueryClient()
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: () => renewCodes({ body: {} }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['listFactors'] }),
  })
  return (
    <Card className="p-5">
      <h2 className="text-lg font-semibold">Recovery codes</h2>
      {data ? (
        <div role="status" className="mt-1 grid gap-3">
          <p>
            Print these codes or store them securely. You won’t see them again. Each code works once, in place
            of your app or passkey.
          </p>
          <ul className="grid gap-x-6 gap-y-1 font-mono text-sm sm:grid-cols-2">
            {data.codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
          <div className="flex flex-wrap gap-2 print:hidden">
            <CopyButton variant="primary" text={() => data.codes.join('\n')}>
              Copy the codes
            </CopyButton>
            <PrintButton />
          </div>
        </div>
      ) : (
        <>
          <p className="mt-1 text-ink-3">
            {codesLeft === 0
              ? 'None yet. Without them, you need an Admin’s help if you lose your device.'
              : `${codesLeft} of 10 left. New codes replace all of them.`}
          </p>
          <div className="mt-4">
            <Button
              variant={codesLeft === 0 ? 'primary' : 'plain'}
              pending={isPending}
              onClick={() => mutate()}
            >
              {codesLeft === 0 ? 'Create recovery codes' : 'Create new recovery codes'}
            </Button>
          </div>
        </>
      )}
      {error ? (
        <div className="mt-3">
          <NotDone title="Not created" error={error} />
        </div>
      ) : null}
    </Card>
  )
}
