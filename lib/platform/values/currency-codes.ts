import { codesIn } from './text.ts'

// Codes of ISO 4217: lists one and three as published on 2026-01-01 by its maintenance agency, SIX. Their minor units
// are in `lib/platform/values/money.ts`. A new currency has to be added to both, and to the list of the tests.

/** Codes in use, with funds, metals and units of account; without XXX and XTS, which are not money. */
const ACTIVE = `
  AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE
  CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF
  GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR
  LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN
  PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS
  TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC
  XBD XCD XCG XDR XOF XPD XPF XPT XSU XUA YER ZAR ZMW ZWG
`

/** Withdrawn codes: old invoices have them. List three of ISO 4217 has no minor units. */
const WITHDRAWN = `
  ADP AFA ALK ANG AOK AON AOR ARA ARP ARY ATS AYM AZM BAD BEC BEF BEL BGJ BGK BGL BGN BOP BRB BRC BRE BRN BRR
  BUK BYB BYR CHC CSD CSJ CSK CUC CYP DDM DEM ECS ECV EEK ESA ESB ESP FIM FRF GEK GHC GHP GNE GNS GQE GRD GWE
  GWP HRD HRK IEP ILP ILR ISJ ITL LAJ LSM LTL LTT LUC LUF LUL LVL LVR MGF MLF MRO MTL MTP MVQ MXP MZE MZM NIC
  NLG PEH PEI PES PLZ PTE RHD ROK ROL RUR SDD SDP SIT SKK SLL SRG STD SUR TJR TMM TPE TRL UAK UGS UGW USS UYN
  UYP VEB VEF VNC XEU XFO XFU XRE YDD YUD YUM YUN ZAL ZMK ZRN ZRZ ZWC ZWD ZWL ZWN ZWR
`

const codes = codesIn(`${ACTIVE} ${WITHDRAWN}`)
const withdrawn = codesIn(WITHDRAWN)

/** Returns whether a currency was withdrawn. */
export function isWithdrawn(code: string): boolean {
  return withdrawn.has(code)
}

/** Returns the reason why a currency can't be billed; undefined if it can. */
export function currencyError(code: string): string | undefined {
  if (codes.has(code)) return undefined
  if (!/^[A-Z]{3}$/.test(code)) return 'is not a three-letter code such as USD'
  if (code === 'XXX') return 'is XXX, which says that there is no currency'
  if (code === 'XTS') return 'is XTS, which is for tests and no currency'
  return `is ${code}, which is no currency of ISO 4217`
}
