import { Hono } from 'hono'
import { z } from 'zod'
import { mergeContacts } from '../../domains/contacts/merge.ts'
import { contactEntity } from '../../domains/entities/contacts.ts'
import { findReadableEntityRow, buildEntityJson } from '../../domains/entities/list.ts'
import { recordIdSchema, objectSchema, type Schema } from '../../domains/entities/schemas.ts'
import { isId } from '../../kernel/ids.ts'
import type { AppServices } from '../services.ts'
import { commitApiAccountChange } from './changes.ts'
import { computeRecordEtag } from './etags.ts'
import { parseQueryParameters } from './query.ts'
import { resolveReadScope } from './read-scope.ts'
import { readRequestBody } from './read-request-body.ts'
import { createRecordNotFoundError } from './problem-error.ts'
import type { RestEnv } from './site.ts'
import type { OpenApiWriteOperation } from './webhooks/openapi.ts'

const MergeBody = z.strictObject({ loserId: z.string('must be an id').refine(isId, 'must be an id of 24 hexadecimal characters') })

/** `POST /v1/contacts/<id>/merge`: merges two contacts of the same person. */
export function createContactRoutes(services: AppServices): Hono<RestEnv> {
  return new Hono<RestEnv>().post('/v1/contacts/:id/merge', async (c) => {
    const survivorId = c.req.param('id')
    const reading = resolveReadScope(c, parseQueryParameters(c.req.url, []))
    const sent = await readRequestBody(c, MergeBody)
    const found = isId(survivorId) ? await findReadableEntityRow(services.database.read, contactEntity, reading, survivorId) : null
    if (!found) throw createRecordNotFoundError(contactEntity.name, survivorId)
    const clientId = found.placeId
    await commitApiAccountChange(services, c, {
      name: 'merge_contacts',
      clientId,
      sent,
      run: (ctx) => mergeContacts(ctx, { clientId, survivorId, ...sent }),
    })
    const { write } = services.database
    const after = (await findReadableEntityRow(write, contactEntity, reading, survivorId))!
    const headers = {
      etag: computeRecordEtag(after, reading),
      'content-type': 'application/json',
      'cache-control': 'no-store',
      vary: 'Authorization',
    }
    return c.body(await buildEntityJson(write, contactEntity, reading.tenantId, after), 200, headers)
  })
}

export const CONTACT_OPENAPI_SCHEMAS: Record<string, Schema> = {
  ContactMerge: objectSchema({
    loserId: recordIdSchema('The contact to merge into this one, with its registrations, addresses and tags.'),
  }),
}

export const CONTACT_OPENAPI_PATHS: Record<string, { post: OpenApiWriteOperation }> = {
  '/v1/contacts/{id}/merge': {
    post: {
      operationId: 'mergeContacts',
      summary: 'Merge two contacts. The other contact is marked with mergedInto and no longer returned.',
      sent: 'ContactMerge',
      answered: 'Contact',
      status: 200,
    },
  },
}
