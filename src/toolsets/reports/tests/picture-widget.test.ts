import ExcelJS from 'exceljs'
import sharp from 'sharp'
import { beforeEach, describe, expect, it } from 'vitest'
import { getVisibleDesignedReport } from '../../../domains/reports/designed/reports.ts'
import { runReportForPage } from '../../../domains/reports/designed/read-report.ts'
import { createEventContextAt } from '../../../../test/support/at-event.ts'
import { createUploadFixtures } from '../../../../test/support/uploads.ts'
import { runsScenario } from './runs.ts'

const desk = runsScenario()
const ALT = 'Logo of the congress: "Herz & Donau"'
/** Creates a red picture with camera metadata. */
const picture = (type: 'png' | 'jpeg' | 'webp') =>
  sharp({ create: { width: 300, height: 90, channels: 3, background: '#c81e1e' } })
    .withExif({ IFD0: { Copyright: 'Camera of Olga' } })
    .toFormat(type)
    .toBuffer()
const upload = async (type: 'png' | 'jpeg' | 'webp') =>
  (
    await createUploadFixtures(desk.world, desk.event).file(
      await picture(type),
      { name: `logo.${type}` },
      { clientId: desk.event.clientId, eventId: desk.event.eventId },
    )
  ).id

let made = 0
const design = async (fileId: string): Promise<string> => {
  const widgets = [
    { type: 'image', fileId, alt: ALT },
    { type: 'figure', title: 'Complete', metrics: ['registrations.complete'] },
    { type: 'table', title: 'By status', query: { entity: 'participant', groupBy: ['status'], aggregates: ['count as people'] } },
  ]
  return (await desk.call('design_report', { name: `Report ${++made}`, widgets })).report.code
}

/** Runs a report and returns its file in the given format. */
async function write(report: string, format: string): Promise<Buffer> {
  const { runId, jobId } = await desk.call('run_report', { report, format })
  await desk.work(jobId)
  return (await desk.bytesOf(runId))!
}

describe('picture widget of a report', () => {
  let report: string
  let fileId: string
  beforeEach(async () => {
    fileId = await upload('png')
    report = await design(fileId)
  })

  it('removes camera metadata from a report picture that is embedded in an HTML file', async () => {
    const html = (await write(report, 'html')).toString('utf8')
    const [, width, height, data] =
      /<img alt="Logo of the congress: &quot;Herz &amp; Donau&quot;" width="(\d+)" height="(\d+)" src="data:image\/png;base64,([^"]+)">/.exec(
        html,
      )!
    expect([width, height]).toEqual(['300', '90'])
    const shown = Buffer.from(data!, 'base64')
    expect(shown.toString('latin1')).not.toContain('Camera of Olga')
    expect(await sharp(shown).stats()).toMatchObject({ dominant: { r: 200, g: 24, b: 24 } })
  })

  it.each(['png', 'jpeg', 'webp'] as const)('prints a report picture in PDF files in its own size with its text: %s', async (type) => {
    const pdf = await write(await design(await upload(type)), 'pdf')
    const { getDocument, OPS } = await import('pdfjs-dist/legacy/build/pdf.mjs')
    const page = await (await getDocument({ data: new Uint8Array(pdf), verbosity: 0 }).promise).getPage(1)
    const { fnArray, argsArray } = await page.getOperatorList()
    const at = fnArray.findIndex((operation) => operation === OPS.paintImageXObject)
    expect(argsArray[at]!.slice(1)).toEqual([300, 90])
    const placed = argsArray[fnArray.lastIndexOf(OPS.transform, at)] as number[]
    expect([placed[0], Math.abs(placed[3]!)]).toEqual([225, 67.5])
    expect(JSON.stringify(await page.getStructTree())).toContain(JSON.stringify(ALT).slice(1, -1))
  })

  it('writes a report picture as a note in Excel files and as text in JSON', async () => {
    const book = new ExcelJS.Workbook()
    await book.xlsx.load((await write(report, 'xlsx')) as unknown as ArrayBuffer)
    expect(book.worksheets.at(-1)!.getSheetValues().flat()).toEqual(expect.arrayContaining(['Picture (in PDF and HTML files)', ALT]))
    const { widgets } = await desk.call('run_report', { report })
    expect(widgets[0]).toEqual({ id: 'w1', picture: ALT })
  })

  it('shows a picture on the page of the report with a signed link', async () => {
    const ctx = await createEventContextAt(desk.world, desk.event)
    const shown = async () => (await runReportForPage(ctx, await getVisibleDesignedReport(ctx, report), {})).widgets[0]
    expect(await shown()).toMatchObject({ picture: expect.stringMatching(new RegExp(`/files/${fileId}/logo\\.png\\?.*signature=`)) })
  })

  it('refuses a file that is not a picture, and reports a picture that was deleted later', async () => {
    const uploads = createUploadFixtures(desk.world, desk.event)
    const place = { clientId: desk.event.clientId, eventId: desk.event.eventId }
    const { id } = await uploads.file(Buffer.from('name\nAda\n'), { name: 'list.csv' }, place)
    expect(await desk.refused('design_report', { name: 'x', widgets: [{ type: 'image', fileId: id, alt: ALT }] })).toMatchObject({
      fields: [{ path: 'widgets/w1/fileId', message: 'must be a PNG, JPEG, WebP or GIF picture' }],
    })
    const gone = await upload('png')
    const code = await design(gone)
    await uploads.remove(gone)
    const ctx = await createEventContextAt(desk.world, desk.event)
    expect((await runReportForPage(ctx, await getVisibleDesignedReport(ctx, code), {})).widgets[0]).toMatchObject({ picture: null })
  })
})
