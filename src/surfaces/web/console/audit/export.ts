import type { ValueDifference } from '../../../../domains/audit/differences.ts'
import { getRecordKindNoun } from '../../../../domains/audit/kinds.ts'
import { listAuditEntries } from '../../../../domains/audit/log.ts'
import { readAuditLogScope } from '../../../../domains/audit/log-scope.ts'
import type { AuditSentence } from '../../../../domains/audit/sentence.ts'
import { describeEntries, type DescribedAuditEntry } from '../../../../domains/audit/describe.ts'
import { formatCsvLine } from '../../../../domains/sheets/csv.ts'
import { recordChange } from '../../../../kernel/audit.ts'
import type { WebServices } from '../../web.ts'
import { streamCsvDownload } from '../csv-download.ts'
import { readFormFilter, buildListCursorScope } from '../filters.ts'
import { runClientChange, runOwnAccountChange, createConsoleRouter, createAccountContext, requireConsoleForm } from '../frame.tsx'
import { toAuditFilter, type AuditFilterValues, AUDIT_FILTERS } from './filters.tsx'
import { AUDIT_PATH, requireAuditAccess } from './records.tsx'

const PAGE_SIZE = 500
const CSV_HEADER = ['Time (UTC)', 'User', 'App', 'Description', 'Client', 'Event', 'Changes', 'Action', 'Id']

/** Kinds of records whose name is personal data. */
const PERSONAL_KINDS: ReadonlySet<string> = new Set(['participant', 'groupInvite', 'speaker'])

const formatSentence = (sentence: AuditSentence, named: boolean) =>
  sentence
    .map((part) => (typeof part === 'string' ? part : named || !PERSONAL_KINDS.has(part.kind) ? part.name : getRecordKindNoun(part.kind)))
    .join('')

function formatChange({ label, before, after, runs }: ValueDifference): string {
  const sides = runs
    ? (['removed', 'added'] as const).map((side) => runs.map(({ kind, text }) => (kind === 'same' || kind === side ? text : '')).join(''))
    : [before ?? 'empty', after ?? 'empty']
  return `${label}: ${sides.join(' → ')}`
}

/**
 * Formats an audit entry as a line of CSV. Personal names and values are included only with the permission personal.export. Without it, the
 * line names the changed fields, but neither the person nor the values.
 */
function lineOf(entry: DescribedAuditEntry): string {
  const { at, actor, sentence, client, event, records, tool, id } = entry
  const named = entry.permissions.has('personal.export') || client === null
  const changes = records.flatMap(({ differences }) => differences.map((one) => (named ? formatChange(one) : one.label)))
  return formatCsvLine([
    at.toISOString(),
    named || actor.kind !== 'participant' ? actor.name : 'a participant',
    actor.app,
    formatSentence(sentence, named),
    client?.name ?? '',
    event?.name ?? '',
    changes.join('; '),
    tool,
    id,
  ])
}

/** `/console/audit/export`: the filtered log as CSV. The export itself is recorded in the audit log. */
export function auditExportRoutes(web: WebServices) {
  return createConsoleRouter(web).post(`${AUDIT_PATH}/export`, async (c) => {
    const form = await requireConsoleForm(web, c)
    const session = c.get('session')
    requireAuditAccess(session.access)
    const filter: AuditFilterValues = readFormFilter(form, AUDIT_FILTERS)
    const ctx = {
      ...createAccountContext(web, session, web.services.database.read),
      cursorScope: buildListCursorScope(session.userId, 'export of the log', filter),
    }
    const { client, eventId, zone } = await readAuditLogScope(ctx, { clientCode: filter.client, eventCode: filter.event })
    const request = { ...toAuditFilter(filter, zone), limit: PAGE_SIZE }
    // The first page is read before the response starts, so that invalid filters produce an error page instead of half a file.
    const first = await listAuditEntries(ctx, request)
    const exported = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
    if (client && (filter.client || filter.event))
      await runClientChange(web, session, { client, action: 'export_audit_log', eventId }, async (changing) => {
        recordChange(changing, { kind: 'client', id: client.id, after: { exported } })
      })
    else
      await runOwnAccountChange(web, session, 'export_audit_log', async (changing) => {
        recordChange(changing, { kind: 'user', id: session.userId, after: { exported } })
      })
    async function* lines() {
      yield formatCsvLine(CSV_HEADER)
      for (let page = first; ; page = await listAuditEntries(ctx, { ...request, cursor: page.nextCursor! })) {
        yield (await describeEntries(ctx, page.items)).map(lineOf).join('')
        if (page.nextCursor === null) return
      }
    }
    return streamCsvDownload(c, 'audit-log', lines())
  })
}
