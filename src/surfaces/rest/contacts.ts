import { Hono } from 'hono'
import { z } from 'zod'
import { mergeContacts } from '../../domains/contacts/merge.ts'
import { contacts } from '../../domains/entities/contacts.ts'
import { findRecord, textOf } from '../../domains/entities/list.ts'
import { id, object, type Schema } from '../../domains/entities/schemas.ts'
import { isId } from '../../kernel/ids.ts'
import type { Road } from '../road.ts'
import { changeAs } from './changes.ts'
import { recordTag } from './etags.ts'
import { readQuery } from './query.ts'
import { readingOf } from './reading.ts'
import { readSent } from './read-sent.ts'
import { noRecord } from './refusal.ts'
import type { RestEnv } from './site.ts'
import type { ChangeOperation } from './webhooks/openapi.ts'

const Merging = z.strictObject({ loserId: z.string('must be an id').refine(isId, 'must be an id of 24 hexadecimal characters') })

/** `POST /v1/contacts/<id>/merge`: somebody has found out that two contacts are one person. */
export function contactRoutes(road: Road): Hono<RestEnv> {
  return new Hono<RestEnv>().post('/v1/contacts/:id/merge', async (c) => {
    const survivorId = c.req.param('id')
    const reading = readingOf(c, readQuery(c.req.url, []))
    const sent = await readSent(c, Merging)
    const found = isId(survivorId) ? await findRecord(road.database.read, contacts, reading, survivorId) : null
    if (!found) throw noRecord(contacts.name, survivorId)
    const clientId = found.placeId
    await changeAs(road, c, { name: 'merge_contacts', clientId, sent, run: (ctx) => mergeContacts(ctx, { clientId, survivorId, ...sent }) })
    const { write } = road.database
    const after = (await findRecord(write, contacts, reading, survivorId))!
    const headers = {
      etag: recordTag(after, reading),
      'content-type': 'application/json',
      'cache-control': 'no-store',
      vary: 'Authorization',
    }
    return c.body(await textOf(write, contacts, reading.tenantId, after), 200, headers)
  })
}

export const CONTACT_SCHEMAS: Record<string, Schema> = {
  ContactMerge: object({ loserId: id('Who is the same person: their registrations, addresses and tags go over.') }),
}

export const CONTACT_PATHS: Record<string, { post: ChangeOperation }> = {
  '/v1/contacts/{id}/merge': {
    post: {
      operationId: 'mergeContacts',
      summary: 'Make two contacts one. The other stays with mergedInto, and is read no more.',
      sent: 'ContactMerge',
      answered: 'Contact',
      status: 200,
    },
  },
}
