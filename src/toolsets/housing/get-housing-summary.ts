import { toOneLine, count, day, list, object, oneOf, text, truncationResult, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { hotelReferenceSchema } from '../../domains/housing/find-hotel.ts'
import { housingSummaryDetailFields } from '../../domains/housing/summary/details.ts'
import { roomNightSumSchema } from '../../domains/housing/summary/figures.ts'
import { HOTEL_SUMMARY_FIELD_NAMES, HotelSummaryShape, hotelSummaryCountFields } from '../../domains/housing/summary/hotels.ts'
import { getHousingSummary, HOUSING_SUMMARY_GROUPINGS, HOUSING_SUMMARY_PARTS } from '../../domains/housing/summary/summary.ts'
import { HousingWarningShape } from '../../domains/housing/summary/warnings.ts'

const Totals = object({
  ...hotelSummaryCountFields,
  peakNight: day().nullable(),
  waiting: count().nullable(),
  unguaranteed: count().nullable(),
})
const Row = object({ key: text(), name: untrustedText(), ...hotelSummaryCountFields })

export default eventTool({
  name: 'get_housing_summary',
  title: 'Housing pickup',
  description:
    'How the hotels are filling up: room nights contracted, booked (pickup), set aside in blocks, held, still free and given back, by hotel, night, room type or block, now or on an earlier day, with cut-off, attrition, pace and warnings. Also lists hotels with their ids. For one block request use get_block_request. Returns totals, rows and a picture.',
  effect: 'read',
  toleratesLag: true,
  permission: 'housing.read',
  input: {
    groupBy: oneOf(HOUSING_SUMMARY_GROUPINGS).default('hotel'),
    hotelId: hotelReferenceSchema().optional(),
    asOf: day().optional(),
    include: list(oneOf(HOUSING_SUMMARY_PARTS), HOUSING_SUMMARY_PARTS.length).optional(),
  },
  output: {
    totals: toOneLine(Totals, `${HOTEL_SUMMARY_FIELD_NAMES}, peakNight, waiting`),
    asOf: day().optional(),
    hotels: list(HotelSummaryShape),
    rows: list(toOneLine(Row, `key, name, ${HOTEL_SUMMARY_FIELD_NAMES}`), 10_000),
    pace: list(toOneLine(object({ day: day(), pickup: roomNightSumSchema() }), 'day, pickup')),
    warnings: list(toOneLine(HousingWarningShape, 'code, hotelId, message')),
    ...housingSummaryDetailFields,
    ...truncationResult,
  },
  run: getHousingSummary,
})
