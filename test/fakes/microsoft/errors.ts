import type { Stage, VendorFault } from '../vendors/faults.ts'
import type { Answer } from '../vendors/routes.ts'

/** Partner Center's errors that are relevant to a license change: code, status, message. */
const ERRORS: Record<number, [number, string]> = {
  2000: [400, 'The request is not valid.'],
  2001: [400, 'Subscription quantity cannot be increased or decreased while the subscription is suspended.'],
  2002: [400, 'Subscription quantity is not within the minimum and maximum allowed quantity.'],
  2011: [400, 'The subscription is not active.'],
  2055: [400, 'Etag is no longer valid.'],
  20002: [404, 'Subscription not found.'],
  60003: [404, 'Tenant not found.'],
  800067: [403, 'The number of licenses exceeds what this customer may have.'],
  800088: [403, 'The number of licenses exceeds what this offer allows.'],
  800090: [400, 'Subscription quantity cannot be decreased.'],
  800091: [400, 'Can not update a subscription that is suspended or deleted.'],
  800094: [500, 'Failed to process the request.'],
  900278: [409, 'There is a pending operation on this subscription. Try again after 24 hours.'],
  900308: [403, 'Insufficient privileges to complete the operation.'],
  900311: [400, 'This subscription has been updated too many times. Contact partner support.'],
  900329: [403, 'This resource does not support application-only authentication.'],
}

/** Returns an error response in Partner Center's format. */
export function errorAnswer(code: number): Answer {
  const [status, description] = ERRORS[code] ?? [400, 'Not valid.']
  return { status, body: { code: String(code), description, data: [], source: 'PartnerFD' } }
}

/** Returns a fault for each code, such as `code-900311`: the response has the code, and nothing is done. */
export const CODE_FAULTS: Record<string, VendorFault<Answer>> = Object.fromEntries(
  Object.keys(ERRORS).map((code) => [`code-${code}`, () => errorAnswer(Number(code))]),
)

/** Does the write, and responds with another subscription, as if two responses had been mixed up. */
export const MIXED_UP: Record<string, VendorFault<Answer>> = {
  'another-subscription': (stage) => answeredAs(stage, { id: 'sub-9' }),
  'another-sku': (stage) => answeredAs(stage, { offerId: 'CFQ7TTC0OTHER:0002:CFQ7TTC0KXYZ' }),
  'another-customer': (stage) =>
    answeredAs(stage, { links: { self: { uri: '/customers/tenant-9/subscriptions/sub-1', method: 'GET' } } }),
}

async function answeredAs(stage: Stage<Answer>, another: object): Promise<Answer> {
  const answer = await stage.act()
  const body = answer.body as { items?: object[] }
  const mixed = body.items
    ? { ...body, items: body.items.map((item) => ({ ...item, ...another })) }
    : { ...body, ...another }
  return { ...answer, body: mixed }
}
