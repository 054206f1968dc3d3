type InvoiceRef = { id: string; number: string; issuer: string }

/**
 * What tells an invoice from others beside its number: its issuer, where another of the rows has the same number, or
 * where its id is not its number because another had that first. Undefined where the number is enough.
 */
export function disambiguatingIssuer<Row extends InvoiceRef>(
  rows: readonly Row[],
): (row: Row) => string | undefined {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { number } of rows) (seen.has(number) ? twice : seen).add(number)
  return ({ id, number, issuer }) => (id !== number || twice.has(number) ? issuer : undefined)
}
