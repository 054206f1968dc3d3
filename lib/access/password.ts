import 'server-only'
import { type Algorithm, hash, verify } from '@node-rs/argon2'

// OWASP's second choice of parameters: 19 MiB, 2 passes, 1 lane.
const OPTIONS = { algorithm: 2 satisfies Algorithm, memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Argon2id of a password, with its own salt and parameters in the text. */
export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFC'), OPTIONS)
}

let decoy: Promise<string> | undefined

/** Whether the password fits. Takes the same time where there is no hash, so that names can't be probed. */
export async function passwordFits(password: string, known: string | null | undefined): Promise<boolean> {
  decoy ??= hashPassword('nobody has this password')
  const fits = await verify(known ?? (await decoy), password.normalize('NFC'))
  return known ? fits : false
}
