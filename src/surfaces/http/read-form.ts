import type { IncomingMessage } from 'node:http'
import { AppError } from '../../kernel/errors.ts'
import { FORM_LIMITS, type FormFields, parseFormFields, type FormError, createTooLargeFormError } from './form-fields.ts'
import { isMultipart, type MultipartReadOptions, readMultipart } from './multipart.ts'
import { readBody } from './read-body.ts'

export const MAX_FORM_BYTES = 256 * 1024

type Files = Omit<MultipartReadOptions, 'limits'>

const NO_FILES: Files = { maxBytes: MAX_FORM_BYTES, maxFiles: 0, isOwn: () => false, take: () => Promise.resolve() }

/** Reads the fields of a URL-encoded or multipart form; null if the body is neither. An oversized form is rejected before it is parsed. */
export async function readFormFields(request: IncomingMessage, files: Files = NO_FILES): Promise<FormFields | null> {
  const { 'content-type': type = '', 'content-length': announced } = request.headers
  const maxBytes = isMultipart(type) ? files.maxBytes : MAX_FORM_BYTES
  if (Number(announced ?? 0) > maxBytes) throw refusal(createTooLargeFormError(maxBytes))
  const read = isMultipart(type) ? await readMultipart(request, { ...files, limits: FORM_LIMITS }) : await readEncoded(request, type)
  if (read && 'refused' in read) throw refusal(read)
  return read && read.fields
}

async function readEncoded(request: IncomingMessage, type: string): Promise<{ fields: FormFields } | FormError | null> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return null
  const body = await readBody(request, MAX_FORM_BYTES)
  return body === null ? createTooLargeFormError(MAX_FORM_BYTES) : parseFormFields(body)
}

const refusal = ({ refused }: FormError) => new AppError('limit_exceeded', `${refused}, which is more than the limit. Send less at a time.`)
