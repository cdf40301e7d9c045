import { toOneLine, fieldsToClear, ifRevision, list, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { amendHousingContract, CONTRACT_AMENDMENT_KINDS } from '../../domains/housing/contracts/amend.ts'
import {
  CLEARABLE_CONTRACT_TERMS,
  FinalPickupArgument,
  hotelTermArguments,
  originalContractArguments,
  RoomTypeArgument,
} from '../../domains/housing/contracts/amend-arguments.ts'
import { AmendmentResult } from '../../domains/housing/contracts/amend-result.ts'
import { hotelReferenceSchema } from '../../domains/housing/find-hotel.ts'
import { completePickupMilestone } from '../../domains/supplier-contracts/milestones.ts'

export default eventTool({
  name: 'amend_contract',
  title: 'Amend a room contract',
  description:
    'Record what was agreed with a hotel: the original room block, an addendum with more or fewer rooms, other rates or terms (cut-off, attrition, comps, rebate), a reduction at a review date, or the final pickup after the event. Also opens or closes sales. Not for moves between hotels (use move_hotel_inventory). Returns contract, nights and attrition.',
  effect: 'change',
  permission: 'housing.write',
  keyed: true,
  dryRun: true,
  openWorld: true,
  input: {
    hotelId: hotelReferenceSchema(),
    kind: oneOf(CONTRACT_AMENDMENT_KINDS).default('addendum'),
    roomTypes: list(toOneLine(RoomTypeArgument, 'code, name, beds[]?, maxOccupancy, accessible?, smoking?'), 30).optional(),
    ...originalContractArguments,
    ...hotelTermArguments,
    clearTerms: fieldsToClear(CLEARABLE_CONTRACT_TERMS),
    attritionBase: oneOf(['follow', 'keep']).default('follow'),
    finalPickup: list(toOneLine(FinalPickupArgument, 'night, pickup, resold=0, auditCredit=0'), 60).optional(),
    reason: text(1000),
    ifRevision: ifRevision(),
  },
  output: AmendmentResult,
  run: async (ctx, input) => {
    const result = await amendHousingContract(ctx, input)
    if (input.kind === 'finalPickup') await completePickupMilestone(ctx, result.contract.hotelId)
    return result
  },
})
