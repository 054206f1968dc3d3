import 'server-only'
import { requestContext } from '#lib/platform/runtime/log.ts'

/**
 * Sets the status of the page that is being rendered. Next's `notFound()` and `forbidden()` send a page whose content
 * appears only when its scripts have run. A navigation within the console has the status 200 in any case: Next would load
 * the whole page again.
 */
export function setPageStatus(status: 403 | 404): void {
  const context = requestContext()
  if (context) context.pageStatus = status
}
