import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packed, unpacked } from './idempotency.ts'

test('any text is unpacked byte for byte', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 2000 }), (text) => {
      expect(unpacked(packed(text))).toBe(text)
    }),
  )
})

test('a packed answer has a third of its bytes at most', () => {
  const asset = `{"id":"workspace-suite-81f3c2","type":"workspace-suite","properties":{"customerDomain":"northwind.example","customerID":"C12ab34","reseller":"orders@other.example","subscription":{"BillingMethod":"ONLINE","CreationTime":1770022800000,"PurchaseOrderID":"PO-7","ResourceUIURL":"","SkuID":"1010020025","SkuName":"Business Plus","Status":"ACTIVE","ID":"S-81f3c2","Plan":{"CommitmentInterval":null,"IsCommitmentPlan":false,"PlanName":"FLEXIBLE"},"RenewalSettings":null,"Seats":{"LicensedNumberOfSeats":182,"MaximumNumberOfSeats":250,"NumberOfSeats":250}}},"settings":null}`
  expect(packed(asset).length).toBeLessThan(asset.length / 3)
})

// Packed by the first release that did so: its dictionary is needed for as long as any answer is stored.
test('an answer packed by any release is read by each later release', () => {
  const packedText = 'AMMR4RaGacbJRhREe15+UUlGeWZeCjwma2sB'
  const asset = {
    id: 'workspace-suite-81f3c2',
    type: 'workspace-suite',
    properties: { customerDomain: 'northwind.example' },
  }
  expect(unpacked(Buffer.from(packedText, 'base64'))).toBe(JSON.stringify(asset))
})

test('an unknown dictionary is reported', () => {
  expect(() => unpacked(Buffer.of(9, 3, 0))).toThrow('the dictionary 9')
  expect(() => unpacked(Buffer.alloc(0))).toThrow('unknown')
})
