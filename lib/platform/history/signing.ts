import 'server-only'
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { madeOnce } from '#lib/platform/runtime/secrets.ts'
import { historySettings } from './settings.ts'
import type { KnownHead } from './verify.ts'

// Ed25519 and not a keyed digest: whoever checks heads needs the public key alone, and can make none with it.

/** Where a customer's chain ended at a time. */
export type Head = { customer: string; seq: number; digest: string; time: string }
export type SignedHead = Head & { key: string; signature: string }

const SignedHead = z.object({
  customer: z.string(),
  seq: z.int().min(1),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  time: z.iso.datetime(),
  key: z.string(),
  signature: z.string(),
})

/** What stands before 32 bytes of an Ed25519 key in its usual form (RFC 8410). */
const PRIVATE = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC = Buffer.from('302a300506032b6570032100', 'hex')

let own: { secret: string; privateKey: KeyObject; publicKey: string } | undefined

/**
 * The key that signs heads: made of AUDIT_SECRET, else of a secret that is made once into DATA_DIR. It signs nothing
 * else, and a new session secret leaves it as it is.
 */
function signingKey() {
  const secret = historySettings().secret ?? madeOnce('audit')
  if (own?.secret !== secret) {
    const seed = Buffer.from(hkdfSync('sha256', secret, '', 'audit-heads', 32))
    const der = Buffer.concat([PRIVATE, seed])
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
    own = { secret, privateKey, publicKey: spki.subarray(PUBLIC.length).toString('base64url') }
  }
  return own
}

/** The key that heads of this service are checked with: 32 bytes of Ed25519 in base64url. */
export function publicKey(): string {
  return signingKey().publicKey
}

export function signHead(head: Head): SignedHead {
  const { privateKey, publicKey } = signingKey()
  const signature = sign(null, textOf(head), privateKey).toString('base64url')
  return { ...head, key: nameOf(publicKey), signature }
}

/**
 * A signed head as a line of a file has it.
 * @param keys those that are trusted, by the names that heads give them
 * @returns undefined where the line is none, or nobody who is trusted has signed it
 */
function readSignedHead(line: string, keys: ReadonlyMap<string, KeyObject>): SignedHead | undefined {
  const head = SignedHead.safeParse(jsonOf(line)).data
  const key = head && keys.get(head.key)
  const fits = key && verify(null, textOf(head), key, Buffer.from(head.signature, 'base64url'))
  return fits ? head : undefined
}

/**
 * Public keys by the names that heads give them.
 * @throws Error where one of them is none
 */
export function trusted(keys: readonly string[]): Map<string, KeyObject> {
  return new Map(
    keys.map((text) => {
      const key = Buffer.concat([PUBLIC, Buffer.from(text, 'base64url')])
      if (key.length !== PUBLIC.length + 32) throw new Error(`"${text}" is no public key.`)
      return [nameOf(text), createPublicKey({ key, format: 'der', type: 'spki' })]
    }),
  )
}

function nameOf(publicKey: string): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 16)
}

function textOf({ customer, seq, digest, time }: Head): Buffer {
  return Buffer.from(JSON.stringify(['audit-head', customer, seq, digest, time]))
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** A file a month, which is only ever added to. */
const HEAD_FILE = /^heads-\d{4}-\d{2}\.jsonl$/

/** Adds signed heads to this month's file, a line each; they are on the disk when this returns. */
export async function addHeads(folder: string, heads: readonly SignedHead[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  const month = new Date().toISOString().slice(0, 7)
  const file = await open(join(folder, `heads-${month}.jsonl`), 'a', 0o640)
  try {
    await file.appendFile(heads.map((head) => `${JSON.stringify(head)}\n`).join(''))
    await file.sync()
  } finally {
    await file.close()
  }
}

/** What files of heads hold: those whose signature fits, by customer, and how many lines have none that does. */
export type ReadHeads = { heads: Map<string, KnownHead[]>; refused: number }

/**
 * Reads signed heads, of a file or of each file of a folder. Of one customer all of them, so that the place of a change
 * shows; of all customers the last one each, so that memory is bounded by their number.
 */
export async function readHeads(
  path: string,
  keys: ReturnType<typeof trusted>,
  customer?: string,
): Promise<ReadHeads> {
  const heads = new Map<string, KnownHead[]>()
  let refused = 0
  for (const file of await filesOf(path)) {
    for await (const line of createInterface({
      input: createReadStream(file),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      if (line.trim() === '') continue
      const head = readSignedHead(line, keys)
      if (!head) refused += 1
      else if (customer === undefined || head.customer === customer) keep(heads, head, customer !== undefined)
    }
  }
  return { heads, refused }
}

function keep(heads: Map<string, KnownHead[]>, { customer, seq, digest }: SignedHead, isAll: boolean): void {
  const known = { seq, digest: Buffer.from(digest, 'hex') }
  const before = heads.get(customer)
  if (!before) heads.set(customer, [known])
  else if (isAll) before.push(known)
  else if (seq >= (before[0]?.seq ?? 0)) before[0] = known
}

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const names = await readdir(path)
  return names
    .filter((name) => HEAD_FILE.test(name))
    .sort()
    .map((name) => join(path, name))
}
