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
    create: action.change(['floorPlanCode', 'booths'], booths.createBoothsAt),
    update: action.change(['boothId'], booths.updateBooth, {
      takes: ['number', 'polygon', 'sizeCode', 'zoneCode', 'priceOverride', 'note', 'clear', 'ifRevision'],
    }),
    renumber: action.change(['floorPlanCode', 'scheme'], booths.renumberPlan, { takes: ['prefix', 'force'] }),
    merge: action.change(['numbers', 'number'], booths.merge),
    split: action.change(['number'], booths.split, { takes: ['into'] }),
    hold: action.change(['number', 'companyId', 'until'], booths.hold),
    release: action.change(['number'], booths.release),
    assign: action.change(['number', 'companyId'], booths.assign, { takes: ['applicationNumber'] }),
    vacate: action.change(['number', 'reason'], booths.vacate),
    move: action.change(['fromNumber', 'toNumber'], booths.move),
    swap: action.change(['numberA', 'numberB'], booths.swap),
    block: action.change(['number', 'reason'], booths.block),
    unblock: action.change(['number', 'reason'], booths.unblock),
    delete: action.change(['numbers'], booths.remove),
  }),
})
