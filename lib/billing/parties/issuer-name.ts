/** Legal forms, and other spellings of each. A form that is not here is compared as it is written. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  ab: ['aktiebolag'],
  ag: ['aktiengesellschaft'],
  aps: ['anpartsselskab'],
  bv: ['besloten vennootschap'],
  co: ['company'],
  corp: ['corporation'],
  gmbh: ['gesellschaft mit beschränkter haftung', 'gesellschaft mbh', 'ges mbh'],
  inc: ['incorporated'],
  kg: ['kommanditgesellschaft'],
  llc: ['limited liability company'],
  llp: ['limited liability partnership'],
  ltd: ['limited'],
  nv: ['naamloze vennootschap'],
  oy: ['osakeyhtiö'],
  oyj: ['julkinen osakeyhtiö'],
  plc: ['public limited company'],
  pty: ['proprietary'],
  pvt: ['private'],
  sa: ['société anonyme', 'sociedad anónima'],
  sarl: ['sàrl', 'sà rl', 'société à responsabilité limitée'],
  se: ['societas europaea'],
  spa: ['società per azioni'],
  srl: ['società a responsabilità limitata'],
}

/** Canonical forms by spelling, in words between blanks. */
const SPELLINGS: ReadonlyMap<string, string> = new Map(
  Object.entries(FORMS).flatMap(([form, spellings]) =>
    spellings.map((spelling) => [spelling.normalize('NFKC'), form] as const),
  ),
)
// The longest first: a "limited liability company" is no "ltd".
const SPELLING = new RegExp(
  `(?<= )(${[...SPELLINGS.keys()].sort((a, b) => b.length - a.length).join('|')})(?= )`,
  'gu',
)

/** Joining marks: `S.A.` is `SA`, and `O'Neil` is `ONeil`. Invisible characters join as well. */
const JOINING = /[.'’ʼ\p{Cf}]/gu
const SEPARATING = /[\s\p{P}]+/gu

/**
 * Returns an issuer's name as it is compared: without differences of Unicode (NFKC), case, blanks and punctuation, and
 * with one spelling of each legal form. Two names of one issuer are equal; `Acme Ltd` and `Acme GmbH` are not.
 */
export function foldIssuer(name: string): string {
  // Upper case first, for some small letters have no other way to one form: `ß`, `ς`.
  const plain = name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')
  const words = ` ${plain.replace(JOINING, '').replace(SEPARATING, ' ')} `.replace(/ {2,}/g, ' ')
  const folded = words.replace(SPELLING, (found) => SPELLINGS.get(found) ?? found).replaceAll(' ', '')
  // A name of nothing but marks is compared by these.
  return folded === '' ? plain : folded
}

/** Spellings that come in one import. */
export type IssuerSpellings = {
  /** Takes notice of a name. @returns the name as it is compared */
  see(name: string): string
  /** Returns the spelling used for all variants: the first by code unit, whatever the order of the files. */
  nameOf(folded: string): string
}

/**
 * Keeps the spellings of issuers while files are read, so that each name is folded once.
 * @param aliases leads names, as they are compared, to those of the issuers that they are, too
 */
export function issuerSpellings(aliases: ReadonlyMap<string, string> = new Map()): IssuerSpellings {
  const folds = new Map<string, string>()
  const names = new Map<string, string>()
  return {
    see(name) {
      const known = folds.get(name)
      if (known !== undefined) return known
      const spelling = foldIssuer(name)
      const folded = aliases.get(spelling) ?? spelling
      folds.set(name, folded)
      const least = names.get(folded)
      if (least === undefined || name < least) names.set(folded, name)
      return folded
    },
    nameOf: (folded) => names.get(folded) ?? folded,
  }
}
