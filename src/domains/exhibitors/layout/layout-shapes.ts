import { z } from 'zod'
import { describeSchemaInOneLine, boundedInteger, list, object, oneOf, text } from '../../../kernel/args.ts'
import { BOOTH_TYPES } from '../floor/booth-figures.ts'

const number = () => z.number()

/** Figures of a layout in the result of generate_max_fit. */
export const LayoutMetrics = {
  layoutId: text(),
  planRevision: boundedInteger(),
  booths: boundedInteger(),
  net: number(),
  netGross: number(),
  corners: boundedInteger(),
  byType: describeSchemaInOneLine(
    object({
      inline: boundedInteger(),
      corner: boundedInteger(),
      peninsula: boundedInteger(),
      island: boundedInteger(),
      perimeter: boundedInteger(),
    }),
    'inline, corner, peninsula, island, perimeter',
  ),
  angle: number(),
  rows: boundedInteger(),
  candidates: describeSchemaInOneLine(list(object({ angle: number(), booths: boundedInteger() })), 'angle, booths'),
  lost: describeSchemaInOneLine(
    object({ pillars: z.int(), exits: z.int(), zones: z.int(), unreachable: boundedInteger() }),
    'booths lost to pillars, exits, zones, unreachable',
  ),
  checks: describeSchemaInOneLine(
    list(object({ code: text(), ok: z.boolean(), value: number(), limit: number() })),
    'code, ok, value, limit',
  ),
  mixUnmet: describeSchemaInOneLine(list(object({ sizeCode: text(), count: boundedInteger() })), 'sizeCode, count'),
  warnings: list(text()),
  needsVenueApproval: z.boolean(),
  firstBooths: describeSchemaInOneLine(
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
