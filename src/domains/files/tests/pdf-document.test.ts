import { deflateSync } from 'node:zlib'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { openPdfDocument, type PdfProblem } from '../pdf-document.ts'

const MEGABYTE = 1024 * 1024

const open = (bytes: Uint8Array, maxInflatedBytes = MEGABYTE) =>
  openPdfDocument<{ numPages: number }>(bytes, { maxInflatedBytes, toError: (problem: PdfProblem) => new Error(problem) })

const withStream = (content: Buffer) => Buffer.concat([Buffer.from('%PDF-1.7\n1 0 obj\nstream\n'), content, Buffer.from('\nendstream\n')])

describe('openPdfDocument', () => {
  it('opens a valid PDF file', async () => {
    const file = await PDFDocument.create()
    file.addPage()
    file.addPage()
    const { document, close } = await open(await file.save())
    expect(document.numPages).toBe(2)
    await close()
  })

  it('reports a file that is not a PDF as damaged', async () => {
    await expect(open(Buffer.from('not a PDF'))).rejects.toThrow('damaged')
  })

  it.each([
    ['once', (content: Buffer) => deflateSync(content)],
    ['twice', (content: Buffer) => deflateSync(deflateSync(content))],
  ])('rejects a PDF file as oversized if its stream, compressed %s, exceeds the limit when decompressed', async (_, compress) => {
    const bomb = withStream(compress(Buffer.alloc(2 * MEGABYTE)))
    expect(bomb.length).toBeLessThan(MEGABYTE / 100)
    await expect(open(bomb)).rejects.toThrow('oversized')
    // Control: within a larger limit the file is read, and has no pages.
    await expect(open(bomb, 4 * MEGABYTE)).rejects.toThrow('damaged')
  })

  it('adds up the decompressed sizes of all streams of a PDF file for the limit', async () => {
    const half = withStream(deflateSync(Buffer.alloc(0.6 * MEGABYTE)))
    await expect(open(half)).rejects.toThrow('damaged')
    await expect(open(Buffer.concat([half, half]))).rejects.toThrow('oversized')
  })
})
