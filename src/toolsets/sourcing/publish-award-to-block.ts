import { z } from 'zod'
import { toOneLine, code, count, day, flag, id, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { HOTEL_SALE_STATES } from '../../domains/housing/states.ts'
import { publishAward } from '../../domains/supplier-contracts/publish.ts'

const Hotel = object({
  hotelId: id(),
  created: flag(),
  contracted: count(),
  nights: list(object({ night: day(), contracted: count() })),
})

export default eventTool({
  name: 'publish_award_to_block',
  title: 'Turn an award into a room block',
  description:
    'Turn the winning offer of the hotel that won into contracted rooms that appear in housing: room types, room nights, rates, cut-off, attrition, comps and rebate. Repeating changes nothing; to change later use amend_contract. Returns the hotels with their nights.',
  effect: 'change',
  permission: ['sourcing.write', 'housing.write'],
  idempotent: true,
  keyed: true,
  dryRun: true,
  input: {
    awardId: id('award'),
    status: oneOf(['tentative', 'definite']).default('tentative'),
    roomTypeMap: toOneLine(z.record(text(120), code()), 'offered room type: roomTypeCode').optional(),
    cutoffOn: day().optional(),
    sellStatus: oneOf(HOTEL_SALE_STATES.all).default('closed'),
  },
  output: {
    hotels: list(toOneLine(Hotel, 'hotelId, created, contracted, nights[] { night, contracted }'), 10),
    roomNights: count(),
    unmapped: list(untrustedText()),
  },
  run: publishAward,
})
