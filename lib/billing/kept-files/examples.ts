/** The documents of an invoice of which the issuer's own is stored, and ours was never asked for. */
export const exampleFiles = [
  {
    kind: 'original-pdf',
    name: 'invoice 0917.pdf',
    mediaType: 'application/pdf',
    bytes: 15,
    digest: '1e7313ace78f0fb481a486939b4885902663102818090805515553d84e0bbfd3',
    url: 'https://console.example.com/billing/v1/invoices/IN-2025-0917/file?kind=original-pdf',
  },
  {
    kind: 'drawn',
    name: 'IN-2025-0917.pdf',
    mediaType: 'application/pdf',
    url: 'https://console.example.com/billing/v1/invoices/IN-2025-0917/file?kind=drawn',
  },
]
