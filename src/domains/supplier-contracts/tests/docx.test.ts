import JSZip from 'jszip'
import { describe, expect, it } from 'vitest'
import { fillClauseVariables } from '../clause-text.ts'
import { readDocx } from '../docx-read.ts'
import { writeContractDocx } from '../docx-write.ts'
import { applyClauseEdits } from '../edits.ts'
import type { Clause } from '../tables.ts'
import { toClauseEdits } from '../written-text.ts'

const CLAUSES: Clause[] = [
  { key: 'attrition', title: 'Attrition', body: 'The client guarantees {{commitPercent}} percent & no more.', vars: { commitPercent: 80 } },
  { key: 'relocation', title: 'Relocation of guests', body: 'First line.\nSecond “line”.', vars: {} },
  { key: 'audit', title: 'Audit', body: 'Within {{reportDays}} days.', vars: { reportDays: 14 } },
]
const document = () =>
  writeContractDocx({
    title: 'Contract K-0001',
    lines: ['Client: A'],
    clauses: CLAUSES.map((clause, index) => ({
      key: clause.key,
      heading: `${index + 1}. ${clause.title}`,
      text: fillClauseVariables(clause),
    })),
    createdAt: new Date('2026-05-01T10:00:00Z'),
  })

/** Returns the document after a change of its XML. */
async function changed(change: (xml: string) => string): Promise<Buffer> {
  const zip = await JSZip.loadAsync(await document())
  zip.file('word/document.xml', change(await zip.file('word/document.xml')!.async('string')))
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' })
}
const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`
const tracked = (old: string, now: string) =>
  `<w:del w:id="1" w:author="Hotel"><w:r><w:delText>${old}</w:delText></w:r></w:del><w:ins w:id="2" w:author="Hotel">${run(now)}</w:ins>`
const readEdits = async (change: (xml: string) => string) => toClauseEdits(CLAUSES, await readDocx(await changed(change)))

describe('Word files of contracts', () => {
  it('writes the same bytes for the same contract version, and reads them back without a change', async () => {
    expect((await document()).equals(await document())).toBe(true)
    expect(await readEdits((xml) => xml)).toEqual({ edits: [], unplaced: [] })
  })

  it('assigns tracked changes in a Word file to the clause with the preceding heading', async () => {
    const { edits, unplaced } = await readEdits((xml) =>
      xml.replace(
        run('The client guarantees 80 percent &amp; no more.'),
        `${run('The client guarantees ')}${tracked('80', '90')}${run(' percent &amp; no more.')}`,
      ),
    )
    expect(unplaced).toEqual([])
    expect(edits.map(({ key }) => key)).toEqual(['attrition'])
    expect(applyClauseEdits(CLAUSES, edits)[0]).toEqual({ ...CLAUSES[0], vars: { commitPercent: 90 } })
  })

  it('finds changes without tracking in a Word file, and a clause that is missing from a complete document', async () => {
    const { edits } = await readEdits((xml) =>
      xml.replace('Within 14 days', 'Within 21 days').replace(/<w:p>(?:(?!<w:p>).)*2\. Relocation.*?Second.*?<\/w:p>/s, ''),
    )
    const after = applyClauseEdits(CLAUSES, edits)
    expect(after.map(({ key }) => key)).toEqual(['attrition', 'audit'])
    expect(after[1]!.vars).toEqual({ reportDays: 21 })
  })

  it('lists inserted text of a Word file that belongs to no clause', async () => {
    const { edits, unplaced } = await readEdits((xml) =>
      xml.replace(
        '<w:sectPr>',
        `<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:ins w:id="3" w:author="Hotel">${run('Parking')}</w:ins></w:p><w:p><w:ins w:id="4" w:author="Hotel">${run('Parking costs extra.')}</w:ins></w:p><w:sectPr>`,
      ),
    )
    expect(edits).toEqual([])
    expect(unplaced).toEqual([
      { change: 'inserted', text: 'Parking' },
      { change: 'inserted', text: 'Parking costs extra.' },
    ])
  })

  it('removes a clause whose heading and text are deleted in a Word file', async () => {
    const { edits } = await readEdits((xml) =>
      xml
        .replace(run('3. Audit'), tracked('3. Audit', '').replace(/<w:ins.*<\/w:ins>/, ''))
        .replace(run('Within 14 days.'), tracked('Within 14 days.', '').replace(/<w:ins.*<\/w:ins>/, '')),
    )
    expect(edits).toEqual([{ key: 'audit', remove: true }])
  })

  it('rejects hostile and damaged Word files with a reason', async () => {
    const refused = (bytes: Buffer) =>
      readDocx(bytes).then(
        () => 'read',
        ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
      )
    expect(await refused(Buffer.from('PK no archive'))).toContain('not a complete .docx archive')
    expect(await refused(await changed((xml) => xml.replace('?>', '?><!DOCTYPE a [<!ENTITY b "c">]>')))).toContain('its own entities')
    expect(
      await refused(await changed((xml) => xml.replace('<w:sectPr>', `${'<w:x>'.repeat(5000)}${'</w:x>'.repeat(5000)}<w:sectPr>`))),
    ).toContain('nested')
    expect(
      await refused(await changed((xml) => xml.replace('<w:sectPr>', `<w:p>${run('a'.repeat(30 * 1024 * 1024))}</w:p><w:sectPr>`))),
    ).toContain('larger than 20 MB')
    const empty = new JSZip()
    empty.file('other.xml', 'x')
    expect(await refused(await empty.generateAsync({ type: 'nodebuffer' }))).toContain('no document text')
  })
})
