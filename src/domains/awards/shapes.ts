import {
  describeSchemaInOneLine,
  boundedInteger,
  day,
  id,
  instant,
  list,
  money,
  object,
  oneOf,
  text,
  untrustedText,
} from '../../kernel/args.ts'
import { AWARD_STATES } from './states.ts'

const Share = object({ night: day(), rooms: boundedInteger() })

const Line = object({
  responseId: text(),
  supplierId: text(),
  supplier: untrustedText(),
  share: list(Share),
  rooms: boundedInteger(),
  gross: money(),
})

export const Award = describeSchemaInOneLine(
  object({
    id: id(),
    rfpId: id(),
    status: oneOf(AWARD_STATES.all),
    total: money(),
    lines: list(Line),
    rationale: untrustedText(),
    proposedBy: text(),
    executedBy: text().optional(),
    executedAt: instant().optional(),
    revision: boundedInteger(1),
  }),
  'id, rfpId, status, total, lines[] { responseId, supplier, share[], rooms }, rationale',
)
