import type { FieldDocsByTool } from '../meanings.ts'

export const BOOTH_RESULT_DOCS: FieldDocsByTool = {
  list_booths: {
    booths: 'The booths with figures and prices of today. `price` is missing if a booth has none.',
    totals: 'Count, area and price of all booths found, in the plan’s units.',
  },
  get_booth: {
    booth: 'The booth with its polygon in the plan’s units.',
    price: 'Price of today with its lines, for the company that has the booth.',
    neighbours: 'Booths within the competitor distance, nearest first; distances in the plan’s units, edge to edge.',
    quality: 'How visitors find the booth. Missing without an entrance on the plan.',
    history: 'Companies that had the booth, latest first.',
    applicationsWanting: 'Live applications that name the booth, by rank and points.',
  },
  manage_booths: {
    booths: 'The changed booths, at most 100.',
    deleted: 'Numbers of the deleted booths.',
    orderChange: 'What was charged or credited to companies. Credits are negative.',
    warnings: 'Competitors within the distance, and prices to check.',
  },
}
