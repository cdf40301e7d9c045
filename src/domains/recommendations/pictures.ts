import { tenantDb } from '../../kernel/scoped-db.ts'
import { sql } from 'kysely'
import { createFileLinkBuilder } from '../files/links.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'

const LINK_TTL_SECONDS = 3600

/** Creates links to these pictures, valid for one hour. Deleted pictures get no link. */
export async function createPictureLinks(
  ctx: RegistrationContext,
  fileIds: readonly (string | null)[],
): Promise<(id: string | null) => { photoUrl?: string }> {
  const ids = fileIds.filter((id) => id !== null)
  if (ids.length === 0) return () => ({})
  const files = await tenantDb(ctx)
    .selectFrom('files')
    .select(['id', 'name', 'purpose'])
    .where('id', '=', sql<string>`any(${ids})`)
    .where('deleted_at', 'is', null)
    .execute()
  const linkOf = await createFileLinkBuilder({ ...ctx, baseUrl: '' }, LINK_TTL_SECONDS)
  const links = new Map(files.map((file) => [file.id, linkOf(file)]))
  return (id) => {
    const photoUrl = id === null ? undefined : links.get(id)
    return photoUrl === undefined ? {} : { photoUrl }
  }
}
