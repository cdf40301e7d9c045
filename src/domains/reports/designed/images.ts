import { buffer } from 'node:stream/consumers'
import { type FieldError, preconditionFailed } from '../../../kernel/errors.ts'
import type { EventContext } from '../../../kernel/context.ts'
import type { FileStore } from '../../../kernel/ports.ts'
import { detectContentType, HEAD_BYTES } from '../../files/content-type.ts'
import { toStorageKey } from '../../files/keys.ts'
import { listLibraryFiles } from '../../files/library.ts'
import type { ReportPart } from '../files/parts.ts'
import type { Widget } from './widgets.ts'

/** Pictures that every format of a report can show. */
const PICTURE_TYPES: readonly string[] = ['image/png', 'image/jpeg']

/** Reads a picture of the library. Saving a report checks that the file belongs to the library of its event. */
export async function openImage(files: FileStore, tenantId: number, fileId: string, altText: string): Promise<ReportPart> {
  const stream = await files.open(toStorageKey({ tenantId, id: fileId }))
  if (!stream) throw preconditionFailed(`The picture ${fileId} was deleted`)
  const content = await buffer(stream)
  return { kind: 'image', altText, mime: await detectContentType(content.subarray(0, HEAD_BYTES), ''), content }
}

/** Errors of widgets whose picture is not in the library of the event. */
export async function findImageErrors(ctx: EventContext, widgets: readonly Widget[]): Promise<FieldError[]> {
  const images = widgets.filter((widget) => widget.type === 'image')
  const known = await listLibraryFiles(
    ctx,
    images.map(({ fileId }) => fileId),
  )
  return images.flatMap(({ id, fileId }): FieldError[] => {
    const file = known.get(fileId)
    if (!file) return [{ path: `widgets/${id}/fileId`, message: `no file ${fileId} in the library of this event` }]
    return PICTURE_TYPES.includes(file.mime) ? [] : [{ path: `widgets/${id}/fileId`, message: 'must be a PNG or JPEG picture' }]
  })
}
