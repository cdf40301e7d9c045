import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SAMPLE_FILES, buildZip } from '../../../../test/support/samples.ts'
import { detectContentType, INSPECTED_LEADING_BYTES } from '../content-type.ts'

const typeOf = (content: Buffer | string, name: string) =>
  detectContentType(Buffer.from(content as string).subarray(0, INSPECTED_LEADING_BYTES), name)

describe('detectContentType', () => {
  it.each([
    ['png', 'x', 'image/png'],
    ['png', 'x.svg', 'image/png'],
    ['jpeg', 'x.html', 'image/jpeg'],
    ['gif', 'x', 'image/gif'],
    ['webp', 'x', 'image/webp'],
    ['pdf', 'x.png', 'application/pdf'],
    ['xlsx', 'x.zip', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['docx', 'x.txt', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['zip', 'x.xlsx', 'application/zip'],
    ['svg', 'x.png', 'image/svg+xml'],
    ['html', 'x.png', 'text/html'],
    ['html', 'x.csv', 'text/html'],
    ['csv', 'list.CSV', 'text/csv'],
    ['csv', 'list.tsv', 'text/tab-separated-values'],
    ['csv', 'list', 'text/plain'],
    ['csv', 'list.json', 'text/plain'],
    ['text', 'x.png', 'text/plain'],
    ['json', 'x.json', 'application/json'],
    ['json', 'x.txt', 'text/plain'],
    ['calendar', 'x.txt', 'text/calendar'],
    ['dxf', 'hall.txt', 'image/vnd.dxf'],
    ['exe', 'x.csv', 'application/x-msdownload'],
    ['gzip', 'x.csv', 'application/gzip'],
  ] as const)('detects the content type of %s sent as %s: %s', async (sample, name, mime) => {
    expect(await typeOf(SAMPLE_FILES[sample], name)).toBe(mime)
  })

  it('detects the content type from the first bytes of a file', async () => {
    const types = '<?xml version="1.0"?><Types/>'
    const large = randomBytes(300_000)
    const sheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
    expect(await typeOf(buildZip({ '[Content_Types].xml': types, 'xl/workbook.xml': 'x', 'xl/media/a.bin': large }), 'x')).toBe(sheet)
    expect(await typeOf(Buffer.concat([SAMPLE_FILES.png, large]), 'x')).toBe('image/png')
    expect(await typeOf(Buffer.concat([SAMPLE_FILES.csv, Buffer.from('a;b;c\n'.repeat(50_000))]), 'x.csv')).toBe('text/csv')
  })

  it('detects text in all encodings of spreadsheets, and rejects other bytes', async () => {
    expect(await typeOf(Buffer.from('\ufeffa;b\n', 'utf16le'), 'x.csv')).toBe('text/csv')
    expect(await typeOf('\ufeffa;b\n', 'x.csv')).toBe('text/csv')
    expect(await typeOf('Ünïcödé;😀\n', 'x.csv')).toBe('text/csv')
    expect(await typeOf('', 'x.csv')).toBe('text/csv')
    expect(await typeOf('a;b\0\n', 'x.csv')).toBe('application/octet-stream')
    expect(await typeOf('a;b\x1b[0m\n', 'x.csv')).toBe('application/octet-stream')
    expect(await typeOf(Buffer.alloc(100), 'x.csv')).toBe('application/octet-stream')
  })

  it('detects markup that follows comments and declarations', async () => {
    expect(await typeOf('\n <!-- a --><!-- b --> <SVG>', 'x')).toBe('image/svg+xml')
    expect(await typeOf('<!DOCTYPE svg [ <!ENTITY a "b>"> ]><svg:svg>', 'x')).toBe('image/svg+xml')
    expect(await typeOf('<?xml version="1.0"?><feed>', 'x')).toBe('application/xml')
    expect(await typeOf('<script>', 'x.txt')).toBe('text/html')
    expect(await typeOf('<!-- never closed <svg>', 'x')).toBe('text/plain')
    expect(await typeOf('a < b', 'x')).toBe('text/plain')
  })

  it('detects markup with many comments without slowing down', async () => {
    expect(await typeOf(`${'<!---->'.repeat(9000)}x`, 'x')).toBe('text/plain')
    expect(await typeOf('<!['.repeat(20_000), 'x')).toBe('text/plain')
    expect(await typeOf('999\n'.repeat(16_000), 'x')).toBe('text/plain')
  })
})
