import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import type { Db } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'
import type { FileStore, Log } from '../../kernel/ports.ts'
import { detectContentType, INSPECTED_LEADING_BYTES } from './content-type.ts'
import { toStorageKey } from './keys.ts'
import { toSafeFileName } from './names.ts'
import { FILE_PURPOSES, type FilePurpose } from './purposes.ts'

/** The destination of uploads. `db` must not be a transaction: streaming may take minutes, and the upload's row must survive a rollback. */
export interface UploadDestination {
  db: Db
  files: FileStore
  log: Log
}

export interface NewUpload {
  tenantId: number
  purpose: FilePurpose
  /** File name as the client sent it. */
  name: string
  content: Readable
  /** Content types to accept, of those that the purpose allows; wildcards such as `image/*` are supported. By default all allowed types. */
  accept?: readonly string[] | undefined
  maxBytes?: number | undefined
}

/** Uploaded bytes that are not a file yet. They are deleted after a day unless `createFile` creates a file from them. */
export interface StoredUpload {
  tenantId: number
  id: string
  purpose: FilePurpose
  name: string
  mime: string
  size: number
  sha256: Buffer
}

/**
 * Streams an upload into the file store, and calculates size and hash on the way. Files that are too large or of a wrong type are
 * rejected early. Must run before the transaction that needs the file.
 */
export async function storeUpload(place: UploadDestination, upload: NewUpload): Promise<StoredUpload> {
  const { tenantId, purpose, content } = upload
  const measured = measureStream(content, byteLimit(upload))
  try {
    const mime = await detectContentType(await measured.head(), upload.name)
    if (!acceptsType(upload, mime)) throw wrongTypeError(upload, mime)
    const id = newId()
    await place.db.insertInto('file_uploads').values({ tenant_id: tenantId, id }).execute()
    await storeBytes(place, { tenantId, id }, measured)
    return { tenantId, id, purpose, name: toSafeFileName(upload.name, mime), mime, ...measured.sum() }
  } finally {
    content.destroy()
  }
}

/** Stores the content of a generated file. Runs no SQL statement, so that it can be called inside a snapshot of the database. */
export type StoreGeneratedContent = (file: { name: string; content: Readable }) => Promise<void>

/**
 * Stores a file that the server generates from a snapshot, in which no other statement may run: the row of the upload is inserted before
 * `write` is called and removed after it failed. `write` must call `store` once.
 */
export async function storeGeneratedFile<T>(
  place: UploadDestination,
  { tenantId, purpose }: Pick<NewUpload, 'tenantId' | 'purpose'>,
  write: (store: StoreGeneratedContent) => Promise<T>,
): Promise<{ stored: StoredUpload; result: T }> {
  const id = newId()
  await place.db.insertInto('file_uploads').values({ tenant_id: tenantId, id }).execute()
  let stored: StoredUpload | undefined
  const store: StoreGeneratedContent = async ({ name, content }) => {
    const measured = measureStream(content, FILE_PURPOSES[purpose].maxBytes)
    try {
      const mime = await detectContentType(await measured.head(), name)
      if (!acceptsType({ purpose }, mime)) throw wrongTypeError({ purpose }, mime)
      await putBytes(place, { tenantId, id }, measured)
      stored = { tenantId, id, purpose, name: toSafeFileName(name, mime), mime, ...measured.sum() }
    } finally {
      content.destroy()
    }
  }
  try {
    const result = await write(store)
    if (!stored) throw new Error('nothing was stored')
    return { stored, result }
  } catch (error) {
    await deleteUpload(place, { tenantId, id })
    throw error
  }
}

/** Deletes an unused upload immediately. If that fails, the cleanup task deletes it. */
export async function deleteUpload({ db, files, log }: UploadDestination, at: { tenantId: number; id: string }): Promise<void> {
  try {
    await files.remove(toStorageKey(at))
    await db.deleteFrom('file_uploads').where('tenant_id', '=', at.tenantId).where('id', '=', at.id).execute()
  } catch (error) {
    log.warn('file not removed', { name: at.id, error: (error as Error).message })
  }
}

