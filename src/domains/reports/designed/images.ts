import { buffer } from 'node:stream/consumers'
import { type FieldError, preconditionFailed } from '../../../kernel/errors.ts'
import type { EventContext } from '../../../kernel/context.ts'
import type { FileStore } from '../../../kernel/ports.ts'
import { toStorageKey } from '../../files/keys.ts'
import { filterEventLibraryFiles } from '../../files/library.ts'
import type { ReportPicture } from '../files/parts.ts'
import type { ReportWidget } from './widgets.ts'

const PICTURE_TYPES: readonly string[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
/** The maximum width and height of a picture in pixels, which is enough to print a page at 200 pixels per inch. */
const MAX_SIDE_PIXELS = 2000
const MAX_PIXELS = 100_000_000

/**
 * Reads a picture and converts it, upright, to a format that PDF files can contain, without location and other camera metadata. Saving the
 * report has already checked that the picture is one of the event's files.
 */
export async function readReportPicture(files: FileStore, tenantId: number, fileId: string): Promise<ReportPicture> {
  const stream = await files.open(toStorageKey({ tenantId, id: fileId }))
  if (!stream) throw preconditionFailed(`The picture ${fileId} was deleted`)
  const content = await buffer(stream)
  // The image library `sharp` is loaded with the first picture, because most processes never convert one.
  const { default: sharp } = await import('sharp')
  try {
    const source = sharp(content, { limitInputPixels: MAX_PIXELS })
    const { format } = await source.metadata()
    const upright = source.rotate().resize(MAX_SIDE_PIXELS, MAX_SIDE_PIXELS, { fit: 'inside', withoutEnlargement: true })
    const { data, info } = await (format === 'jpeg' ? upright.jpeg({ quality: 88 }) : upright.png()).toBuffer({ resolveWithObject: true })
    return { mime: format === 'jpeg' ? 'image/jpeg' : 'image/png', content: data, width: info.width, height: info.height }
  } catch {
    throw preconditionFailed(`The picture ${fileId} cannot be read. Upload it again.`)
  }
}

/** Returns an error for each image widget whose picture is not among the uploaded files of the event. */
export async function findImageErrors(ctx: EventContext, widgets: readonly ReportWidget[]): Promise<FieldError[]> {
  const images = widgets.filter((widget) => widget.type === 'image')
  const known = await filterEventLibraryFiles(
    ctx,
    images.map(({ fileId }) => fileId),
  )
  return images.flatMap(({ id, fileId }): FieldError[] => {
    const file = known.get(fileId)
    if (!file) return [{ path: `widgets/${id}/fileId`, message: `no file ${fileId} in the library of this event` }]
    return PICTURE_TYPES.includes(file.mime) ? [] : [{ path: `widgets/${id}/fileId`, message: 'must be a PNG, JPEG, WebP or GIF picture' }]
  })
}
