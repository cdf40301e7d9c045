import { describe, expect, it } from 'vitest'
import type { ReportColumn, ReportRow } from '../../../figures/report-table.ts'
import { createPageRowCollector, type PagePosition, toNextPagePosition } from '../page-position.ts'

const COLUMNS: readonly ReportColumn[] = [
  { name: 'name', label: 'Name', type: 'text', class: 'open' },
  { name: 'share', label: 'Share', type: 'percent', class: 'open' },
]
/** Builds rows whose shares depend on the number of rows, as in a report. */
const toRows = (names: string): ReportRow[] => [...names].map((name) => ({ name, share: 100 / names.length }))
const FIRST_PAGE: PagePosition = { offset: 0, anchors: [] }

function readPage(names: string, position: PagePosition, limit = 3): { names: string; next: PagePosition } {
  const collector = createPageRowCollector(COLUMNS, position, limit)
  for (const row of toRows(names)) collector.add(row)
  const { start, rows } = collector.page()
  return { names: rows.map(({ name }) => name).join(''), next: toNextPagePosition(COLUMNS, rows, start + rows.length) }
}

describe('createPageRowCollector', () => {
  const first = readPage('bdfhjl', FIRST_PAGE)

  it.each([
    ['nothing changed', 'bdfhjl', 'hjl'],
    ['a row was added before', 'abdfhjl', 'hjl'],
    ['a row was added among the shown rows', 'bdefhjl', 'hjl'],
    ['a row was added after', 'bdfghjl', 'ghj'],
    ['a row was removed before', 'dfhjl', 'hjl'],
    ['the last shown row was removed', 'bdhjl', 'hjl'],
    ['the last two shown rows were removed and one was added', 'abhjl', 'hjl'],
  ])('continues the next page of a report after the last shown row if %s', (_, names, expected) => {
    expect(first.names).toBe('bdf')
    expect(readPage(names, first.next).names).toBe(expected)
  })

  it('continues the next page of a report at the former row number if all rows of the previous page were deleted', () => {
    expect(readPage('xyzhjl', first.next).names).toBe('hjl')
  })

  it('continues the next page of a report after the closest of several rows that equal the last shown one', () => {
    const { next, names } = readPage('aaaaaaa', FIRST_PAGE)
    expect(names).toBe('aaa')
    expect(readPage('aaaaaaa', next).next.offset).toBe(6)
    expect(readPage('aaaaaaa', readPage('aaaaaaa', next).next).names).toBe('a')
  })

  it('repeats a row on the next page if the cursor has no hashes of the shown rows', () => {
    expect(readPage('abdfhjl', { ...first.next, anchors: [] }).names).toBe('fhj')
  })
})
