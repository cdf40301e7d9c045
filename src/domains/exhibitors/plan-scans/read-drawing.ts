import { readSvg } from './read-svg.ts'
import type { FloorPlanScanRequest } from './scan-file.ts'
import { MAX_SOURCE_FILE_BYTES, createFileLimitError, type SourceDrawing } from './source-drawing.ts'

/** Reads a floor plan file of any supported kind. The reader of a kind is loaded with the first file of that kind. */
export async function readDrawing(
  bytes: Uint8Array,
  { kind, page, languages }: FloorPlanScanRequest,
  progress: (percent: number) => void,
): Promise<SourceDrawing> {
  if (bytes.length > MAX_SOURCE_FILE_BYTES) throw createFileLimitError('A floor plan file has at most 25 MB')
  switch (kind) {
    case 'svg':
      return readSvg(bytes)
    case 'dxf':
      return (await import('./read-dxf.ts')).readDxf(bytes)
    case 'pdf':
      return (await import('./read-pdf.ts')).readPdf(bytes, page, languages, progress)
    case 'image':
      return (await import('./read-image.ts')).readImage(bytes, languages, progress)
  }
}
