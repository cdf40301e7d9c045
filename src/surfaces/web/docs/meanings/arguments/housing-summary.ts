import type { FieldDocsByTool } from '../meanings.ts'

export const HOUSING_SUMMARY_ARGUMENT_DOCS: FieldDocsByTool = {
  get_housing_summary: {
    groupBy: 'How the rows are grouped. Every grouping has the same totals.',
    hotelId: 'Only this hotel, by id or code.',
    asOf: 'Shows the rooms at the end of this day, from the daily snapshots.',
    include: 'Further parts of the result. Names of guests need the `personal.read` permission.',
  },
}
