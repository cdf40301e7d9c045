import { z } from 'zod'
import { toOneLine, id, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { BADGE_ROTATION_REASONS, rotateBadgeIds } from '../../domains/attendance/rotate-badges.ts'

export default eventTool({
  name: 'rotate_badge_id',
  title: 'Replace lost or stolen badges',
  description:
    'Reissue a credential: give people with a lost, stolen or damaged badge (name tag) a new code and make the old barcode useless at doors and for leads at once; their leads, attendance and appointments stay. Not for corrected names (use edit_participant). Returns the new badge ids and QR texts to print.',
  effect: 'change',
  permission: 'onsite.write',
  keyed: true,
  input: {
    participantIds: list(id('participant'), 500).min(1, 'at least 1 participant'),
    reason: oneOf(BADGE_ROTATION_REASONS),
    newBadgeIds: toOneLine(z.record(z.string().max(24), text(200)), '{participantId: badge id}, for external badge ids').optional(),
  },
  output: {
    rotated: toOneLine(
      list(object({ participantId: text(), oldHint: text(), badgeId: text(), payload: text(600) })),
      'participantId, oldHint (last 4), badgeId, payload (QR text)',
    ),
    skipped: toOneLine(list(object({ participantId: text(), reason: text() })), 'participantId, reason'),
  },
  run: rotateBadgeIds,
})
