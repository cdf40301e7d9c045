import { toOneLine, count, day, id, instant, list, money, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { AWARD_STATES } from './states.ts'

const Share = object({ night: day(), rooms: count() })

const Line = object({
  responseId: text(),
  supplierId: text(),
  supplier: untrustedText(),
  share: list(Share),
  rooms: count(),
  gross: money(),
})

export const Award = toOneLine(
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
    revision: count(1),
  }),
  'id, rfpId, status, total, lines[] { responseId, supplier, share[], rooms }, rationale',
)
