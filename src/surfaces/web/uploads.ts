import { FILE_PURPOSES, type FilePurpose } from '../../domains/files/purposes.ts'
import { dropUpload, type StoredUpload, storeUpload } from '../../domains/files/upload.ts'
import { AppError, type FieldError } from '../../kernel/errors.ts'
import type { SentFile } from '../http/multipart.ts'
import { MAX_FORM_BYTES, readFormFields } from '../http/read-form.ts'
import { type FormValues, formValues } from './form-values.ts'
import { isOwnForm, type Web, type WebContext } from './web.ts'

/** Where the files of one field go, and what they may be. */
export interface UploadTarget {
  tenantId: number
  purpose: FilePurpose
  /** Less than the purpose allows. */
  accept?: readonly string[]
  maxBytes?: number
  /** How many; one when left out. */
  most?: number
}

export interface FormWithFiles {
  form: FormValues
  /** Kept, but no file yet: the page makes them one in the transaction of its change, by `createFile`. */
  files: { field: string; upload: StoredUpload }[]
  /** What is wrong with single files; then none of them was kept. */
  refused: FieldError[]
}

/**
 * The fields and files of a form that came from our own page, or null: then nothing may be done with it. The proof of that must come
 * before the first file, as our forms send it, so that nothing is stored for anybody else.
 */
export async function readFormWithFiles(
  web: Web,
  c: WebContext,
  targets: Readonly<Record<string, UploadTarget>>,
): Promise<FormWithFiles | null> {
  const { database, files: store, log } = web.road
  const place = { db: database.write, files: store, log }
  const files: FormWithFiles['files'] = []
  const refused: FieldError[] = []
  const begun = new Map<string, number>()

  async function take({ field, name, content }: SentFile): Promise<void> {
    const target = Object.hasOwn(targets, field) ? targets[field] : undefined
    const nth = (begun.get(field) ?? 0) + 1
    begun.set(field, nth)
    if (!target || nth > (target.most ?? 1)) {
      content.destroy()
      refused.push({ path: field, message: target ? `takes ${target.most ?? 1} and not more` : 'takes no file' })
      return
    }
    try {
      files.push({ field, upload: await storeUpload(place, { ...target, name, content }) })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refused.push({ path: field, message: error.message })
    }
  }
  const dropAll = () => Promise.all(files.splice(0).map(({ upload }) => dropUpload(place, upload)))

  try {
    const isOwn = (fields: Parameters<typeof formValues>[0]) => isOwnForm(web, c, formValues(fields))
    const sent = await readFormFields(c.env.incoming, { ...roomFor(Object.values(targets)), isOwn, take })
    const form = sent && formValues(sent)
    const own = form !== null && isOwnForm(web, c, form)
    if (!own || refused.length > 0) await dropAll()
    return own ? { form, files, refused } : null
  } catch (error) {
    await dropAll()
    throw error
  }
}

/** Twice what may be kept: a file that is too large is read to its end, or its sender would see a broken connection in place of the reason. */
function roomFor(targets: readonly UploadTarget[]): { maxBytes: number; maxFiles: number } {
  const bytes = targets.map(
    ({ purpose, maxBytes = Number.POSITIVE_INFINITY, most = 1 }) => Math.min(FILE_PURPOSES[purpose].maxBytes, maxBytes) * most,
  )
  const files = targets.map(({ most = 1 }) => most)
  return { maxBytes: MAX_FORM_BYTES + 2 * sum(bytes), maxFiles: 2 * sum(files) }
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
