import { issuerKey } from '#lib/billing/parties/issuers.ts'

/** Spellings of issuers in one import. */
export type IssuerSpellings = {
  /** Takes notice of a name. @returns the name as it is compared */
  see(name: string): string
  /** Returns the spelling used for all variants: the first by code unit, whatever the order of the files. */
  nameOf(key: string): string
}

/**
 * Keeps the spellings of issuers while files are read, so that each name is normalized once.
 * @param aliases leads names, as they are compared, to those of the issuers that they are, too
 */
export function issuerSpellings(aliases: ReadonlyMap<string, string> = new Map()): IssuerSpellings {
  const keys = new Map<string, string>()
  const names = new Map<string, string>()
  return {
    see(name) {
      const seen = keys.get(name)
      if (seen !== undefined) return seen
      const spelling = issuerKey(name)
      const key = aliases.get(spelling) ?? spelling
      keys.set(name, key)
      const least = names.get(key)
      if (least === undefined || name < least) names.set(key, name)
      return key
    },
    nameOf: (key) => names.get(key) ?? key,
  }
}
