import { brief, code, count, flag, id, instant, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { recordScans } from '../../domains/attendance/record-scans.ts'
import { SCAN_METHODS, SCAN_RESULTS, SCAN_SCOPES } from '../../domains/attendance/tables.ts'

export default eventTool({
  name: 'record_attendance',
  title: 'Check people in or out',
  description:
    'Check people in or out at the entrance, a gate or a session: post a badge scan, or name the person by confirmation number. A supervisor override with its reason lets them in anyway; refusals are stored too. For files of offline scanners use import_attendance. Returns the decision of each scan and how many are inside.',
  effect: 'change',
  permission: 'onsite.write',
  input: {
    scans: brief(
      list(
        object({
          badge: text(600).optional(),
          participantId: id('participant').optional(),
          confirmationNumber: text(40).optional(),
          scope: oneOf(SCAN_SCOPES).optional(),
          gateCode: code().optional(),
          sessionId: id('session').optional(),
          direction: oneOf(['in', 'out']).default('in'),
          at: instant().optional(),
          method: oneOf(SCAN_METHODS).default('manual'),
          deviceName: text(80).optional(),
          nonce: text(80).optional(),
          override: object({ reason: text(300) }).optional(),
        }),
        100,
      ).min(1, 'at least 1 scan'),
      'badge|participantId|confirmationNumber, gateCode|sessionId, direction, override{reason}',
    ),
  },
  output: {
    results: brief(
      list(
        object({
          result: oneOf(SCAN_RESULTS),
          reason: text().optional(),
          message: text(),
          scanId: text(),
          duplicate: flag().optional(),
          participant: object({
            id: text(),
            name: untrustedText(),
            company: untrustedText().optional(),
            tags: list(text()),
          }).optional(),
          warnings: list(text()),
          inside: count(),
          capacity: count().optional(),
        }),
        100,
      ),
      'result, reason, message, scanId, participant, warnings[], inside, capacity',
    ),
    accepted: count(),
    refused: count(),
    duplicates: count(),
  },
  findArgumentErrors: ({ scans }) =>
    (Array.isArray(scans) ? (scans as Record<string, unknown>[]) : []).flatMap((scan, index) => {
      const named = ['badge', 'participantId', 'confirmationNumber'].filter((name) => scan?.[name] !== undefined)
      return named.length === 1 ? [] : [{ path: `scans.${index}`, message: 'give one of badge, participantId, confirmationNumber' }]
    }),
  run: recordScans,
})
