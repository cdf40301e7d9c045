import type { Readable } from 'node:stream'
import { type Selectable, sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict, notFound } from '../../kernel/errors.ts'
import type { ByteRange, FileStore } from '../../kernel/ports.ts'
import { eventDb, tenantDb } from '../../kernel/scoped-db.ts'
import { toStorageKey } from './keys.ts'
import type { FilePurpose } from './purposes.ts'
import type { FilesTable } from './tables.ts'
import type { StoredUpload, UploadDestination } from './upload.ts'

export interface FileRecord {
  tenantId: number
  id: string
  name: string
  mime: string
  size: number
  /** SHA-256 hash of the file's bytes, in hexadecimal. */
  sha256: string
  purpose: FilePurpose
  clientId: string | null
  eventId: string | null
  owner: { kind: string; id: string } | null
  isTestData: boolean
  createdBy: string
  createdAt: Date
}

/** The owner of a file. A file of another owner is reported as not found. */
export interface FileOwner {
  clientId?: string | null
  eventId?: string | null
  owner?: { kind: string; id: string } | null
  isTestData?: boolean
}

type FileContext = Pick<Context, 'tenantId' | 'actor' | 'db' | 'audit'>

/** Creates a file from an upload in the caller's transaction. If the transaction is rolled back, the cleanup task deletes the bytes. */
export async function createFile(ctx: FileContext, stored: StoredUpload, place: FileOwner = {}): Promise<FileRecord> {
  const { id, name, mime, size, sha256, purpose } = stored
  const { numDeletedRows } = await tenantDb(ctx)
    .deleteFrom('file_uploads')
    .where('id', '=', id)
    .where('swept_at', 'is', null)
    .executeTakeFirst()
  if (numDeletedRows !== 1n) throw conflict('The upload no longer exists: uploads expire after a day. Upload the file again')
  const row = await ctx.db
    .insertInto('files')
    .values({
      tenant_id: ctx.tenantId,
      id,
      name,
      mime,
      size,
      sha256,
      purpose,
      client_id: place.clientId ?? null,
      event_id: place.eventId ?? null,
      owner_kind: place.owner?.kind ?? null,
      owner_id: place.owner?.id ?? null,
      is_test_data: place.isTestData ?? false,
      created_by: ctx.actor.id,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'file', id, after: { name, mime, size, purpose } })
  return toFileRecord(row)
}

/** Returns names and sizes of an event's files by id, without deleted ones. */
export async function listFileNames(
  ctx: Pick<Context, 'tenantId' | 'db'> & { event: { id: string } },
  ids: readonly string[],
): Promise<Map<string, Pick<FileRecord, 'name' | 'size'>>> {
  if (ids.length === 0) return new Map()
  const rows = await eventDb(ctx)
    .selectFrom('files')
    .select(['id', 'name', 'size'])
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .execute()
  return new Map(rows.map(({ id, name, size }) => [id, { name, size }]))
}

/** Lists the files of the event's library and the uploads of its participants, oldest first. Exports are left out. */
export async function listEventFiles(ctx: Pick<Context, 'tenantId' | 'db'> & { event: { id: string } }): Promise<FileRecord[]> {
  const rows = await eventDb(ctx)
    .selectFrom('files')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('purpose', '<>', 'export')
    .where('is_test_data', '=', false)
    .orderBy('id')
    .execute()
  return rows.map(toFileRecord)
}

export interface FileQuery {
  fileId: string
  /** If omitted, files of all clients match. The same applies to the event and the purpose. */
  clientId?: string
  eventId?: string
  purpose?: FilePurpose
}

export async function getFile(ctx: Pick<Context, 'tenantId' | 'db'>, wanted: FileQuery): Promise<FileRecord> {
  let rows = tenantDb(ctx).selectFrom('files').selectAll().where('id', '=', wanted.fileId).where('deleted_at', 'is', null)
  if (wanted.clientId !== undefined) rows = rows.where('client_id', '=', wanted.clientId)
  if (wanted.eventId !== undefined) rows = rows.where('event_id', '=', wanted.eventId)
  if (wanted.purpose !== undefined) rows = rows.where('purpose', '=', wanted.purpose)
  const row = await rows.executeTakeFirst()
  if (!row) throw notFound(`No file ${wanted.fileId}`)
  return toFileRecord(row)
}

/** Opens a file or a byte range of it. */
export async function openFile(files: FileStore, file: Pick<FileRecord, 'tenantId' | 'id'>, range?: ByteRange): Promise<Readable> {
  const content = await files.open(toStorageKey(file), range)
  if (!content) throw new Error(`the file store has nothing of file ${file.id}`)
  return content
}

/** Deletes a file. It cannot be read after the commit, and its bytes are deleted a day later. */
export async function deleteFile(ctx: FileContext, wanted: FileQuery): Promise<void> {
  const { id, name, mime, size, purpose } = await getFile(ctx, wanted)
  await tenantDb(ctx)
    .updateTable('files')
    .set({ deleted_at: sql`lanyard_now()` })
    .where('id', '=', id)
    .execute()
  recordChange(ctx, { kind: 'file', id, before: { name, mime, size, purpose } })
}

/**
 * Deletes the bytes and rows of deleted files immediately instead of a day later, because anyone with a form could fill the disk within a
 * day. Runs after the commit. If it fails, the cleanup task deletes them.
 */
export async function purgeDeletedFiles(
  { db, files, log }: UploadDestination,
  { tenantId, ids }: { tenantId: number; ids: readonly string[] },
): Promise<void> {
  if (ids.length === 0) return
  const deleted = () => db.selectFrom('files').where('tenant_id', '=', tenantId).where('id', 'in', ids).where('deleted_at', 'is not', null)
  try {
    for (const { id } of await deleted().select('id').execute()) {
      await files.remove(toStorageKey({ tenantId, id }))
      await db.deleteFrom('files').where('tenant_id', '=', tenantId).where('id', '=', id).execute()
    }
  } catch (error) {
    log.warn('file not removed', { name: ids.join(' '), error: (error as Error).message })
  }
}

export const toFileRecord = (row: Selectable<FilesTable>): FileRecord => ({
  tenantId: row.tenant_id,
  id: row.id,
  name: row.name,
  mime: row.mime,
  size: row.size,
  sha256: row.sha256.toString('hex'),
  purpose: row.purpose,
  clientId: row.client_id,
  eventId: row.event_id,
  owner: row.owner_kind !== null && row.owner_id !== null ? { kind: row.owner_kind, id: row.owner_id } : null,
  isTestData: row.is_test_data,
  createdBy: row.created_by,
  createdAt: row.created_at,
})
