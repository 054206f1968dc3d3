import { crc32, inflateRawSync } from 'node:zlib'

/** Returns the files of an archive, in the order of its directory; checks each one's length and checksum. */
export function unzip(archive: Uint8Array): { name: string; bytes: Buffer }[] {
  const file = Buffer.from(archive)
  const end = file.length - 22
  if (file.readUInt32LE(end) !== 0x06054b50) throw new Error('The archive does not end.')
  let at = file.readUInt32LE(end + 16)
  return Array.from({ length: file.readUInt16LE(end + 10) }, () => {
    const nameLength = file.readUInt16LE(at + 28)
    const name = file.subarray(at + 46, at + 46 + nameLength).toString('utf8')
    const start = file.readUInt32LE(at + 42)
    const data = start + 30 + file.readUInt16LE(start + 26) + file.readUInt16LE(start + 28)
    const bytes = inflateRawSync(file.subarray(data, data + file.readUInt32LE(at + 20)))
    if (bytes.length !== file.readUInt32LE(at + 24) || crc32(bytes) !== file.readUInt32LE(at + 16))
      throw new Error(`${name} is not whole.`)
    at += 46 + nameLength + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32)
    return { name, bytes }
  })
}
