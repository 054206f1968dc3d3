import { type FileHandle, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { addressOf } from '#lib/access/links/store.ts'
import { Problem } from '#lib/api/problem.ts'
import { env } from '#lib/env.ts'
import type { Invitation } from '#lib/imports/customers/members.ts'

/** Links as CSV, in a file that nobody else on this machine may read. */
export type LinkFile = {
  count: number
  add(invitations: readonly Invitation[]): Promise<void>
  close(): Promise<void>
}

const COLUMNS = ['customer', 'email', 'name', 'link', 'expires']

/**
 * @param path of a file that is not there yet
 * @throws Problem where it is, or can't be made
 */
export async function openLinkFile(path: string): Promise<LinkFile> {
  const file = await open(resolve(env().callerDir, path), 'wx', 0o600).catch(unmade(path))
  await file.appendFile(stringify([COLUMNS]))
  const made: LinkFile = {
    count: 0,
    // A secret that was not written down is lost: it is on the disk before the next customer is begun.
    async add(invitations) {
      if (invitations.length === 0) return
      const rows = invitations.map(({ customer, email, name, secret, expiresAt }) => [
        customer,
        email,
        name,
        addressOf('invitation', secret),
        expiresAt.toISOString(),
      ])
      await file.appendFile(stringify(rows, { escape_formulas: true }))
      await file.sync()
      made.count += invitations.length
    },
    close: () => file.close(),
  }
  return made
}

function unmade(path: string) {
  return (error: NodeJS.ErrnoException): FileHandle => {
    const reason =
      error.code === 'EEXIST'
        ? 'there is a file already, and links are added to none'
        : `it can not be made (${error.code})`
    throw new Problem('invalid_request', `${path}: ${reason}.`)
  }
}
