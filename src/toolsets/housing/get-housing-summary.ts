import { toOneLine, count, day, list, object, oneOf, text, truncationResult, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { hotelArgument } from '../../domains/housing/find-hotel.ts'
import { detailFields } from '../../domains/housing/summary/details.ts'
import { roomNightSum } from '../../domains/housing/summary/figures.ts'
import { FIGURES_FIELDS_TEXT, HotelInSummary, summaryFigures } from '../../domains/housing/summary/hotels.ts'
import { getHousingSummary, GROUPINGS, HOUSING_SUMMARY_PARTS } from '../../domains/housing/summary/summary.ts'
import { WarningShape } from '../../domains/housing/summary/warnings.ts'

const Totals = object({ ...summaryFigures, peakNight: day().nullable(), waiting: count().nullable(), unguaranteed: count().nullable() })
const Row = object({ key: text(), name: untrustedText(), ...summaryFigures })

export default eventTool({
  name: 'get_housing_summary',
  title: 'Housing pickup',
  description:
    'How the hotels are filling up: room nights contracted, booked (pickup), set aside in blocks, held, still free and given back, by hotel, night, room type or block, now or on an earlier day, with cut-off, attrition, pace and warnings. Also lists hotels with their ids. For one block request use get_block_request. Returns totals, rows and a picture.',
  effect: 'read',
  toleratesLag: true,
  permission: 'housing.read',
  input: {
    groupBy: oneOf(GROUPINGS).default('hotel'),
    hotelId: hotelArgument().optional(),
    asOf: day().optional(),
    include: list(oneOf(HOUSING_SUMMARY_PARTS), HOUSING_SUMMARY_PARTS.length).optional(),
  },
  output: {
    totals: toOneLine(Totals, `${FIGURES_FIELDS_TEXT}, peakNight, waiting`),
    asOf: day().optional(),
    hotels: list(HotelInSummary),
    rows: list(toOneLine(Row, `key, name, ${FIGURES_FIELDS_TEXT}`), 10_000),
    pace: list(toOneLine(object({ day: day(), pickup: roomNightSum() }), 'day, pickup')),
    warnings: list(toOneLine(WarningShape, 'code, hotelId, message')),
    ...detailFields,
    ...truncationResult,
  },
  run: getHousingSummary,
})
