import type { ToolMeanings } from '../meanings.ts'

/** The figures of a hotel, a row or the whole event, under the path of their record. */
const figuresOf = (path: string) => ({
  [`${path}.contracted`]: 'Room nights contracted with the hotel.',
  [`${path}.returned`]: 'Room nights given back to the hotel.',
  [`${path}.allocated`]: 'Room nights set aside in blocks.',
  [`${path}.pickup`]: 'Room nights booked, no-shows included.',
  [`${path}.held`]: 'Room nights held for offers and bookings that are not finished.',
  [`${path}.freeSell`]: 'Room nights that anybody may book.',
  [`${path}.pickupPercent`]: 'Share of the contracted room nights that are booked, in percent.',
})

export const HOUSING_SUMMARY_RESULTS: ToolMeanings = {
  get_housing_summary: {
    ...figuresOf('totals'),
    'totals.peakNight': 'The night with the most contracted rooms.',
    'hotels.contractStatus': 'State of the room contract; none without a contract. Only definite contracts count.',
    'hotels.cutoffOn': 'Last day on which rooms can be booked.',
    'hotels.sellStatus': 'Who may book: open, changes, changesSameType or closed.',
    ...figuresOf('hotels'),
    'rows.key': 'Id of the hotel or block, the night, or hotel and room type.',
    'rows.name': 'The same as people say it.',
    ...figuresOf('rows'),
  },
}
