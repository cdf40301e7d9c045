import { z } from 'zod'
import { toOneLine, code, flag, id, ifRevision, instant, list, money, object, oneOf, text } from '../../../kernel/args.ts'
import { CLEARABLE_BOOTH_FIELDS } from './edit.ts'
import { NUMBERING_SCHEMES } from './renumber.ts'

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

export const BoothArguments = {
  floorPlanCode: code(),
  booths: toOneLine(list(DrawnBooth, 500), 'number, polygon or x, y, width, depth, rotation; sizeCode, zoneCode'),
  boothId: id('booth'),
  number: number(),
  polygon: polygon(),
  sizeCode: code(),
  zoneCode: text(80),
  priceOverride: money(),
  note: text(1000),
  clear: list(oneOf(CLEARABLE_BOOTH_FIELDS), CLEARABLE_BOOTH_FIELDS.length),
  ifRevision: ifRevision().unwrap(),
  scheme: oneOf(NUMBERING_SCHEMES),
  prefix: text(8),
  force: flag(),
  numbers: list(number(), 500),
  into: toOneLine(list(DrawnBooth, 50), 'as booths'),
  companyId: id('company'),
  until: instant(),
  applicationNumber: text(20),
  reason: text(500),
  fromNumber: number(),
  toNumber: number(),
  numberA: number(),
  numberB: number(),
}
