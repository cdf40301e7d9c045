import { sql } from 'kysely'
import type { Db } from '../../kernel/columns.ts'
import type { Context } from '../../kernel/context.ts'
import type { DerivedKeys } from '../../kernel/secrets.ts'
import { type FileRecord, toFileRecord } from './files.ts'

const LINK_KEY_LABEL = 'file link'

/** The parameters of a link to a file, which the link's signature covers. */
export interface FileLink {
  tenantCode: string
  fileId: string
  purpose: string
  /** Expiry as Unix time in seconds, by the database clock. */
  until: number
}

const linkSignatureInput = ({ tenantCode, fileId, purpose, until }: FileLink) => [tenantCode, fileId, purpose, until].join('\n')

/** Returns a function that builds links to files. Reads the database time once, so that all links expire at the same time. */
export async function createFileLinkBuilder(
  { db, keys, baseUrl, tenantCode }: Pick<Context, 'db' | 'keys' | 'baseUrl' | 'tenantCode'>,
  seconds: number,
): Promise<(file: Pick<FileRecord, 'id' | 'name' | 'purpose'>) => string> {
  const { rows } = await sql<{ until: number }>`
    select ceil(extract(epoch from lanyard_now()) + ${seconds}::float8)::float8 as until`.execute(db)
  return createExpiringFileLinkBuilder({ keys, baseUrl, tenantCode }, rows[0]!.until)
}

/** Returns a function that builds links to files, for callers that already know the expiry in Unix seconds. */
export const createExpiringFileLinkBuilder =
  ({ keys, baseUrl, tenantCode }: Pick<Context, 'keys' | 'baseUrl' | 'tenantCode'>, until: number) =>
  ({ id, name, purpose }: Pick<FileRecord, 'id' | 'name' | 'purpose'>): string => {
    const signature = keys.sign(LINK_KEY_LABEL, linkSignatureInput({ tenantCode, fileId: id, purpose, until }))
    const query = new URLSearchParams({ tenant: tenantCode, for: purpose, until: String(until), signature })
    return `${baseUrl}/files/${id}/${encodeURIComponent(name)}?${query.toString()}`
  }

export type FileLinkResult = { file: FileRecord; secondsLeft: number } | 'expired' | null

/** Finds the file of a link. Null both for forged links and for deleted files. */
export async function resolveFileLink(at: { db: Db; keys: DerivedKeys }, link: FileLink, signature: string): Promise<FileLinkResult> {
  if (!at.keys.verify(LINK_KEY_LABEL, linkSignatureInput(link), signature)) return null
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
