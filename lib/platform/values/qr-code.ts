import { encode } from 'uqr'

/** QR code: modules per side with the quiet zone, and the black modules as an SVG path. */
export type QrCode = { size: number; path: string }

/** Light modules around the symbol that ISO/IEC 18004 requires, so that scanners find it on any background. */
const QUIET_ZONE = 4

/**
 * Returns the QR code of a text in UTF-8, with error correction level M.
 * @param maxVersion largest version of the symbol, 1 to 40
 * @throws RangeError where the text does not fit
 */
export function qrCodeOf(text: string, maxVersion = 40): QrCode {
  const bytes = [...new TextEncoder().encode(text)]
  const { size, data } = encode(bytes, { ecc: 'M', border: QUIET_ZONE, maxVersion })
  return { size, path: data.map(pathOfRow).join('') }
}

/** Returns one rectangle for each run of black modules. */
function pathOfRow(row: readonly boolean[], y: number): string {
  const runs = row
    .map((isBlack) => (isBlack ? '1' : '0'))
    .join('')
    .matchAll(/1+/g)
  return [...runs].map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`).join('')
}
