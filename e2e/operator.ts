import { createInterface } from 'node:readline'
import { runHere } from '../lib/admin/test-run.ts'

// A process that runs one operator's command after the other: each line of its input has the words and the input of
// one, each line of its output what became of it. It ends with its input, and so with the worker that started it.
for await (const line of createInterface({ input: process.stdin })) {
  const { words, input } = JSON.parse(line)
  process.stdout.write(`${JSON.stringify(await runHere(words, input))}\n`)
}
