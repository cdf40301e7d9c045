import type { Context } from '../../kernel/context.ts'
import { fileLinks } from './links.ts'
import type {} from './tables.ts'

type AtEvent = Pick<Context, 'tenantId' | 'tenantCode' | 'db' | 'keys' | 'baseUrl'> & { client: { id: string }; event: { id: string } }

/** Where pictures are shown from: files of this event or its client alone, whatever a document names. */
export async function eventPictures(ctx: AtEvent, fileIds: readonly string[], seconds: number): Promise<Map<string, string>> {
  if (fileIds.length === 0) return new Map()
  const files = await ctx.db
    .selectFrom('files')
    .select(['id', 'name', 'purpose'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', 'in', fileIds)
    .where('deleted_at', 'is', null)
    .where('mime', 'like', 'image/%')
    .where((eb) => eb.or([eb('event_id', '=', ctx.event.id), eb.and([eb('event_id', 'is', null), eb('client_id', '=', ctx.client.id)])]))
    .execute()
  const linkOf = await fileLinks(ctx, seconds)
  return new Map(files.map((file) => [file.id, linkOf(file)]))
}
