import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { Context } from '../../kernel/context.ts'
import type { Keys } from '../../kernel/secrets.ts'
import { type FileRecord, toFileRecord } from './files.ts'

const LABEL = 'file link'

/** What a link says of itself, and what its signature covers. */
export interface FileLink {
  tenantCode: string
  fileId: string
  purpose: string
  /** Seconds since 1970, by the clock of the database. */
  until: number
}

const signed = ({ tenantCode, fileId, purpose, until }: FileLink) => [tenantCode, fileId, purpose, until].join('\n')

/** Makes links that open a file for whoever has them, until they expire. One question for the time serves any number of links. */
export async function fileLinks(
  { db, keys, baseUrl, tenantCode }: Pick<Context, 'db' | 'keys' | 'baseUrl' | 'tenantCode'>,
  seconds: number,
): Promise<(file: Pick<FileRecord, 'id' | 'name' | 'purpose'>) => string> {
  const { rows } = await sql<{ until: number }>`
    select ceil(extract(epoch from lanyard_now()) + ${seconds}::float8)::float8 as until`.execute(db)
  return fileLinksUntil({ keys, baseUrl, tenantCode }, rows[0]!.until)
}

/** The same for whoever knows the time of the database already, in whole seconds since 1970. */
export const fileLinksUntil =
  ({ keys, baseUrl, tenantCode }: Pick<Context, 'keys' | 'baseUrl' | 'tenantCode'>, until: number) =>
  ({ id, name, purpose }: Pick<FileRecord, 'id' | 'name' | 'purpose'>): string => {
    const signature = keys.sign(LABEL, signed({ tenantCode, fileId: id, purpose, until }))
    const query = new URLSearchParams({ tenant: tenantCode, for: purpose, until: String(until), signature })
    return `${baseUrl}/files/${id}/${encodeURIComponent(name)}?${query.toString()}`
  }

export type OpenedLink = { file: FileRecord; secondsLeft: number } | 'expired' | null

/** The file that a link opens. Null for one that we did not make, and for a file that is gone: the two look the same. */
export async function openFileLink(at: { db: Db; keys: Keys }, link: FileLink, signature: string): Promise<OpenedLink> {
  if (!at.keys.verify(LABEL, signed(link), signature)) return null
  const row = await at.db
    .selectFrom('files')
    .innerJoin('tenants', 'tenants.id', 'files.tenant_id')
    .selectAll('files')
    .select(sql<number>`(${link.until}::float8 - extract(epoch from lanyard_now()))::float8`.as('seconds_left'))
    .where('tenants.code', '=', link.tenantCode)
    .where('files.id', '=', link.fileId)
    .where(sql<boolean>`files.purpose = ${link.purpose}`)
    .where('files.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  return row.seconds_left > 0 ? { file: toFileRecord(row), secondsLeft: row.seconds_left } : 'expired'
}
