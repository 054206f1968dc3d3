'use client'

import { useMutation } from '@tanstack/react-query'
import { NotDone } from '#components/platform/problem/not-done.tsx'
import { Confirm } from '#components/ui/confirm.tsx'
import { visible } from '#components/ui/visible.ts'
import { unmapDirectoryGroup } from '#lib/identity/client.ts'
import type { Group } from '#lib/identity/directories/contract.ts'

/** Asks whether a group is to give nothing any more. */
export function UnmapGroup({
  group,
  onUnmapped,
  onClose,
}: {
  group: Group
  onUnmapped: (said: string) => void
  onClose: () => void
}) {
  const name = visible(group.name)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => unmapDirectoryGroup({ params: { group_id: group.id }, body: {} }),
    onSuccess: () => onUnmapped(`Not mapped any more: ${name}`),
  })
  return (
    <Confirm
      title={`Unmap ${name}?`}
      button="Unmap the group"
      pending={isPending}
      refused={error ? <NotDone title="Not unmapped" error={error} /> : null}
      onGo={() => mutate()}
      onClose={onClose}
    >
      Its members have what their other groups give, at once. Who is in no other that is mapped has no role,
      and sees nothing.
    </Confirm>
  )
}
