import { createInterface } from 'node:readline'
import { redeemLink } from '#lib/identity/access/links/redeem.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { runHere } from '../lib/admin/test-run.ts'

// Process that runs one operator's command after the other: each line of its input has the arguments and the input of
// one command, each line of its output the result. Ends with its input, and so with the worker that started it.
for await (const line of createInterface({ input: process.stdin })) {
  const { words, input } = JSON.parse(line)
  const [what, link] = words
  const result = what === 'accept' ? await accept(link, input) : await runHere(words, input)
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

/** Not an operator's command: accepts an invitation as the invited member. */
async function accept(link: string, password: string) {
  const { stop } = await startDatabase()
  try {
    const email = await redeemLink({ secret: link.split('/').at(-1) ?? '', password, isNew: true })
    return { code: 0, out: email, err: '' }
  } catch (error) {
    return { code: 1, out: '', err: reasonOf(error) }
  } finally {
    await stop()
  }
}
