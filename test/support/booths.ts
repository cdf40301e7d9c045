import type { NewBooth } from '../../src/domains/exhibitors/floor/booths.ts'
import { buildRectangle } from './companies.ts'
import { WORKED_EXAMPLE } from './worked-example.ts'

/** Products, taxes and sizes for booths of 3 × 3 m at 1,000.00, 6 × 3 m at 1,800.00, and 150.00 per open corner, plus 20 % tax. */
export const BOOTH_SECTIONS = {
  ...WORKED_EXAMPLE,
  products: [
    ...WORKED_EXAMPLE.products,
    { code: 'booth-small', name: 'Booth 3 x 3', category: 'booth', taxCode: 'vat-20', perPerson: 100, prices: [{ amount: '1000.00' }] },
    { code: 'booth-large', name: 'Booth 6 x 3', category: 'booth', taxCode: 'vat-20', perPerson: 100, prices: [{ amount: '1800.00' }] },
    { code: 'corner', name: 'Corner', category: 'booth', taxCode: 'vat-20', perPerson: 100, prices: [{ amount: '150.00' }] },
  ],
  exhibitorConfig: {
    boothSizes: [
      { code: 'small', name: '3 x 3 m', width: 3, depth: 3, product: 'booth-small' },
      { code: 'large', name: '6 x 3 m', width: 6, depth: 3, product: 'booth-large' },
    ],
    cornerProduct: 'corner',
  },
}

/**
 * Two rows of booths of 3 × 3 m, back to back, in a hall of 30 × 20 m: 101, 103, 105, 107 below and 102, 104, 106, 108 above. The booths
 * at the ends are corners.
 */
export const buildDoubleRow = (more: Partial<NewBooth> = { sizeCode: 'small' }): NewBooth[] =>
  [0, 1, 2, 3].flatMap((column) => [
    { number: String(101 + 2 * column), polygon: buildRectangle(6 + 3 * column, 6, 3, 3), ...more },
    { number: String(102 + 2 * column), polygon: buildRectangle(6 + 3 * column, 9, 3, 3), ...more },
  ])

/**
 * Layout A of the specification's section 4.1: a hall of 100 × 100 ft with three double rows of eight booths of 10 × 10 ft. Row k has the
 * numbers 100k + 1, + 3 … below and 100k + 2, + 4 … above.
 */
export const buildLayoutA = (more: Partial<NewBooth> = {}): NewBooth[] =>
  [1, 2, 3].flatMap((row) =>
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((column) => [
      { number: String(100 * row + 1 + 2 * column), polygon: buildRectangle(10 + 10 * column, 30 * row - 20, 10, 10), ...more },
      { number: String(100 * row + 2 + 2 * column), polygon: buildRectangle(10 + 10 * column, 30 * row - 10, 10, 10), ...more },
    ]),
  )

export const HALL_OF_LAYOUT_A = {
  units: 'ft' as const,
  outline: { outer: buildRectangle(0, 0, 100, 100) },
  pois: [
    { id: 'in', kind: 'entrance' as const, name: 'Main entrance', point: [50, 1] as const },
    { id: 'out', kind: 'exit' as const, name: 'Exit', point: [50, 99] as const },
  ],
}
