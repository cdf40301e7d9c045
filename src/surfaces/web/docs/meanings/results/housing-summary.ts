import type { FieldDocsByTool } from '../meanings.ts'

export const HOUSING_SUMMARY_RESULT_DOCS: FieldDocsByTool = {
  get_housing_summary: {
    asOf: 'Day of the snapshot that the figures are from.',
    hotels: 'The hotels of the event by name, also those without a contract.',
    rows: 'The figures of the chosen grouping.',
    pace: 'Booked room nights at the end of each day, with include `pace`.',
    warnings: 'What needs attention: a commitment that is open shortly before the cut-off, withheld cards, a full hotel that people wait for.',
    nights: 'Figures per room night, with include `nights`.',
    waitlist: 'The waiting list in its order, with include `waitlist`.',
    reservations: 'Confirmed reservations, with include `reservations`.',
  },
}
