import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import busboy from 'busboy'
import {
  type FormFields,
  type FormLimits,
  type FormRefusal,
  tooLargeForm,
  tooLongName,
  tooLongValue,
  tooManyFields,
} from './form-fields.ts'
import { stillComing } from './patience.ts'
import { ClientGone } from './read-body.ts'

export interface SentFile {
  field: string
  /** As it was sent: without folders, but with anything else. */
  name: string
  content: Readable
}

export interface MultipartParts {
  limits: FormLimits
  /** Of all of it, fields and files. */
  maxBytes: number
  maxFiles: number
  /** Asked at the first file, with the fields that came before it: whether files of this form are taken at all. */
  isOwn: (before: FormFields) => boolean
  /** Takes one file. It need not read it to its end: the rest is then let go by. */
  take: (file: SentFile) => Promise<void>
}

export const isMultipart = (type = '') => /^multipart\/form-data\s*;/i.test(type)

/** The fields of a `multipart/form-data` body; its files are handed on as they come. Null for what is no such body, or not our own. */
export function readMultipart(request: IncomingMessage, parts: MultipartParts): Promise<{ fields: FormFields } | FormRefusal | null> {
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
      stillComing(request)
      if ((size += chunk.length) > maxBytes) cut(() => resolve(tooLargeForm(maxBytes)))
    }
    /** Whatever ended it, nobody is told before all that was begun has come to its own end. */
    const end = (tell: () => void) => {
      if (ended) return
      ended = true
      request.off('data', count).unpipe(parser)
      void Promise.all(taken).then(tell)
    }
    const cut = (tell: () => void) => {
      if (ended) return
      for (const content of open) content.destroy(new ClientGone())
      end(tell)
    }
    const takeOne = (file: SentFile) =>
      taken.push(
        parts.take(file).catch((error: Error) => {
          failure ??= error
          cut(() => reject(error))
        }),
      )

    parser.on('field', (name, value, { valueTruncated }) => {
      if (Buffer.byteLength(name ?? '') > limits.name) cut(() => resolve(tooLongName(limits)))
      else if (valueTruncated) cut(() => resolve(tooLongValue(limits)))
      else fields.push([name ?? '', value])
    })
    parser.on('file', (field, stream, { filename }) => {
      // A browser sends an empty part without a name where no file was chosen.
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
      // It ended before its part did.
      stream.on('error', () => cut(() => resolve(null)))
      stream.pipe(content)
      takeOne({ field: field ?? '', name: filename, content })
    })
    parser.on('fieldsLimit', () => cut(() => resolve(tooManyFields(limits))))
    parser.on('partsLimit', () => cut(() => resolve(tooManyFields(limits))))
    if (maxFiles > 0) parser.on('filesLimit', () => cut(() => resolve({ refused: `The form has more than ${maxFiles} files` })))
    parser.on('error', () => cut(() => resolve(null)))
    parser.on('close', () => end(() => (failure ? reject(failure) : resolve({ fields }))))
    request.on('error', () => cut(() => reject(new ClientGone())))
    request.on('close', () => {
      if (!request.complete) cut(() => reject(new ClientGone()))
    })
    request.on('data', count).pipe(parser)
  })
}

/** Null for a head that names no boundary. */
function parserOf(request: IncomingMessage, { limits, maxFiles }: MultipartParts): busboy.Busboy | null {
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