/** Deletes the given uploads that no file was created from, such as files sent with a form that was refused. */
export async function deleteUnclaimedUploads(place: UploadDestination, uploads: readonly StoredUpload[]): Promise<void> {
  for (const { tenantId, id } of uploads) {
    // The upload is marked as deleted before its bytes are deleted, so that no transaction creates a file from a deleted upload.
    const { numUpdatedRows } = await place.db
      .updateTable('file_uploads')
      .set({ swept_at: sql`lanyard_now()` })
      .where('tenant_id', '=', tenantId)
      .where('id', '=', id)
      .where('swept_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows > 0n) await deleteUpload(place, { tenantId, id })
  }
}

async function storeBytes(place: UploadDestination, at: { tenantId: number; id: string }, measured: MeasuredStream): Promise<void> {
  try {
    await putBytes(place, at, measured)
  } catch (error) {
    await deleteUpload(place, at)
    throw error
  }
}

async function putBytes(place: UploadDestination, at: { tenantId: number; id: string }, measured: MeasuredStream): Promise<void> {
  try {
    await place.files.put(toStorageKey(at), Readable.from(measured.whole(), { objectMode: false }))
  } catch (error) {
    if (measured.failed()) throw measured.failed()
    place.log.error('file store', { name: place.files.kind, error: (error as Error).message })
    throw new AppError('unavailable', 'Files cannot be stored at the moment. Try again in a few minutes', { retryAfterSeconds: 60 })
  }
}

interface MeasuredStream {
  /** Reads the first bytes without consuming the stream. */
  head: () => Promise<Buffer>
  whole: () => AsyncGenerator<Buffer>
  /** The error of the incoming stream; null if an error came from the file store. */
  failed: () => Error | null
  sum: () => { size: number; sha256: Buffer }
}

function measureStream(content: Readable, limit: number): MeasuredStream {
  const chunks = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  const hash = createHash('sha256')
  const kept: Buffer[] = []
  let size = 0
  let failed: Error | null = null

  const next = async (): Promise<Buffer | null> => {
    try {
      const { done, value } = await chunks.next()
      if (done) return null
      size += value.length
      if (size > limit) throw tooLargeError(limit)
      hash.update(value)
      return value
    } catch (error) {
      failed = error as Error
      throw error
    }
  }
  return {
    async head() {
      for (let chunk; size < INSPECTED_LEADING_BYTES && (chunk = await next()) !== null;) kept.push(chunk)
      return Buffer.concat(kept).subarray(0, INSPECTED_LEADING_BYTES)
    },
    async *whole() {
      yield* kept.splice(0)
      for (let chunk; (chunk = await next()) !== null;) yield chunk
    },
    failed: () => failed,
    sum: () => ({ size, sha256: hash.digest() }),
  }
}

const byteLimit = ({ purpose, maxBytes }: NewUpload) => Math.min(FILE_PURPOSES[purpose].maxBytes, maxBytes ?? Number.POSITIVE_INFINITY)

const matchesType = (pattern: string, mime: string) => (pattern.endsWith('/*') ? mime.startsWith(pattern.slice(0, -1)) : pattern === mime)

const acceptsType = ({ purpose, accept }: Pick<NewUpload, 'purpose' | 'accept'>, mime: string) =>
  (FILE_PURPOSES[purpose].accept as readonly string[]).includes(mime) && (accept ?? [mime]).some((pattern) => matchesType(pattern, mime))

function wrongTypeError(upload: Pick<NewUpload, 'purpose' | 'accept'>, mime: string): AppError {
  const allowed = FILE_PURPOSES[upload.purpose].accept.filter((one) => acceptsType(upload, one))
  return invalidArguments([{ path: '', message: `The file is ${mime} by its content. It must be one of ${allowed.join(', ')}`, allowed }])
}

const tooLargeError = (limit: number) => new AppError('limit_exceeded', `The file is larger than the limit of ${formatSize(limit)}`)

/** Formats the maximum size of an upload, such as 5 MB. */
export const formatUploadLimit = (upload: NewUpload) => formatSize(byteLimit(upload))

const formatSize = (bytes: number) =>
  bytes >= 1024 * 1024
    ? `${Math.round((bytes / 1024 / 1024) * 10) / 10} MB`
    : bytes >= 1024
      ? `${Math.round((bytes / 1024) * 10) / 10} KB`
      : `${bytes} bytes`
