/** A block of a tar archive, in bytes. */
const BLOCK = 512

/**
 * One file as a tar archive has it (POSIX ustar), for its owner alone, without what ends an archive: others may follow.
 * @param name of 99 bytes at most
 */
export function tarEntry(name: string, content: Buffer): Buffer {
  if (Buffer.byteLength(name) > 99) throw new RangeError(`${name} is too long a name.`)
  const head = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  const put = (text: string, at: number) => head.write(text, at)
  put(name, 0)
  put(octal(0o600, 7), 100)
  put(octal(0, 7), 108)
  put(octal(0, 7), 116)
  put(octal(content.length, 11), 124)
  put(octal(0, 11), 136)
  // The sum is made as if spaces stood in its place.
  put(' '.repeat(8), 148)
  put('0', 156)
  put('ustar\x0000', 257)
  const sum = head.reduce((total, byte) => total + byte, 0)
  put(`${octal(sum, 6)}\0 `, 148)
  return Buffer.concat([head, content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)])
}
