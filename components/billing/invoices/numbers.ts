type InvoiceRef = { id: string; number: string; issuer: string }

/**
 * Returns the issuer where the number alone does not identify an invoice: where another of the rows has the same
 * number, or where its id is not its number because an earlier invoice took that id. Returns undefined where the number
 * is enough.
 */
export function disambiguatingIssuer<Row extends InvoiceRef>(
  rows: readonly Row[],
): (row: Row) => string | undefined {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { number } of rows) (seen.has(number) ? twice : seen).add(number)
  return ({ id, number, issuer }) => (id !== number || twice.has(number) ? issuer : undefined)
}
