import { toOneLine, count, list } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { prepareScanDecisionSqlCall, recordScans, recordScansInOneStatement } from '../../domains/attendance/record-scans.ts'
import { ScanDecisionShape, ScanInputShape } from '../../domains/attendance/shapes.ts'

export default eventTool({
  name: 'record_attendance',
  title: 'Check people in or out',
  description:
    'Check people in or out at the entrance, a gate or a session: post a badge scan, or name the person by confirmation number. A supervisor override with its reason lets them in anyway; refusals are stored too. For files of offline scanners use import_attendance. Returns the decision of each scan and how many are inside.',
  effect: 'change',
  permission: 'onsite.write',
  input: {
    scans: toOneLine(
      list(ScanInputShape, 100).min(1, 'at least 1 scan'),
      'badge|participantId|confirmationNumber, gateCode|sessionId, direction, override{reason}',
    ),
  },
  output: {
    results: toOneLine(list(ScanDecisionShape, 100), 'result, reason, message, scanId, participant, warnings[], inside, capacity'),
    accepted: count(),
    refused: count(),
    duplicates: count(),
  },
  findArgumentErrors: ({ scans }) =>
    (Array.isArray(scans) ? (scans as Record<string, unknown>[]) : []).flatMap((scan, index) => {
      const named = ['badge', 'participantId', 'confirmationNumber'].filter((name) => scan?.[name] !== undefined)
      return named.length === 1 ? [] : [{ path: `scans.${index}`, message: 'give one of badge, participantId, confirmationNumber' }]
    }),
  runAtOnce: recordScansInOneStatement,
  prepareAtOnce: prepareScanDecisionSqlCall,
  run: recordScans,
})
