import type { WebhookEndpoint } from '../../../domains/webhooks/endpoints.ts'
import { conflict, invalidArguments } from '../../../kernel/errors.ts'
import { computeTextEtag } from '../etags.ts'

/** The ETag of a webhook: its revision, and a hash of its content, because deliveries change the content but not the revision. */
export const computeWebhookEtag = (endpoint: WebhookEndpoint): string =>
  `W/"${endpoint.revision}-${computeTextEtag(JSON.stringify(endpoint)).slice(3, 11)}"`

/** Pattern of the ETag of a webhook. */
const ENTITY_TAG = /^(?:W\/)?"(\d{1,9})-[\da-f]{8}"$/

/** The revision that an edit is based on, from If-Match or from the body. */
export function readExpectedRevision(ifMatch: string | undefined, revision: number | undefined): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return revision
  const [, of] = ENTITY_TAG.exec(ifMatch.trim()) ?? []
  if (of === undefined) throw invalidArguments([{ path: 'If-Match', message: 'is not an ETag of this webhook' }])
  if (revision !== undefined && revision !== Number(of))
    throw conflict('revision differs from If-Match, so one of them is not current: send only one of them')
  return Number(of)
}
