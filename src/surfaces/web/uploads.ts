import { purgeDeletedFiles } from '../../domains/files/files.ts'
import { FILE_PURPOSES, type FilePurpose } from '../../domains/files/purposes.ts'
import { deleteUnclaimedUploads, deleteUpload, type StoredUpload, storeUpload, formatUploadLimit } from '../../domains/files/upload.ts'
import { AppError, type FieldError } from '../../kernel/errors.ts'
import type { MultipartFile } from '../http/multipart.ts'
import { MAX_FORM_BYTES, readFormFields } from '../http/read-form.ts'
import { type FormValues, toFormValues } from './form-values.ts'
import { isSameOriginForm, type WebServices, type WebContext } from './web.ts'

/** The owner of the files uploaded in one form field, and the accepted files. */
export interface FormUploadTarget {
  tenantId: number
  purpose: FilePurpose
  /** Accepted media types, if fewer than the file's purpose allows. */
  accept?: readonly string[]
  maxBytes?: number
  /** Maximum number of files; 1 by default. */
  maxFiles?: number
}

export interface FormWithFiles {
  form: FormValues
  /**
   * Uploads that are stored but have no file record yet. The page creates the records with `createFile` in the transaction of its change.
   */
  files: { field: string; upload: StoredUpload }[]
  /** Errors about individual files. If there are any, none of the files were stored. */
  refused: FieldError[]
}

/**
 * Reads the fields and files of a form on our own page; null for a form from another site, which must be ignored. The CSRF token must come
 * before the first file, as in our forms, so that no file is stored for another site.
 */
export async function readFormWithFiles(
  web: WebServices,
  c: WebContext,
  targets: Readonly<Record<string, FormUploadTarget>>,
): Promise<FormWithFiles | null> {
  const { database, files: store, log } = web.services
  const storage = { db: database.write, files: store, log }
  const files: FormWithFiles['files'] = []
  const refused: FieldError[] = []
  const fileCounts = new Map<string, number>()

  async function storeFile({ field, name, content }: MultipartFile): Promise<void> {
    const target = Object.hasOwn(targets, field) ? targets[field] : undefined
    const nth = (fileCounts.get(field) ?? 0) + 1
    fileCounts.set(field, nth)
    if (!target || nth > (target.maxFiles ?? 1)) {
      content.destroy()
      refused.push({ path: field, message: target ? `accepts no more than ${target.maxFiles ?? 1}` : 'does not accept files' })
      return
    }
    try {
      files.push({ field, upload: await storeUpload(storage, { ...target, name, content }) })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refused.push({ path: field, message: error.message, ...explainRefusal(error, { ...target, name, content }) })
    }
  }
  const dropAll = () => Promise.all(files.splice(0).map(({ upload }) => deleteUpload(storage, upload)))

  try {
    const isOwn = (fields: Parameters<typeof toFormValues>[0]) => isSameOriginForm(web, c, toFormValues(fields))
    const sent = await readFormFields(c.env.incoming, { ...uploadLimits(Object.values(targets)), isOwn, take: storeFile })
    const form = sent && toFormValues(sent)
    const own = form !== null && isSameOriginForm(web, c, form)
    if (!own || refused.length > 0) await dropAll()
    return own ? { form, files, refused } : null
  } catch (error) {
    await dropAll()
    throw error
  }
}

/**
 * Commits the change of a form with files. Afterwards it deletes the bytes of files that the change deleted, and of uploads that did not
 * become a file, unless the form was refused and its page keeps them for the next attempt.
 */
export async function commitThenDeleteUnusedUploads<T extends { deletedFiles: readonly string[]; keepsUploads?: boolean }>(
  { services: { database, files: store, log } }: WebServices,
  { tenantId }: { tenantId: number },
  files: FormWithFiles['files'],
  commit: () => Promise<T>,
): Promise<T> {
  const storage = { db: database.write, files: store, log }
  const uploads = files.map(({ upload }) => upload)
  let keepsUploads = false
  const result = await commit()
    .then((committed) => {
      keepsUploads = committed.keepsUploads === true
      return committed
    })
    .finally(() => (keepsUploads ? undefined : deleteUnclaimedUploads(storage, uploads)))
  await purgeDeletedFiles(storage, { tenantId, ids: result.deletedFiles })
  return result
}

/** Explains in the page's language why a file was refused. */
function explainRefusal({ code }: AppError, upload: Parameters<typeof formatUploadLimit>[0]): Pick<FieldError, 'reason'> {
  if (code === 'limit_exceeded') return { reason: { key: 'error.fileSize', values: { limit: formatUploadLimit(upload) }, always: true } }
  return code === 'invalid_arguments' ? { reason: { key: 'error.fileType', always: true } } : {}
}

/**
 * Returns limits of twice the allowed size: a file that is too large is read to its end, otherwise the browser shows a broken connection
 * instead of the error.
 */
function uploadLimits(targets: readonly FormUploadTarget[]): { maxBytes: number; maxFiles: number } {
  const bytes = targets.map(
    ({ purpose, maxBytes = Number.POSITIVE_INFINITY, maxFiles = 1 }) => Math.min(FILE_PURPOSES[purpose].maxBytes, maxBytes) * maxFiles,
  )
  const files = targets.map(({ maxFiles = 1 }) => maxFiles)
  return { maxBytes: MAX_FORM_BYTES + 2 * sum(bytes), maxFiles: 2 * sum(files) }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
