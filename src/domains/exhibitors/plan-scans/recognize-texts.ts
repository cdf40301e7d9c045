import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bitmap } from './raster.ts'
import type { SourceDrawingText } from './source-drawing.ts'

/** Names of Tesseract's trained data by language. The data is installed with Lanyard, so that nothing is downloaded. */
const DATA_BY_LANGUAGE: Readonly<Record<string, string>> = { en: 'eng', de: 'deu', fr: 'fra', es: 'spa', it: 'ita', nl: 'nld', pt: 'por' }
const MIN_CONFIDENCE = 50
/** Page segmentation mode of Tesseract that finds as much text as possible in no particular order. */
const SPARSE_TEXT = '11'
/** Maximum gap between words that belong to one text, in text heights. */
const WORD_GAP = 1.2

interface Box {
  x0: number
  y0: number
  x1: number
  y1: number
}

interface RecognizedLine {
  words: { text: string; confidence: number; bbox: Box }[]
}

interface Recognition {
  data: { blocks: { paragraphs: { lines: RecognizedLine[] }[] }[] | null }
}

/** Recognizes the texts of a picture. Languages without trained data are read as English. */
export async function recognizeTexts(ink: Bitmap, languages: readonly string[]): Promise<SourceDrawingText[]> {
  const { default: sharp } = await import('sharp')
  const { createWorker, OEM } = await import('tesseract.js')
  const codes = [...new Set(['eng', ...languages.flatMap((tag) => DATA_BY_LANGUAGE[tag.slice(0, 2).toLowerCase()] ?? [])])]
  const paper = Uint8Array.from(ink.data, (value) => (value === 1 ? 0 : 255))
  const png = await sharp(paper, { raw: { width: ink.width, height: ink.height, channels: 1 } })
    .png({ compressionLevel: 1 })
    .toBuffer()
  // Tesseract loads all languages from one folder, but every language is installed in its own folder.
  const langPath = await mkdtemp(join(tmpdir(), 'lanyard-languages-'))
  try {
    for (const code of codes) await copyFile(findTrainedData(code), join(langPath, `${code}.traineddata.gz`))
    const worker = await createWorker(codes, OEM.LSTM_ONLY, { langPath, cacheMethod: 'none', logger: () => {}, errorHandler: () => {} })
    await worker.setParameters({ tessedit_pageseg_mode: SPARSE_TEXT as never, user_defined_dpi: '200' })
    const { data } = (await worker.recognize(png, {}, { blocks: true, text: false })) as unknown as Recognition
    const lines = (data.blocks ?? []).flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.lines))
    await worker.terminate()
    return lines.flatMap(toTexts)
  } finally {
    await rm(langPath, { recursive: true, force: true })
  }
}

const findTrainedData = (code: string) =>
  createRequire(import.meta.url).resolve(`@tesseract.js-data/${code}/4.0.0_best_int/${code}.traineddata.gz`)

/** Joins neighbouring words to texts. Words that are far apart on the same line become separate texts. */
function toTexts({ words }: RecognizedLine): SourceDrawingText[] {
  const groups: { text: string; box: Box }[] = []
  for (const { text, confidence, bbox } of words) {
    if (confidence < MIN_CONFIDENCE || !/[\p{L}\p{N}]/u.test(text)) continue
    const last = groups.at(-1)
    if (last && bbox.x0 - last.box.x1 <= (bbox.y1 - bbox.y0) * WORD_GAP) {
      last.text += ` ${text}`
      last.box = { x0: last.box.x0, y0: Math.min(last.box.y0, bbox.y0), x1: bbox.x1, y1: Math.max(last.box.y1, bbox.y1) }
    } else groups.push({ text, box: { ...bbox } })
  }
  return groups.map(({ text, box }) => ({ text, at: [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2], height: box.y1 - box.y0, names: [] }))
}
