import { randomBytes } from 'node:crypto'
import { link, open, readFile, rm } from 'node:fs/promises'

/** The superuser's password, made once, in a file that only we can read. */
export async function makePassword(data: string): Promise<string> {
  const draft = `${data}-password.${randomBytes(6).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  await file.writeFile(randomBytes(24).toString('base64url'))
  await file.sync()
  await file.close()
  // A link is made by one process only; the others read what it made.
  await link(draft, `${data}-password`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  return readPassword(data)
}

/** The superuser's password of a cluster. */
export async function readPassword(data: string): Promise<string> {
  const path = `${data}-password`
  const password = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The password of the embedded PostgreSQL can't be read from ${path} (${error.code}).`)
  })
  return password.trim()
}
