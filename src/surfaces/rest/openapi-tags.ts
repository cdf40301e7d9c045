import { REST_ENTITIES } from '../../domains/entities/catalogue.ts'
import type { OpenApiDocument } from './openapi-parts.ts'

/** The tags that group API operations in the documentation, in the order in which it shows them. */
export const OPENAPI_TAGS: OpenApiDocument['tags'] = [
  { name: 'account', description: 'The API account of the token, and this document.' },
  ...REST_ENTITIES.map(({ path, about }) => ({ name: path, description: about })),
  { name: 'deletions', description: 'Records that were deleted.' },
  { name: 'files', description: 'The bytes of files that records reference.' },
  { name: 'webhooks', description: 'Messages about changes, sent to an address of yours.' },
  { name: 'leads-sdk', description: 'For scanning apps of exhibitors, with an activation code or the token of a device.' },
]

/** Gives each API operation the tag that belongs to its path. */
export const addOperationTags = (paths: OpenApiDocument['paths']): OpenApiDocument['paths'] =>
  Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => {
      const part = path.split('/')[2]!
      const tag = OPENAPI_TAGS.some(({ name }) => name === part) ? part : path.startsWith('/v1/') ? 'account' : 'leads-sdk'
      return [path, Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, { ...operation, tags: [tag] }]))]
    }),
  )
