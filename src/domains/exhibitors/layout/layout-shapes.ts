import { z } from 'zod'
import { toOneLine, count, list, object, oneOf, text } from '../../../kernel/args.ts'
import { BOOTH_TYPES } from '../floor/booth-figures.ts'

const number = () => z.number()

/** Figures of a generated booth layout, such as its number of booths, in the result of the tool generate_max_fit. */
export const LayoutMetrics = {
  layoutId: text(),
  planRevision: count(),
  booths: count(),
  net: number(),
  netGross: number(),
  corners: count(),
  byType: toOneLine(
    object({
      inline: count(),
      corner: count(),
      peninsula: count(),
      island: count(),
      perimeter: count(),
    }),
    'inline, corner, peninsula, island, perimeter',
  ),
  angle: number(),
  rows: count(),
  candidates: toOneLine(list(object({ angle: number(), booths: count() })), 'angle, booths'),
  lost: toOneLine(
    object({ pillars: z.int(), exits: z.int(), zones: z.int(), unreachable: count() }),
    'booths lost to pillars, exits, zones, unreachable',
  ),
  checks: toOneLine(list(object({ code: text(), ok: z.boolean(), value: number(), limit: number() })), 'code, ok, value, limit'),
  mixUnmet: toOneLine(list(object({ sizeCode: text(), count: count() })), 'sizeCode, count'),
  warnings: list(text()),
  needsVenueApproval: z.boolean(),
  firstBooths: toOneLine(
    list(
      object({
        number: text(),
        x: number(),
        y: number(),
        width: number(),
        depth: number(),
        type: oneOf(BOOTH_TYPES),
        sizeCode: text().optional(),
      }),
    ),
    'number, x, y, width, depth, type, sizeCode',
  ),
}
