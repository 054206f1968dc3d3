import { attackOf, type Tally } from './kinds.ts'

// The attackers as a separate process: node bench/floods/attackers.ts <kind> <URL> <keys> <connections> <requests a
// second of all together> <seconds>. The connections take turns with the keys, which commas separate. Prints the counts of the responses as JSON.
const [kind = '', url = '', keyList = '', ...numbers] = process.argv.slice(2)
const [connections = 1, rate = 1, seconds = 1] = numbers.map(Number)

const tally: Tally = {}
const until = performance.now() + seconds * 1000
const pauseMs = (1000 * connections) / rate

/** Returns the n-th source address, from 127.0.0.2 on. */
function addressOf(n: number): string {
  const number = n + 2
  return `127.0.${number >> 8}.${number & 255}`
}

const attack = attackOf(kind)
const keys = keyList.split(',')
await Promise.all(
  Array.from({ length: connections }, async (_, n) => {
    // Spreads the starts of the connections.
    await new Promise((resolve) => setTimeout(resolve, (Math.min(pauseMs, 1000) * n) / connections))
    await attack({ url, from: addressOf(n), key: keys[n % keys.length] ?? '', pauseMs, until }, tally)
  }),
)
process.stdout.write(JSON.stringify(tally))
