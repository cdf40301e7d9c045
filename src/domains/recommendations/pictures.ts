import { sql } from 'kysely'
import { fileLinks } from '../files/links.ts'
import type {} from '../files/tables.ts'
import type { AtEvent } from '../registration/scene.ts'

const HOUR = 3600

/** Links to these pictures, good for an hour; a picture that is gone has none. */
export async function pictureLinks(
  ctx: AtEvent,
  fileIds: readonly (string | null)[],
): Promise<(id: string | null) => { photoUrl?: string }> {
  const ids = fileIds.filter((id) => id !== null)
  if (ids.length === 0) return () => ({})
  const files = await ctx.db
    .selectFrom('files')
    .select(['id', 'name', 'purpose'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', sql<string>`any(${ids})`)
    .where('deleted_at', 'is', null)
    .execute()
  const linkOf = await fileLinks({ ...ctx, baseUrl: '' }, HOUR)
  const links = new Map(files.map((file) => [file.id, linkOf(file)]))
  return (id) => {
    const photoUrl = id === null ? undefined : links.get(id)
    return photoUrl === undefined ? {} : { photoUrl }
  }
}
