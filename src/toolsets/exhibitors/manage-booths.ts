import { multiActionEventTool } from '../../kernel/manage-tool.ts'
import * as booths from '../../domains/exhibitors/booths/manage.ts'
import { BoothArguments } from '../../domains/exhibitors/booths/manage-arguments.ts'

export default multiActionEventTool({
  name: 'manage_booths',
  title: 'Manage booths',
  description:
    'Put a stand on hold for a company, assign it, trade places, or draw booths. Actions: create, update, renumber, merge, split, hold, release, assign, vacate, move, swap, block, unblock, delete. Assigning charges the company, vacating credits it. Not for offers (use manage_booth_application). Returns booths, order change, warnings.',
  effect: 'change',
  keyed: true,
  area: 'exhibitors',
  input: BoothArguments,
  output: booths.BoothChangeShape,
  actions: (action) => ({
    create: action.change(['floorPlanCode', 'booths'], booths.createBoothsOnFloorPlan),
    update: action.change(['boothId'], booths.updateBooth, {
      takes: ['number', 'polygon', 'sizeCode', 'zoneCode', 'priceOverride', 'note', 'clear', 'ifRevision'],
    }),
    renumber: action.change(['floorPlanCode', 'scheme'], booths.renumberBoothsOfPlan, { takes: ['prefix', 'force'] }),
    merge: action.change(['numbers', 'number'], booths.mergeAdjacentBooths),
    split: action.change(['number'], booths.splitBoothIntoParts, { takes: ['into'] }),
    hold: action.change(['number', 'companyId', 'until'], booths.holdBoothForCompany),
    release: action.change(['number'], booths.releaseBoothHold),
    assign: action.change(['number', 'companyId'], booths.assignBoothToCompany, { takes: ['applicationNumber'] }),
    vacate: action.change(['number', 'reason'], booths.vacateAssignedBooth),
    move: action.change(['fromNumber', 'toNumber'], booths.moveCompanyToBooth),
    swap: action.change(['numberA', 'numberB'], booths.swapBoothsOfCompanies),
    block: action.change(['number', 'reason'], booths.blockBoothByNumber),
    unblock: action.change(['number', 'reason'], booths.unblockBoothByNumber),
    delete: action.change(['numbers'], booths.deleteBoothsByNumber),
  }),
})
