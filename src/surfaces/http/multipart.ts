import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import busboy from 'busboy'
import {
  type FormFields,
  type FormLimits,
  type FormError,
  createTooLargeFormError,
  createTooLongFieldNameError,
  createTooLongFieldValueError,
  createTooManyFieldsError,
} from './form-fields.ts'
import { extendBodyTimeout } from './body-timeout.ts'
import { ClientDisconnectedError } from './read-body.ts'

export interface MultipartFile {
  field: string
  /** The file name as sent, without folders but otherwise unchecked. */
  name: string
  content: Readable
}

export interface MultipartReadOptions {
  limits: FormLimits
  /** Size limit for the whole body, with fields and files. */
  maxBytes: number
  maxFiles: number
  /**
   * Called at the first file with the fields before it. Returns whether the form came from our own page (valid CSRF token); otherwise the
   * form's files are rejected.
   */
  isOwn: (before: FormFields) => boolean
  /** Receives one file. The function may stop reading early; the rest of the file is then discarded. */
  take: (file: MultipartFile) => Promise<void>
}

export const isMultipart = (type = '') => /^multipart\/form-data\s*;/i.test(type)

/**
 * Reads the fields of a `multipart/form-data` body; files are streamed to `take`. Null if the body is not multipart, or not from our own
 * form.
 */
export function readMultipart(request: IncomingMessage, parts: MultipartReadOptions): Promise<{ fields: FormFields } | FormError | null> {
  const { limits, maxBytes, maxFiles } = parts
  const parser = parserOf(request, parts)
  if (!parser) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    const fields: [string, string][] = []
    const open = new Set<PassThrough>()
    const taken: Promise<void>[] = []
    let size = 0
    let ended = false
    let own = false
    let failure: Error | null = null

    const count = (chunk: Buffer) => {
      extendBodyTimeout(request)
      if ((size += chunk.length) > maxBytes) cut(() => resolve(createTooLargeFormError(maxBytes)))
    }
    /** Resolves or rejects the result only after all started uploads have ended. */
    const end = (settle: () => void) => {
      if (ended) return
      ended = true
      request.off('data', count).unpipe(parser)
      void Promise.all(taken).then(settle)
    }
    const cut = (settle: () => void) => {
      if (ended) return
      for (const content of open) content.destroy(new ClientDisconnectedError())
      end(settle)
    }
    const takeOne = (file: MultipartFile) =>
      taken.push(
        parts.take(file).catch((error: Error) => {
          failure ??= error
          cut(() => reject(error))
        }),
      )

    parser.on('field', (name, value, { valueTruncated }) => {
      if (Buffer.byteLength(name ?? '') > limits.name) cut(() => resolve(createTooLongFieldNameError(limits)))
      else if (valueTruncated) cut(() => resolve(createTooLongFieldValueError(limits)))
      else fields.push([name ?? '', value])
    })
    parser.on('file', (field, stream, { filename }) => {
      // Browsers send an empty part without a name if no file was chosen.
      if (ended || !filename) return void stream.resume()
      own ||= parts.isOwn(fields)
      if (!own) {
        stream.resume()
        return cut(() => resolve(null))
      }
      const content = new PassThrough()
      open.add(content)
      content.on('error', () => {})
      content.on('close', () => {
        open.delete(content)
        stream.unpipe(content)
        stream.resume()
      })
      // The request body broke off before the end of the file.
      stream.on('error', () => cut(() => resolve(null)))
      stream.pipe(content)
      takeOne({ field: field ?? '', name: filename, content })
    })
    parser.on('fieldsLimit', () => cut(() => resolve(createTooManyFieldsError(limits))))
    parser.on('partsLimit', () => cut(() => resolve(createTooManyFieldsError(limits))))
    if (maxFiles > 0) parser.on('filesLimit', () => cut(() => resolve({ refused: `The form has more than ${maxFiles} files` })))
    parser.on('error', () => cut(() => resolve(null)))
    parser.on('close', () => end(() => (failure ? reject(failure) : resolve({ fields }))))
    request.on('error', () => cut(() => reject(new ClientDisconnectedError())))
    request.on('close', () => {
      if (!request.complete) cut(() => reject(new ClientDisconnectedError()))
    })
    request.on('data', count).pipe(parser)
  })
}

/** Creates the parser of a multipart body; null if the header has no boundary. */
function parserOf(request: IncomingMessage, { limits, maxFiles }: MultipartReadOptions): busboy.Busboy | null {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: { fields: limits.fields, fieldSize: limits.value, files: maxFiles, parts: limits.fields + maxFiles + 1 },
    })
  } catch {
    return null
  }
}
