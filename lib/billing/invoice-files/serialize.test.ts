import { expect, test } from 'vitest'
import { savedName } from './serialize.ts'

test.each([
  ['original-pdf', 'Rechnung Nr. 7.pdf', 'Rechnung Nr. 7.pdf'],
  ['original-pdf', 'RECHNUNG.PDF', 'RECHNUNG.pdf'],
  ['original-pdf', 'invoice', 'invoice.pdf'],
  ['original-pdf', 'invoice.exe', 'invoice.exe.pdf'],
  ['original-pdf', 'invoice.pdf.html', 'invoice.pdf.html.pdf'],
  ['original-xml', 'invoice.pdf', 'invoice.pdf.xml'],
  ['original-xml', '../../etc/passwd', '-..-etc-passwd.xml'],
  ['original-xml', 'a\r\nSet-Cookie: b.xml', 'a-Set-Cookie- b.xml'],
  ['original-pdf', `${'a'.repeat(300)}.pdf`, `${'a'.repeat(200)}.pdf`],
  ['drawn', undefined, 'IN-1.pdf.pdf'],
] as const)('A document of the kind %s named %j is saved as %j', (kind, name, saved) => {
  expect(savedName('IN/1.pdf', kind, name)).toBe(saved)
})
