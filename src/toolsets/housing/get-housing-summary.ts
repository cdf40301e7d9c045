import { z } from 'zod'
import { brief, day, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { hotelArgument } from '../../domains/housing/find-hotel.ts'
import { figureFields } from '../../domains/housing/summary/figures.ts'
import { getHousingSummary, GROUPINGS } from '../../domains/housing/summary/summary.ts'

const FIGURES = 'contracted, returned, allocated, pickup, held, freeSell, pickupPercent'
const figures = { ...figureFields, pickupPercent: z.number().nullable() }
const Hotel = object({
  id: text(),
  code: text(),
  name: untrustedText(),
  contractStatus: oneOf(['none', 'tentative', 'definite', 'cancelled']),
  cutoffOn: day().nullable(),
  sellStatus: text(),
  ...figures,
})
const Row = object({ key: text(), name: untrustedText(), ...figures })

export default eventTool({
  name: 'get_housing_summary',
  title: 'Housing pickup',
  description:
    'How the hotels are filling up: room nights contracted, booked (pickup), set aside in blocks, held, still free and given back, by hotel, night, room type or block, with cut-off dates. Also lists the hotels of the event with their ids and codes. For one exhibitor or group request use get_block_request. Returns totals and rows.',
  effect: 'read',
  toleratesLag: true,
  permission: 'housing.read',
  input: { groupBy: oneOf(GROUPINGS).default('hotel'), hotelId: hotelArgument().optional() },
  output: {
    totals: brief(object({ ...figures, peakNight: day().nullable() }), `${FIGURES}, peakNight`),
    hotels: list(brief(Hotel, `id, code, name, contractStatus, cutoffOn, sellStatus, ${FIGURES}`)),
    rows: list(brief(Row, `key, name, ${FIGURES}`), 10_000),
  },
  run: getHousingSummary,
})
