import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

const [inBrotli, inGzip] = [promisify(brotliCompress), promisify(gzip)]

/** Other files, above all fonts, are already compressed. */
const COMPRESSIBLE = /\.(js|css|svg|json|txt)$/

/**
 * Writes the smallest brotli and gzip forms of each text of a folder next to it, as `.br` and `.gz`: the server sends
 * them to clients that accept them.
 */
export async function compressAll(folder: string): Promise<void> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    COMPRESSIBLE.test(name),
  )
  await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, name))
      // Brotli compresses at its highest quality by default.
      const [small, larger] = await Promise.all([inBrotli(bytes), inGzip(bytes, { level: 9 })])
      await writeFile(join(folder, `${name}.br`), small)
      await writeFile(join(folder, `${name}.gz`), larger)
    }),
  )
}
