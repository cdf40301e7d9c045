import type { Context } from '../../kernel/context.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import { createFileLinkBuilder } from './links.ts'

type PictureScope = Pick<Context, 'tenantId' | 'tenantCode' | 'db' | 'keys' | 'baseUrl'> & { client: { id: string }; event: { id: string } }

/** Builds links to the pictures that an event's configuration uses. Only files of this event or its client get a link. */
export async function listEventPictureLinks(ctx: PictureScope, fileIds: readonly string[], seconds: number): Promise<Map<string, string>> {
  if (fileIds.length === 0) return new Map()
  const files = await tenantDb(ctx)
    .selectFrom('files')
    .select(['id', 'name', 'purpose'])
    .where('id', 'in', fileIds)
    .where('deleted_at', 'is', null)
    .where('mime', 'like', 'image/%')
    .where((eb) => eb.or([eb('event_id', '=', ctx.event.id), eb.and([eb('event_id', 'is', null), eb('client_id', '=', ctx.client.id)])]))
    .execute()
  const linkOf = await createFileLinkBuilder(ctx, seconds)
  return new Map(files.map((file) => [file.id, linkOf(file)]))
}
