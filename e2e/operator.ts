import { createInterface } from 'node:readline'
import { redeemLink } from '#lib/identity/access/links/redeem.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import { runHere } from '../lib/admin/test-run.ts'

// A process that runs one operator's command after the other: each line of its input has the words and the input of
// one, each line of its output what became of it. It ends with its input, and so with the worker that started it.
for await (const line of createInterface({ input: process.stdin })) {
  const { words, input } = JSON.parse(line)
  const [what, link] = words
  const result = what === 'accept' ? await accept(link, input) : await runHere(words, input)
  process.stdout.write(`${JSON.stringify(result)}\n`)
}

/** No command of an operator's: what a member does with the link of an invitation. */
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
