import { Readable } from 'node:stream'
import { runCommand } from './program.ts'

/** Exit code and output of a command. */
export type Ended = { code: number | null; out: string; err: string }

/**
 * Runs a command line in this process, one at a time. Process behavior (signals, closed pipes, the exit) is not
 * covered.
 * @param input standard input of the command, which is not a terminal
 */
export async function runHere(args: readonly string[], input = ''): Promise<Ended> {
  const output = { out: '', err: '' }
  const restores = [
    overrideProperty(process.stdout, 'write', { value: collector(output, 'out') }),
    overrideProperty(process.stderr, 'write', { value: collector(output, 'err') }),
    overrideProperty(process, 'stdin', { value: Readable.from(input === '' ? [] : [Buffer.from(input)]) }),
  ]
  try {
    return { code: await runCommand(args), ...output }
  } finally {
    for (const restore of restores) restore()
  }
}

function collector(output: { out: string; err: string }, where: 'out' | 'err') {
  return (text: string | Uint8Array) => {
    output[where] += typeof text === 'string' ? text : Buffer.from(text).toString()
    return true
  }
}

/** Overrides a property of an object. @returns a function that restores the property */
function overrideProperty(object: object, name: string, property: PropertyDescriptor): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(object, name)
  Object.defineProperty(object, name, { ...property, configurable: true })
  return () => {
    if (descriptor) Object.defineProperty(object, name, descriptor)
    else Reflect.deleteProperty(object, name)
  }
}
