import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import type { Db } from '../../kernel/columns.ts'
import { newId } from '../../kernel/ids.ts'
import type { FileStore, Log } from '../../kernel/ports.ts'
import { contentTypeOf, HEAD_BYTES } from './content-type.ts'
import { keyOf } from './keys.ts'
import { safeName } from './names.ts'
import { FILE_PURPOSES, type FilePurpose } from './purposes.ts'

/** Where uploads go. `db` is no transaction: bytes may take minutes, and what is noted of them must outlive a rollback. */
export interface UploadPlace {
  db: Db
  files: FileStore
  log: Log
}

export interface Upload {
  tenantId: number
  purpose: FilePurpose
  /** As it was sent. */
  name: string
  content: Readable
  /** Less than the purpose allows; `image/*` is understood. */
  accept?: readonly string[] | undefined
  maxBytes?: number | undefined
}

/** Bytes that are kept but not yet a file: `createFile` makes them one, and otherwise they are gone a day later. */
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
 * Streams an upload into the file store: its size and its hash are taken on the way, and what is too large or of a kind that is not
 * wanted here is refused as soon as that is seen. It runs before the transaction that needs the file, never inside.
 */
export async function storeUpload(place: UploadPlace, upload: Upload): Promise<StoredUpload> {
  const { tenantId, purpose, content } = upload
  const measured = measuredStream(content, limitOf(upload))
  try {
    const mime = await contentTypeOf(await measured.head(), upload.name)
    if (!accepts(upload, mime)) throw notAccepted(upload, mime)
    const id = newId()
    await place.db.insertInto('file_uploads').values({ tenant_id: tenantId, id }).execute()
    await put(place, { tenantId, id }, measured)
    return { tenantId, id, purpose, name: safeName(upload.name, mime), mime, ...measured.sum() }
  } finally {
    content.destroy()
  }
}

/** Removes at once what nobody will make a file of. Should that fail, it is removed like all that was forgotten. */
export async function dropUpload({ db, files, log }: UploadPlace, at: { tenantId: number; id: string }): Promise<void> {
  try {
    await files.remove(keyOf(at))
    await db.deleteFrom('file_uploads').where('tenant_id', '=', at.tenantId).where('id', '=', at.id).execute()
  } catch (error) {
    log.warn('file not removed', { name: at.id, error: (error as Error).message })
  }
}

async function put(place: UploadPlace, at: { tenantId: number; id: string }, measured: Measured): Promise<void> {
  try {
    await place.files.put(keyOf(at), Readable.from(measured.whole(), { objectMode: false }))
  } catch (error) {
    await dropUpload(place, at)
    if (measured.failed()) throw measured.failed()
    place.log.error('file store', { name: place.files.kind, error: (error as Error).message })
    throw new AppError('unavailable', 'Files cannot be kept just now; try again in a few minutes', { retryAfterSeconds: 60 })
  }
}

interface Measured {
  /** The beginning, without taking it from the stream. */
  head: () => Promise<Buffer>
  whole: () => AsyncGenerator<Buffer>
  /** What went wrong with the bytes that came, as opposed to where they went. */
  failed: () => Error | null
  sum: () => { size: number; sha256: Buffer }
}

function measuredStream(content: Readable, limit: number): Measured {
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
      if (size > limit) throw tooLarge(limit)
      hash.update(value)
      return value
    } catch (error) {
      failed = error as Error
      throw error
    }
  }
  return {
    async head() {
      for (let chunk; size < HEAD_BYTES && (chunk = await next()) !== null;) kept.push(chunk)
      return Buffer.concat(kept).subarray(0, HEAD_BYTES)
    },
    async *whole() {
      yield* kept.splice(0)
      for (let chunk; (chunk = await next()) !== null;) yield chunk
    },
    failed: () => failed,
    sum: () => ({ size, sha256: hash.digest() }),
  }
}

const limitOf = ({ purpose, maxBytes }: Upload) => Math.min(FILE_PURPOSES[purpose].maxBytes, maxBytes ?? Number.POSITIVE_INFINITY)

const matches = (pattern: string, mime: string) => (pattern.endsWith('/*') ? mime.startsWith(pattern.slice(0, -1)) : pattern === mime)

const accepts = ({ purpose, accept }: Upload, mime: string) =>
  (FILE_PURPOSES[purpose].accept as readonly string[]).includes(mime) && (accept ?? [mime]).some((pattern) => matches(pattern, mime))

function notAccepted(upload: Upload, mime: string): AppError {
  const allowed = FILE_PURPOSES[upload.purpose].accept.filter((one) => accepts(upload, one))
  return invalidArguments([{ path: '', message: `The file is ${mime} by its content; it must be one of ${allowed.join(', ')}`, allowed }])
}

const tooLarge = (limit: number) =>
  new AppError('limit_exceeded', `The file is larger than ${sizeInWords(limit)}, which is the most that is taken here`)

const sizeInWords = (bytes: number) =>
  bytes >= 1024 * 1024
    ? `${Math.round((bytes / 1024 / 1024) * 10) / 10} MB`
    : bytes >= 1024
      ? `${Math.round((bytes / 1024) * 10) / 10} KB`
      : `${bytes} bytes`
