import type { Endpoint } from '../../../domains/webhooks/endpoints.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { textTag } from '../etags.ts'

/** How deliveries go changes the record and not its revision: both are in the tag. */
export const endpointTag = (endpoint: Endpoint): string => `W/"${endpoint.revision}-${textTag(JSON.stringify(endpoint)).slice(3, 11)}"`

/** The state that an edit was made from, said by the tag of that state or by its revision. */
export function revisionIn(ifMatch: string | undefined, revision: number | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return revision
  const [, of] = /^(?:W\/)?"(\d{1,9})-[\da-f]{8}"$/.exec(ifMatch.trim()) ?? []
  if (of === undefined) throw invalidArguments([{ path: 'If-Match', message: 'is not an ETag of this webhook' }])
  if (revision !== undefined && revision !== Number(of))
    throw invalidArguments([{ path: 'revision', message: 'says another state than If-Match: leave one of the two out' }])
  return Number(of)
}
