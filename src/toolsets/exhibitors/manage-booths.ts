import { z } from 'zod'
import { brief, code, flag, id, ifRevision, instant, list, money, object, oneOf, text } from '../../kernel/args.ts'
import { manageEventTool } from '../../kernel/manage-tool.ts'
import {
  assign,
  block,
  BoothChange,
  createBoothsAt,
  hold,
  merge,
  move,
  release,
  remove,
  renumberPlan,
  split,
  swap,
  unblock,
  updateBooth,
  vacate,
} from '../../domains/exhibitors/booths/manage.ts'
import { CLEARABLE_FIELDS } from '../../domains/exhibitors/booths/edit.ts'
import { NUMBERING_SCHEMES } from '../../domains/exhibitors/booths/renumber.ts'

const number = () => text(12)
const length = () => z.number().min(-100_000).max(100_000)
const polygon = () => list(z.array(length()).length(2), 500)

const DrawnBooth = object({
  number: number(),
  polygon: polygon().optional(),
  x: length().optional(),
  y: length().optional(),
  width: length().optional(),
  depth: length().optional(),
  rotation: z.number().min(-360).max(360).optional(),
  sizeCode: code().optional(),
  zoneCode: text(80).optional(),
})
const drawnBooths = (max: number) =>
  brief(list(DrawnBooth, max), 'number, polygon [[x, y]] or x, y, width, depth, rotation; sizeCode, zoneCode')

export default manageEventTool({
  name: 'manage_booths',
  title: 'Manage booths',
  description:
    'Put a stand on hold for a company, assign it, trade places, or draw booths. Actions: create, update, renumber, merge, split, hold, release, assign, vacate, move, swap, block, unblock, delete. Assigning charges the company, vacating credits it. Not for offers (use manage_booth_application). Returns booths, order change, warnings.',
  effect: 'change',
  keyed: true,
  area: 'exhibitors',
  input: {
    floorPlanCode: code(),
    booths: drawnBooths(500),
    boothId: id('booth'),
    number: number(),
    polygon: brief(polygon(), '[[x, y]] in plan units'),
    sizeCode: code(),
    zoneCode: text(80),
    priceOverride: money(),
    note: text(1000),
    clear: list(oneOf(CLEARABLE_FIELDS), CLEARABLE_FIELDS.length),
    ifRevision: ifRevision().unwrap(),
    scheme: oneOf(NUMBERING_SCHEMES),
    prefix: text(8),
    force: flag(),
    numbers: list(number(), 500),
    into: drawnBooths(50),
    companyId: id('company'),
    until: instant(),
    applicationNumber: text(20),
    reason: text(500),
    fromNumber: number(),
    toNumber: number(),
    numberA: number(),
    numberB: number(),
  },
  output: BoothChange,
  actions: (action) => ({
    create: action.change(['floorPlanCode', 'booths'], createBoothsAt),
    update: action.change(['boothId'], updateBooth, {
      takes: ['number', 'polygon', 'sizeCode', 'zoneCode', 'priceOverride', 'note', 'clear', 'ifRevision'],
    }),
    renumber: action.change(['floorPlanCode', 'scheme'], renumberPlan, { takes: ['prefix', 'force'] }),
    merge: action.change(['numbers', 'number'], merge),
    split: action.change(['number'], split, { takes: ['into'] }),
    hold: action.change(['number', 'companyId', 'until'], hold),
    release: action.change(['number'], release),
    assign: action.change(['number', 'companyId'], assign, { takes: ['applicationNumber'] }),
    vacate: action.change(['number', 'reason'], vacate),
    move: action.change(['fromNumber', 'toNumber'], move),
    swap: action.change(['numberA', 'numberB'], swap),
    block: action.change(['number', 'reason'], block),
    unblock: action.change(['number', 'reason'], unblock),
    delete: action.change(['numbers'], remove),
  }),
})
